// Tested by test/core/flow-record.test.ts
import { type NumberRecord, RecordArena } from '../base/record-arena.js';
import { ALGORITHM_NUMBERS } from './credit/algorithm.js';
import { CreditMemory } from './credit-memory.js';
import { SCHEDULE_NUMBERS } from './flow-schedule.js';

/**
 * The record of a flow: the times (ns) and rates that every packet changes, in a Float64Array that many flows share. As fields of a dozen objects each
 * was a heap object of its own: with 1,024 receivers a credit took up to three times as long (docs/PERF-LOG.md).
 *
 * A flow is a sender's or a receiver's. Each side has a table of places, `numbers[at + SenderPlace.sinceNs]`, and a type of record, which the other
 * side's parts do not take. The places of FlowPlace stand in both.
 */
export const FlowPlace = {
  /** RttEstimator. */
  smoothedNs: 0,
  variationNs: 1,
  minNs: 2,
  /** SenderFlow and ReceiverFlow. */
  lastHeardNs: 3,
} as const;

type FlowPlaces = typeof FlowPlace & Record<string, number>;

export const SenderPlace = {
  smoothedNs: 0,
  variationNs: 1,
  minNs: 2,
  lastHeardNs: 3,

  /** credit-watch.ts. */
  sinceNs: 4,
  lastCreditNs: 5,
  creditGapNs: 6,
  /** Probe. */
  probeSentNs: 7,
  earlierSentNs: 8,
  /** CreditedSender. */
  idleSinceNs: 9,
  /** SeenWindow: 32 bits in each. */
  seen: 10,
  seenNext: 11,
  /** SenderFlow. */
  connectingSinceNs: 12,
  stalledSinceNs: 13,
  openedNs: 14,
} as const satisfies FlowPlaces;

export const ReceiverPlace = {
  smoothedNs: 0,
  variationNs: 1,
  minNs: 2,
  lastHeardNs: 3,

  /** The pacer. */
  dueNs: 4,
  gapNs: 5,
  catchUpNs: 6,
  /** CreditIssuer. */
  lastDataNs: 7,
  /** RateControl. */
  lastUpdateNs: 8,
  /** CreditLedger. */
  lastEchoSentNs: 9,
  periodStartNs: 10,
  periodEndNs: 11,
  /** Acknowledger. */
  ackDueNs: 12,
  lastFrameNs: 13,
  frameGapNs: 14,
  /** ReceiverFlow. */
  completeNs: 15,
} as const satisfies FlowPlaces;

/** `side` exists for the compiler only: a record is made without it. */
export interface SenderRecord extends NumberRecord {
  readonly side?: 'sender';
}

export interface ReceiverRecord extends NumberRecord {
  readonly side?: 'receiver';
}

/** The record of an endpoint. */
export const EndpointPlace = {
  /** The FlowSchedule of its flows' credits, and that of their timers. */
  creditNs: 0,
  timerNs: SCHEDULE_NUMBERS,
  /** The time of the latest input. */
  clockNs: 2 * SCHEDULE_NUMBERS,
  /** As `EndpointConfig.timerSlackNs`. */
  timerSlackNs: 2 * SCHEDULE_NUMBERS + 1,
} as const;

/** Two cache lines of 64 bytes. */
export const RECORD_DOUBLES = 16;
/** Records in one array at most: a flow that stays keeps its whole array in memory, 4 KiB. */
const RECORDS_IN_ARRAY = 32;

/** The records of a host's flows, or of all flows of a simulated world, and the few numbers of the endpoints themselves. */
export class FlowRecords extends RecordArena {
  /** What the flows' credit algorithms remember. */
  readonly algorithms: RecordArena;
  readonly credits: CreditMemory;

  /** `mostInArray`: records in one array at most, which memory keeps as long as one of their flows is there. */
  constructor(mostInArray: number = RECORDS_IN_ARRAY, credits = new CreditMemory()) {
    super(RECORD_DOUBLES, mostInArray);
    this.credits = credits;
    this.algorithms = new RecordArena(ALGORITHM_NUMBERS, mostInArray);
  }
}

/** A record that nothing else shares. */
export function ownRecord(): NumberRecord {
  return { numbers: new Float64Array(RECORD_DOUBLES), at: 0 };
}
