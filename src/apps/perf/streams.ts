// Tested by test/apps/perf/document.test.ts
import type { Direction } from '../../services/perf/messages.js';
import { lostFrames, type PerfReport } from './report.js';

/** A flow of data as iperf3 shows it. */
export interface Stream {
  /** iperf3 shows file descriptors, the first of which is 5. */
  readonly socket: number;
  /** This side sends it. */
  readonly isSender: boolean;
}

const FIRST_SOCKET = 5;

/** The flows of a test as the client sees them: first those that it sends. Of an exchange the answers are counted. */
export function clientStreams(direction: Direction, flows: number): Stream[] {
  const ways = direction === 'both' ? [true, false] : [direction === 'forward' || direction === 'exchange'];
  return ways.flatMap((isSender, way) =>
    Array.from({ length: flows }, (_, at) => ({ socket: FIRST_SOCKET + 2 * (way * flows + at), isSender })),
  );
}

/** The report that has a stream, and the number of its flow there. */
export function streamOf(reports: readonly PerfReport[], at: number): { report: PerfReport; index: number } {
  const [first, second] = reports;
  const { flows } = first.request;
  return at < flows ? { report: first, index: at } : { report: second, index: at - flows };
}

interface Results {
  readonly reports: readonly PerfReport[];
  /** Of each flow that the client sends. */
  readonly retransmits: readonly number[];
}

/** Frames of a stream that were lost and sent again; null where nobody knows them apart from those of others: the server tells their sum. */
export function lostOf({ reports, retransmits }: Results, { isSender }: Stream, at: number): number | null {
  if (isSender) return retransmits[at] ?? null;
  const { report } = streamOf(reports, at);
  return report.request.flows === 1 ? lostFrames(report) : null;
}
