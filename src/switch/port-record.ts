// Tested by test/switch/port.test.ts
import { type NumberRecord, RecordArena } from '../base/record-arena.js';

/**
 * Offsets in the record of a port and its link direction. Eight numbers fill a cache line: first what each frame needs on a direction, then what its port needs
 * to start it.
 */
export const PortField = {
  /** When the next frame on the line is at its far end, or may be handed over; NEVER: there is none. */
  nextArrivalNs: 0,
  /** Arrival of the latest frame that keeps its order. */
  lastArrivalNs: 1,
  /** What the fabric's heap holds for the direction. */
  deadlineNs: 2,
  /** Propagation, as far as the direction adds it. */
  linkDelayNs: 3,
  /** When the port starts its next queued frame; NEVER: none is queued. */
  nextStartNs: 4,
  creditFrames: 5,
  creditBytes: 6,
  clockNs: 7,

  busyUntilNs: 8,
  rateBps: 9,
  /** Propagation, as far as the port adds it. */
  portDelayNs: 10,
  /** The credit meter's: see credit-meter.ts. */
  meterEmptyNs: 11,
  meterBytesPerNs: 12,
  meterDepthNs: 13,
  dataFrames: 14,
  dataBytes: 15,

  controlFrames: 16,
  controlBytes: 17,
  dataQueueBytes: 18,
  dataQueueBytesMax: 19,
  /** The same since the last sample. */
  queuePeakBytes: 20,
  /** Integral of the data queue over time, byte nanoseconds, up to `integratedNs`. */
  queueArea: 21,
  integratedNs: 22,
  sinceNs: 23,

  creditQueueFrames: 24,
  creditQueueFramesMax: 25,
  ecnMarks: 26,
  duplicated: 27,
  reordered: 28,
  corrupted: 29,
  meterDepthBytes: 30,
  /** By PortDrop code. */
  drops: 31,
  creditMarks: 48,
  sprayedFrames: 49,
  lowCreditFrames: 50,
  lowCreditBytes: 51,
} as const;

/** A whole number of cache lines. */
const RECORD_DOUBLES = 56;

/** The records of the ports of one world, side by side. */
export class PortRecords extends RecordArena {
  constructor() {
    super(RECORD_DOUBLES);
  }
}

/** The record of a port that is alone. */
export function newPortRecord(): NumberRecord {
  return new PortRecords().take();
}
