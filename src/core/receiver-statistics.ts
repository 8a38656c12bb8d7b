import { ecn, flags } from '../wire/decode.js';
import * as layout from '../wire/layout.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { DataFlag, Ecn } = layout;

const UNCOMMON = DataFlag.repair | DataFlag.creditCe | DataFlag.chunks;

/** What the receiver of a flow has counted since the flow began; rates in bit/s, times in ns. */
export interface ReceiverStatistics {
  /** Given to the reader. */
  bytesDelivered: number;
  /** Arrived and not released by the reader, those beyond a hole included. */
  bytesHeld: number;
  /** Data frames that came with a credit. */
  dataFrames: number;
  /** Arrived without a credit; not among the others. */
  speculativeFrames: number;
  /** Of the data frames, those that were filled. PROTOCOL §3.16 */
  filledFrames: number;
  /** Pieces of the stream that came in filled frames beside the payload of a frame. */
  chunks: number;
  /** Data frames that the sender had marked as sent again. */
  repairedFrames: number;
  /** Arrived marked CE themselves. */
  markedFrames: number;
  /** Released by a credit that had been marked CE. */
  creditMarkedFrames: number;
  /** Data frames at whose arrival others waited in the reorder buffer: see disorder.ts. */
  disorderedFrames: number;
  /** The most full frames that waited in the reorder buffer. */
  disorderMax: number;
  /** Paths that the credits of all flows from its peer are spread over; 0 where they are not spread. */
  paths: number;
  /** Times that a path was left out. */
  pathExclusions: number;
  /** Times that a path was taken back. */
  pathReturns: number;
  /** Credits issued. */
  creditsSent: number;
  /** Credits that came back with data. */
  creditsUsed: number;
  /** Credits that reached the sender and found nothing to send. */
  creditsUnused: number;
  /** Credits that did not arrive. */
  creditsDropped: number;
  /** Credits whose fate is not known. */
  creditsOutstanding: number;
  /** Of those outstanding: their peer has answered later ones, so the host's budget does not count them. */
  creditsOvertaken: number;
  /** Dropped by the host's own NIC, and not yet among the dropped: sent = used + unused + dropped + outstanding + these. */
  creditsLostAtHome: number;
  /** Rate of the credits, as the algorithm sets it, bit/s; 0 of a reactive flow. */
  rateBps: number;
  /** Smoothed round-trip time, ns; 0 before the first sample. */
  rttNs: number;
  /** Shortest round-trip time, ns; Infinity before the first sample. */
  minRttNs: number;
}

/** Whether a data frame is neither marked, sent again, filled nor released by a marked credit. */
export function isPlain(bytes: Uint8Array): boolean {
  return (flags(bytes) & UNCOMMON) === 0 && ecn(bytes) !== Ecn.congestionExperienced;
}

/** Frames of a flow that are not plain data frames in order, by kind: most flows of thousands never have one. */
export class UncommonFrames {
  speculative = 0;
  filled = 0;
  chunks = 0;
  repaired = 0;
  marked = 0;
  creditMarked = 0;
  disordered = 0;
  disorderMax = 0;

  /** The frame counted last met so much disorder. */
  countDisorder(degree: number): void {
    this.disordered++;
    if (degree > this.disorderMax) this.disorderMax = degree;
  }

  /** Counts a data frame; true if it arrived marked. */
  count(bytes: Uint8Array): boolean {
    const isMarked = ecn(bytes) === Ecn.congestionExperienced;
    const bits = flags(bytes);
    if ((bits & DataFlag.repair) !== 0) this.repaired++;
    if ((bits & DataFlag.creditCe) !== 0) this.creditMarked++;
    if ((bits & DataFlag.chunks) !== 0) this.filled++;
    if (isMarked) this.marked++;
    return isMarked;
  }
}
