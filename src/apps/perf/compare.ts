import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { printable } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { patienceMs } from '../../scenario/play/patience.js';
import { formatAddress } from '../../udp/address.js';
import { IPERF3_PORT } from './kinds.js';
import type { PerfOptions } from './options.js';
import type { PeerRun, TestTerms } from './test-terms.js';

/** TCP by the installed iperf3, over the same path: what `--compare iperf3` measures beside each run. */

/** For the server to answer (ours): one that is there answers within a round trip. */
const CONNECT_TIMEOUT_MS = 3_000;
/** A test of so many bytes has no time of its own. One that is slower than this, bit/s, is given up (ours). */
const LEAST_RATE_BPS = 1e6;
/** iperf3's MIN_INTERVAL and MAX_INTERVAL (src/iperf_api.h). */
const [MIN_INTERVAL_S, MAX_INTERVAL_S] = [0.1, 60];

/** What iperf3 is started with for the same test. Its times are whole seconds. */
export function iperf3Arguments(
  { request, to }: Pick<TestTerms, 'request' | 'to'>,
  {
    compare,
    interval,
    bind,
    version4,
    version6,
  }: Pick<PerfOptions, 'compare' | 'interval' | 'bind' | 'version4' | 'version6'>,
): string[] {
  const { direction, flows, durationNs, bytes, omitNs, pace, lengthBytes } = request;
  const seconds = (ns: number): string => String(Math.ceil(ns / 1e9));
  const burst = pace === undefined ? 0 : Math.round(pace.burstBytes / (lengthBytes ?? pace.burstBytes));
  return [
    ...['-c', to?.host ?? '', '-p', String(compare?.port ?? IPERF3_PORT), '-J'],
    ...['-i', interval === 0 ? '0' : String(Math.min(MAX_INTERVAL_S, Math.max(MIN_INTERVAL_S, interval / 1e9)))],
    ...['--connect-timeout', String(CONNECT_TIMEOUT_MS)],
    ...(bytes === null ? ['-t', seconds(durationNs ?? 0)] : ['-n', String(bytes * flows)]),
    ...(omitNs > 0 ? ['-O', seconds(omitNs)] : []),
    ...(flows > 1 ? ['-P', String(flows)] : []),
    ...(direction === 'reverse' ? ['-R'] : []),
    ...(direction === 'both' ? ['--bidir'] : []),
    ...(pace === undefined ? [] : ['-b', `${Math.round(pace.rateBps)}${burst > 0 ? `/${burst}` : ''}`]),
    ...(lengthBytes === undefined ? [] : ['-l', String(lengthBytes)]),
    ...(bind === undefined ? [] : ['-B', bind]),
    ...(version4 ? ['-4'] : []),
    ...(version6 ? ['-6'] : []),
  ];
}

/** One run of iperf3's client. `start` begins it, and `stop` gives it up. */
export class PeerTest {
  private readonly terms: TestTerms;
  private readonly args: readonly string[];
  private child: ChildProcess | null = null;

  constructor(terms: TestTerms, options: Parameters<typeof iperf3Arguments>[1]) {
    this.terms = terms;
    this.args = iperf3Arguments(terms, options);
  }

  get command(): string {
    return ['iperf3', ...this.args].join(' ');
  }

  /** Throws a Failure: iperf3 is not installed, its server does not answer, or it takes too long. */
  async run(): Promise<PeerRun> {
    const child = spawn('iperf3', this.args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const texts = { out: '', error: '' };
    child.stdout.on('data', (part: Buffer) => {
      texts.out += part;
    });
    child.stderr.on('data', (part: Buffer) => {
      texts.error += part;
    });
    const boundMs = this.boundMs();
    const late = setTimeout(() => child.kill('SIGKILL'), boundMs);
    try {
      const [, signal] = (await once(child, 'close')) as [number | null, string | null];
      if (signal === 'SIGKILL')
        throw new Failure(ExitCode.failed, `iperf3 did not end within ${Math.round(boundMs / 1e3)} s: ${this.command}`);
      return { command: this.command, ...this.resultOf(texts) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw usageFailure(
        '--compare iperf3 runs the iperf3 of this machine, and none is installed: apt-get install iperf3',
      );
    } finally {
      clearTimeout(late);
      this.child = null;
    }
  }

  stop(): void {
    this.child?.kill('SIGTERM');
  }

  private boundMs(): number {
    const { durationNs, bytes, flows, omitNs } = this.terms.request;
    const takesMs = bytes === null ? ((durationNs ?? 0) + omitNs) / 1e6 : (bytes * flows * 8e3) / LEAST_RATE_BPS;
    // An open connection is waited for, then whole seconds of the test, then the patience for any process.
    return CONNECT_TIMEOUT_MS + takesMs + 2_000 + patienceMs();
  }

  private resultOf({ out, error }: { out: string; error: string }): Omit<PeerRun, 'command'> {
    const document = parsed(out);
    if (document === null) throw new Failure(ExitCode.failed, `iperf3 printed no result: ${printable(error || out)}`);
    if (document.error !== undefined) throw this.failureOf(document.error);
    const { start, intervals = [], end } = document;
    const isReverse = this.terms.request.direction === 'reverse';
    return {
      version: printable(start?.version ?? ''),
      congestion: printable((isReverse ? end?.receiver_tcp_congestion : end?.sender_tcp_congestion) ?? ''),
      goodputBps: end?.sum_received?.bits_per_second ?? Number.NaN,
      retransmits: end?.sum_sent?.retransmits ?? null,
      intervals: intervals
        .filter(({ sum }) => sum.omitted !== true)
        .map(({ sum }) => ({ endS: sum.end, rateBps: sum.bits_per_second })),
    };
  }

  private failureOf(error: string): Failure {
    const { to } = this.terms;
    const port = Number(this.args[3]);
    const where = to === null ? '' : formatAddress({ host: to.host, port });
    if (/connect|cookie|route|resolve/i.test(error))
      return new Failure(
        ExitCode.peer,
        `no iperf3 server answers at ${where} (${printable(error)}): start one there with iperf3 -s -p ${port}`,
      );
    return new Failure(ExitCode.failed, `iperf3 at ${where}: ${printable(error)}`);
  }
}

/** What is read of iperf3's document. */
interface PeerDocument {
  readonly start?: { readonly version?: string };
  readonly intervals?: readonly { readonly sum: PeerSum }[];
  readonly end?: {
    readonly sum_sent?: Partial<PeerSum>;
    readonly sum_received?: PeerSum;
    readonly sender_tcp_congestion?: string;
    readonly receiver_tcp_congestion?: string;
  };
  readonly error?: string;
}

interface PeerSum {
  readonly end: number;
  readonly bits_per_second: number;
  readonly retransmits?: number;
  readonly omitted?: boolean;
}

function parsed(text: string): PeerDocument | null {
  try {
    return JSON.parse(text) as PeerDocument;
  } catch {
    return null;
  }
}

/** Both of all runs so far, side by side. */
export interface Compared extends PeerRun {
  /** Of xpass over TCP, by their means. */
  readonly ratio: number;
  /** TCP's of each run, bit/s. */
  readonly goodputsBps: readonly number[];
}

export function compared(
  peer: PeerRun,
  { ours, peers }: { readonly ours: readonly number[]; readonly peers: readonly number[] },
): Compared {
  return { ...peer, ratio: mean(ours) / mean(peers), goodputsBps: [...peers] };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
