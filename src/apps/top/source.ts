// Tested by test/loopback/top.test.ts
import { get, type IncomingMessage } from 'node:http';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { group } from '../../base/metric.js';
import { type ProcessUse, SwitchControl } from '../../services/control/client.js';
import { SWITCH_METRICS } from '../../switch/switch.js';
import { familiesOf, type Sample } from '../../telemetry/prometheus.js';
import { type Address, formatAddress } from '../../udp/address.js';
import { DRIVER_METRICS } from '../../udp/statistics.js';
import { parseExposition, type Reading } from './reading.js';

/** Where readings come from. A read rejects with a Failure (3) that names the address, and may be tried again. */
export interface ReadingSource {
  readonly address: string;
  read(): Promise<Reading>;
  close(): void;
}

/** A scrape of a switch with 16,000 ports (ours). */
const MOST_BYTES = 64 * 1024 * 1024;

/** `--metrics` of any process. */
export function metricsSource(at: Address, timeoutMs: number): ReadingSource {
  const address = formatAddress(at);
  return {
    address,
    read: async () => {
      const text = await fetchText(at, { address, timeoutMs });
      const families = parseExposition(text);
      if (families.has('xpass_build_info')) return { atNs: nowNs(), families };
      throw new Failure(ExitCode.peer, `what answers at ${address} is no process of xpass with --metrics`);
    },
    close: () => {},
  };
}

function fetchText({ host, port }: Address, about: { address: string; timeoutMs: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      request.destroy();
      reject(new Failure(ExitCode.peer, `no metrics at ${about.address} (${why})`));
    };
    const signal = AbortSignal.timeout(about.timeoutMs);
    const request = get({ host, port, path: '/metrics', agent: false, signal }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MOST_BYTES) fail(`an answer of more than ${MOST_BYTES} bytes`);
      });
      response.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else fail(`status ${response.statusCode}`);
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(signal.aborted ? `${about.timeoutMs} ms` : (error.code ?? error.message)),
    );
  });
}

/** The control channel of a switch, under the names that its metrics have. */
export function controlSource(path: string, timeoutMs: number): ReadingSource {
  const families = [
    ...familiesOf(SWITCH_METRICS),
    ...familiesOf({ driver: group('Its sockets and event loop', DRIVER_METRICS) }),
  ];
  let control: SwitchControl | null = null;
  return {
    address: path,
    read: async () => {
      if (control === null || control.isClosed) control = await SwitchControl.connect({ path }, { timeoutMs });
      const [ports, driver, use] = await Promise.all([control.ports(), control.driver(), control.process()]);
      const record = { ...ports, driver };
      const samples = families.map((family) => [family.name, family.samples(record)] as const);
      return { atNs: nowNs(), families: new Map<string, readonly Sample[]>([...samples, ...processSamples(use)]) };
    },
    close: () => control?.close(),
  };
}

/** As prom-client names them. */
function processSamples({ startedAtS, cpuS, residentBytes }: ProcessUse): [string, readonly Sample[]][] {
  const values = {
    process_start_time_seconds: startedAtS,
    process_cpu_seconds_total: cpuS,
    process_resident_memory_bytes: residentBytes,
  };
  return Object.entries(values).map(([name, value]) => [name, [{ labels: {}, value }]]);
}

function nowNs(): number {
  return performance.now() * 1e6;
}
