import { displayCount, displayPercent } from '../../base/display.js';
import { counter, group, initialValues } from '../../base/metric.js';
import { type MetricSource, metricSource } from '../../services/metrics/source.js';
import { DEFAULT_BLOCK_BYTES, type PerfRequest } from '../../services/perf/messages.js';
import type { PerfOutcome } from '../../services/perf/session.js';
import { type Reached, whereReached } from '../../services/reached.js';
import { type Document, plainJson } from '../../telemetry/document.js';
import type { Results } from '../shared/results.js';
import { bitrate, transfer } from './lines.js';
import type { PerfOptions } from './options.js';
import { goodputBps } from './report.js';
import type { ServerTest } from './server-test.js';
import type { Shares } from './shares.js';

type Parts = Pick<PerfOptions, 'json' | 'jsonStream' | 'format'>;

/** What a server counts. */
export const TEST_METRICS = {
  completedTests: counter('events', 'Tests with results'),
  failedTests: counter('events', 'Tests given up: the client was lost or ended'),
};

/** What a server says: lines for people, events, or a document for each test. docs/PERF.md */
export class ServerPrinter {
  private readonly results: Pick<Results, 'line' | 'json'>;
  private readonly options: Parts;
  private readonly counts = initialValues(TEST_METRICS);
  /** Tests under way. */
  private readonly tests = new Map<PerfRequest, ServerTest>();

  constructor(results: Pick<Results, 'line' | 'json'>, options: Parts) {
    this.results = results;
    this.options = options;
  }

  /** The server is ready: programs wait for this line. */
  listening(reached: Reached): void {
    const { address, switchAddress, hostId } = reached;
    const host = switchAddress === null ? null : hostId;
    this.say('listening', { address, switch: switchAddress, host_id: host }, () => [
      `${whereReached(reached)}, for xpass perf -c`,
    ]);
  }

  /** `test` has the intervals. */
  begin(peer: string, request: PerfRequest, test: ServerTest): void {
    this.tests.set(request, test);
    this.say('start', startOf(peer, request), () => [acceptedLine(peer, request)]);
  }

  /** What is printed here of a test that is over, for its client: lines, or the document without intervals that do not fit. */
  outputOf(outcome: PerfOutcome): string | Document {
    const { peerName, request } = outcome;
    const test = this.tests.get(request);
    test?.stop();
    if (request.output === 'text') {
      const lines = [...lastLines(test?.lines ?? []), this.outcomeLine(outcome)];
      return [acceptedLine(peerName, request), ...lines].join('\n');
    }
    const intervals = test?.documents ?? [];
    const kept = lastWithin(intervals, (interval) => JSON.stringify(interval).length);
    const omitted = intervals.length - kept.length;
    return {
      start: startOf(peerName, request),
      intervals: kept,
      end: { ...endOf(outcome), xpass: { intervals_omitted: omitted } },
    };
  }

  /** Of an interval. */
  shares(shares: Shares): void {
    const { startS, endS, clients, jain } = shares;
    const seconds = endS - startS;
    const document = {
      streams: clients.map(({ peer, bytes, share }) => ({
        start: startS,
        end: endS,
        seconds,
        bytes,
        bits_per_second: (bytes * 8) / seconds,
        xpass: { peer, share },
      })),
      sum: { start: startS, end: endS, seconds, xpass: { jain } },
    };
    this.say('interval', document, () => this.shareLines(shares));
  }

  /** For Prometheus. */
  get metrics(): MetricSource {
    return metricSource({ perf: group('Tests', TEST_METRICS) }, () => ({ perf: this.counts }));
  }

  test(outcome: PerfOutcome): void {
    if (outcome.received === null) this.counts.failedTests++;
    else this.counts.completedTests++;
    const error = outcome.received === null ? 'given up: the client is lost or has ended' : null;
    const end = endOf(outcome);
    const test = this.tests.get(outcome.request);
    this.tests.delete(outcome.request);
    test?.stop();
    if (error !== null) this.say('error', error, () => []);
    this.say('end', end, () => [this.outcomeLine(outcome)]);
    if (!this.options.json || this.options.jsonStream) return;
    const start = startOf(outcome.peerName, outcome.request);
    this.results.json({ start, intervals: test?.documents ?? [], end, ...(error !== null && { error }) });
  }

