// Tested by test/core/flow-record.test.ts

/**
 * The times and rates of one flow that every packet changes, side by side in an array that many flows share.
 *
 * V8 keeps a number that is not a small integer in an object of its own, so each of them would be another cache line, wherever the garbage collector has put
 * it. With 1,024 receivers a credit then met some fifty lines and nearly as many pages that no cache held. Here they are three lines in a row.
 */
export interface FlowRecord {
  readonly numbers: Float64Array;
  /** Where the flow's numbers begin in `numbers`. */
  readonly at: number;
}

/** Place of each number in a record, from `at`. Times in ns. A flow is a sender's or a receiver's, so these two share places. */
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

  /** Of CreditWatch. */
  sinceNs: 4,
  lastCreditNs: 5,
  creditGapNs: 6,
  /** Of Probe. */
  probeSentNs: 7,
  /** Of SenderFlow. */
  idleSinceNs: 8,
} as const;

/** Two cache lines of 64 bytes. */
export const RECORD_NUMBERS = 16;
/** Records made at once. A flow that lives long keeps so many in memory, 4 KiB. */
const CHUNK_RECORDS = 32;

/** Hands out records. They are never given back: a chunk goes when the last of its flows does. */
export class FlowRecords {
  private chunk = new Float64Array(0);
  private used = 0;

  /** A record of zeros. */
  take(): FlowRecord {
    if (this.used === this.chunk.length) this.newChunk();
    const record = { numbers: this.chunk, at: this.used };
    this.used += RECORD_NUMBERS;
    return record;
  }

  /** The first ones are few, for the many hosts that have a flow or two. */
  private newChunk(): void {
    const records = this.chunk.length === 0 ? 2 : CHUNK_RECORDS;
    this.chunk = new Float64Array(records * RECORD_NUMBERS);
    this.used = 0;
  }
}

/** A record that nothing else shares. */
export function ownRecord(): FlowRecord {
  return { numbers: new Float64Array(RECORD_NUMBERS), at: 0 };
}
