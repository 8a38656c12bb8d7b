import {
  countedSince,
  counter,
  gauge,
  gauges,
  group,
  label,
  nullable,
  optional,
  pickValues,
  summary,
  type Values,
} from '../../base/metric.js';
import { WASTED_CREDIT_METRICS } from '../../core/credit-totals.js';
import { RECEIVER_METRICS } from '../../core/receiver-statistics.js';
import { Malformed, messageOf, readValues } from '../../telemetry/message.js';
import { LATENESS_METRICS } from '../../udp/machine-loop.js';
import { DRIVER_METRICS, type DriverStatistics } from '../../udp/statistics.js';
import { Fault } from '../file/fault.js';
import type { Message } from '../file/message.js';
import { PERCENTILE_METRICS } from './histogram.js';

/** What the receiver of the data measured: the truth about what arrived. */
export const RECEIVED_RESULTS = {
  bytes: counter('bytes', 'Payload received'),
  durationNs: gauge('s', 'From the first byte of any flow to the last'),
  frames: counter('frames', 'Data frames'),
  speculativeFrames: RECEIVER_METRICS.speculativeFrames,
  repairedFrames: RECEIVER_METRICS.repairedFrames,
  filledFrames: RECEIVER_METRICS.filledFrames,
  chunks: RECEIVER_METRICS.chunks,
  flowBytes: gauges('bytes', 'Payload of each flow'),
  markedFrames: optional(RECEIVER_METRICS.markedFrames),
  rtt: summary('From a credit to the data frame that it released; none of flows without credits', PERCENTILE_METRICS),
  rttClasses: optional(gauges('samples', 'How many of these are up to 1, 2, 4, 8, ... us')),
  creditGap: summary('Between credits of one flow on their way out', PERCENTILE_METRICS),
  credits: group('Credits of all flows by fate, those under way at the beginning included', WASTED_CREDIT_METRICS),
};

/** What the sender of the data measured. */
export const SENT_RESULTS = {
  creditGap: summary('Between credits of one flow as they arrive', PERCENTILE_METRICS),
  rtt: summary('From a data frame to its acknowledgement; only of flows without credits', PERCENTILE_METRICS),
  rttClasses: optional(gauges('samples', 'How many of these are up to 1, 2, 4, 8, ... us')),
  completion: optional(
    summary('From the writing of a block of --length to the acknowledgement of its last byte', PERCENTILE_METRICS),
  ),
  completionClasses: optional(gauges('samples', 'How many of these are up to 1, 2, 4, 8, ... us')),
  lostFrames: optional(
    nullable(counter('frames', 'Data frames taken for lost and sent again; null: an older version')),
  ),
};

/** Processor time of a process. */
export const CPU_METRICS = {
  user: counter('s', 'Time of a core in the program'),
  system: counter('s', 'Time of a core in the system'),
};

/** What one side's driver counted during the test. */
export const DRIVER_FIGURES = {
  datagramsIn: DRIVER_METRICS.datagramsIn,
  datagramsOut: DRIVER_METRICS.datagramsOut,
  bundledFramesOut: DRIVER_METRICS.bundledFramesOut,
  bundlesOut: DRIVER_METRICS.bundlesOut,
  kernelDrops: DRIVER_METRICS.kernelDrops,
  sendQueueFull: DRIVER_METRICS.sendQueueFull,
  holdOverflows: DRIVER_METRICS.holdOverflows,
  lateWakes: LATENESS_METRICS.overMillisecond,
  contentions: DRIVER_METRICS.contentions,
  frameCheck: label(DRIVER_METRICS.frameCheck.help),
};

/** Everything that one side knows of a test: `received`, `sent`, or both where data goes both ways. */
const SIDE_RESULTS = {
  algorithm: label("Credit algorithm of this side; that of the data's receiver ruled the test"),
  frameBytes: gauge('bytes', 'Frames, at most'),
  datapath: optional(label('How it moves datagrams')),
  linkBps: optional(nullable(gauge('bit/s', 'Rate of its link; null: unlimited'))),
  received: nullable(group('What arrived', RECEIVED_RESULTS)),
  sent: nullable(group('What was sent', SENT_RESULTS)),
  cpu: group('Processor time', CPU_METRICS),
  driver: nullable(group('The driver during the test', DRIVER_FIGURES)),
};

export type ReceivedResults = Readonly<Values<typeof RECEIVED_RESULTS>>;
export type SentResults = Readonly<Values<typeof SENT_RESULTS>>;
export type CpuUse = Readonly<Values<typeof CPU_METRICS>>;
export type DriverFigures = Readonly<Values<typeof DRIVER_FIGURES>>;
export type SideResults = Readonly<Values<typeof SIDE_RESULTS>>;

/** What a driver counted since `before`. */
export function driverFigures(after: DriverStatistics, before: DriverStatistics | null): DriverFigures {
  const since = before === null ? after : countedSince(DRIVER_METRICS, before, after);
  return pickValues(DRIVER_FIGURES, { ...since, lateWakes: since.lateness.overMillisecond });
}

/** Trailer of both control streams of a test. */
export function resultsMessage(results: SideResults): Message {
  return { kind: 'perf-results', ...messageOf(SIDE_RESULTS, results) };
}

/** The results in a message of a peer, every number of them checked. */
export function parseResults(message: Message, flows: number): SideResults | Fault {
  try {
    const results = readValues(SIDE_RESULTS, message);
    const { received } = results;
    if (received === null || received.flowBytes.length === flows) return results;
    throw new Malformed(`'received.flowBytes' must have ${flows} numbers`);
  } catch (error) {
    if (error instanceof Malformed)
      return new Fault('badMessage', `the peer's results make no sense: ${error.message}`);
    throw error;
  }
}
