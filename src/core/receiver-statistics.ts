import { counter, gauge } from '../base/metric.js';
import { ecn, flags } from '../wire/decode.js';
import { DataFlag, Ecn } from '../wire/layout.js';

const UNCOMMON = DataFlag.repair | DataFlag.chunks;

/** What the receiver of a flow counts. Sent credits are used, unused, dropped, outstanding or lost at home. */
export const RECEIVER_METRICS = {
  bytesDelivered: counter('bytes', 'Given to the reader'),
  bytesHeld: gauge('bytes', 'Arrived and not released by the reader, those beyond a hole included'),
  dataFrames: counter('frames', 'Data frames released by a credit'),
  speculativeFrames: counter('frames', 'Data frames sent without a credit; not among dataFrames'),
  filledFrames: counter('frames', 'Data frames with chunks (PROTOCOL §3.16)'),
  chunks: counter('chunks', 'Pieces of the stream that came as chunks of filled frames'),
  repairedFrames: counter('frames', 'Data frames that the sender marked as sent again'),
  markedFrames: counter('frames', 'Data frames that arrived marked CE'),
  creditMarkedFrames: counter('frames', 'Data frames released by a credit that was marked CE'),
  disorderedFrames: counter('frames', 'Data frames that found others waiting in the reorder buffer'),
  disorderMax: gauge('frames', 'Most full frames in the reorder buffer', 'max'),
  paths: gauge('paths', 'Paths over which the credits of all flows from the peer are spread; 0 without spraying'),
  pathExclusions: counter('events', 'Times a path was left out'),
  pathReturns: counter('events', 'Times a path was taken back'),
  creditsSent: counter('credits', 'Credits issued'),
  creditsUsed: counter('credits', 'Credits echoed by data'),
  creditsUnused: counter('credits', 'Credits that reached the sender and found nothing to send'),
  creditsDropped: counter('credits', 'Credits without an answer: dropped, or their data was lost'),
  creditsOutstanding: gauge('credits', 'Credits whose fate is unknown'),
  creditsOvertaken: gauge(
    'credits',
    "Outstanding credits that the host's budget leaves out, since later ones were answered",
  ),
  creditsLostAtHome: gauge('credits', "Credits dropped by the host's own NIC and not yet counted as dropped"),
  rateBps: gauge('bit/s', 'Rate of the credits as the algorithm sets it; 0 of a reactive flow'),
  rttNs: gauge('s', 'Smoothed round-trip time; 0 before the first sample'),
  minRttNs: gauge('s', 'Shortest round-trip time; Infinity before the first sample'),
};

/** Counts of the receiver of a flow since the flow began; rates in bit/s, times in ns. docs/METRICS.md, "Receiver of a flow", has the meaning of each. */
export type ReceiverStatistics = {
  -readonly [K in keyof typeof RECEIVER_METRICS]: (typeof RECEIVER_METRICS)[K]['initial'];
};

/** Whether a data frame is neither marked, sent again nor filled. */
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
    if ((bits & DataFlag.chunks) !== 0) this.filled++;
    if (isMarked) this.marked++;
    return isMarked;
  }
}