  private say(event: string, data: unknown, lines: () => string[]): void {
    const { json, jsonStream } = this.options;
    if (jsonStream) this.results.json({ event, data: plainJson(data) });
    else if (!json) for (const line of lines()) this.results.line(line);
  }

  private shareLines({ startS, endS, clients, jain }: Shares): string[] {
    const span = `${startS.toFixed(2).padStart(6)}-${endS.toFixed(2).padEnd(6)} sec`;
    const row = (id: string, bytes: number, tail: string): string =>
      `[${id}] ${span}  ${transfer(bytes, this.options.format)}  ${bitrate((bytes * 8) / (endS - startS), this.options.format)}  ${tail}`;
    const rows = clients.map(({ peer, bytes, share }, at) =>
      row(String(at + 1).padStart(3), bytes, `${displayPercent(share)} ${peer}`),
    );
    const total = clients.reduce((sum, { bytes }) => sum + bytes, 0);
    return clients.length === 1 ? rows : [...rows, row('SUM', total, `Jain ${jain.toFixed(3)}`)];
  }

  private outcomeLine({ peerName, request, received }: PerfOutcome): string {
    const what = `${WORDS[request.direction]} ${peerName}, ${flowsOf(request)}`;
    if (received === null) return `${what}: given up, the client is lost or has ended`;
    const { format } = this.options;
    const size = transfer(received.bytes, format).trim();
    const rate = bitrate(goodputBps(received), format).trim();
    return `${what}: ${size} in ${(received.durationNs / 1e9).toFixed(2)} sec, ${rate}`;
  }
}

/** Of the lines or intervals for a client, so that the message has room for the results (`MAX_MESSAGE_BYTES`). */
const MAX_OUTPUT_CHARACTERS = 32_768;

/** The last of them that fit. */
function lastWithin<T>(all: readonly T[], lengthOf: (one: T) => number): T[] {
  let left = MAX_OUTPUT_CHARACTERS;
  const from = all.findLastIndex((one) => {
    left -= lengthOf(one);
    return left < 0;
  });
  return all.slice(from + 1);
}

function lastLines(lines: readonly string[]): string[] {
  const kept = lastWithin(lines, (line) => line.length + 2);
  const omitted = lines.length - kept.length;
  return omitted === 0 ? kept : [`(${displayCount(omitted)} lines before these are left out)`, ...kept];
}

function acceptedLine(peer: string, request: PerfRequest): string {
  return `Accepted test ${request.test} from ${peer}, ${flowsOf(request)}`;
}

const WORDS = { forward: 'from', reverse: 'to', both: 'from and to', exchange: 'messages from' } as const;

function flowsOf({ flows }: PerfRequest): string {
  return flows === 1 ? '1 flow' : `${flows} flows`;
}

function startOf(peer: string, request: PerfRequest): Document {
  const { flows, direction, durationNs, bytes, omitNs } = request;
  return {
    connected: [],
    cookie: request.test,
    test_start: {
      protocol: 'UDP',
      num_streams: flows,
      blksize: request.lengthBytes ?? DEFAULT_BLOCK_BYTES,
      omit: omitNs / 1e9,
      duration: (durationNs ?? 0) / 1e9,
      bytes: (bytes ?? 0) * flows,
      blocks: 0,
      reverse: Number(direction === 'reverse'),
      bidir: Number(direction === 'both'),
      tos: 0,
      target_bitrate: request.pace?.rateBps ?? 0,
    },
    xpass: { peer, direction },
  };
}

/** By the word of the data's receiver; nothing of a test that was given up. */
function endOf({ received, sides }: PerfOutcome): Document {
  if (received === null) return {};
  const seconds = received.durationNs / 1e9;
  const sum = { start: 0, end: seconds, seconds, bytes: received.bytes, bits_per_second: goodputBps(received) };
  const lost = sides?.client?.sent?.lostFrames ?? sides?.server.sent?.lostFrames ?? null;
  return plainJson({
    streams: received.flowBytes.map((bytes, at) => ({
      receiver: { socket: 5 + 2 * at, start: 0, end: seconds, seconds, bytes, bits_per_second: (bytes * 8) / seconds },
    })),
    sum_sent: { ...sum, retransmits: lost },
    sum_received: sum,
  }) as Document;
}
