// Tested by test/core/flow-record.test.ts
import { type NumberRecord, RecordArena } from '../base/record-arena.js';
import { ALGORITHM_NUMBERS } from './credit/algorithm.js';
import { SCHEDULE_NUMBERS } from './flow-schedule.js';

/**
 * Where the times and rates of one flow stand in its record, those that every packet changes. Times in ns. A flow is a sender's or a receiver's, so these two
 * share places. As fields of a dozen objects each was a heap object of its own: with 1,024 receivers a credit took up to three times as long (docs/PERF-LOG.md).
 */
export const Hot = {
  /** Of RttEstimator. */
  smoothedNs: 0,
  variationNs: 1,
  minNs: 2,
  lastHeardNs: 3,

  /** Of CreditPacer. */
  dueNs: 4,
  gapNs: 5,
  jitter: 6,
  catchUpNs: 7,
  /** Of ReceiverFlow: a COMPLETE one paces nothing any more. */
  completeNs: 7,
  /** Of CreditIssuer. */
  lastDataNs: 8,
  /** Of RateControl. */
  lastUpdateNs: 9,
  /** Of CreditMeter. */
  lastEchoSentNs: 10,
  periodStartNs: 11,
  periodEndNs: 12,
  /** Of Acknowledger. */
  ackDueNs: 13,
  lastFrameNs: 14,
  frameGapNs: 15,

  /** Of CreditWatch. */
  sinceNs: 4,
  lastCreditNs: 5,
  creditGapNs: 6,
  /** Of Probe. */
  probeSentNs: 7,
  /** Of SenderFlow. */
  idleSinceNs: 8,
  /** Of SeenWindow: 64 bits in this place and the next. */
  seen: 9,
  /** Of SenderFlow. */
  connectingSinceNs: 11,
} as const;

/** Place of each number of an endpoint in its record. */
export const HotHost = {
  /** The FlowSchedule of its flows' credits, and that of their timers. */
  creditNs: 0,
  timerNs: SCHEDULE_NUMBERS,
  /** The time of the latest input. */
  clockNs: 2 * SCHEDULE_NUMBERS,
  /** As `EndpointConfig.timerSlackNs`. */
  timerSlackNs: 2 * SCHEDULE_NUMBERS + 1,
} as const;

/** Two cache lines of 64 bytes. */
const RECORD_DOUBLES = 16;
/** Records in one array at most: flows come and go, and one that stays keeps so many in memory, 4 KiB. */
const RECORDS_IN_ARRAY = 32;

/** The records of a host's flows, or of all flows of a simulated world, and the few numbers of the endpoints themselves. */
export class FlowRecords extends RecordArena {
  /** What the flows' credit algorithms remember. */
  readonly algorithms: RecordArena;

  /** `mostInArray`: records in one array at most, which memory keeps as long as one of their flows is there. */
  constructor(mostInArray: number = RECORDS_IN_ARRAY) {
    super(RECORD_DOUBLES, mostInArray);
    this.algorithms = new RecordArena(ALGORITHM_NUMBERS, mostInArray);
  }
}

/** A record that nothing else shares. */
export function ownRecord(): NumberRecord {
  return { numbers: new Float64Array(RECORD_DOUBLES), at: 0 };
}
