import { ecn, flags } from '../wire/decode.js';
import { DataFlag, Ecn } from '../wire/layout.js';

/** What the receiver of a flow has counted since the flow began; rates in bit/s, times in ns. */
export interface ReceiverStatistics {
  bytesDelivered: number;
  bytesHeld: number;
  dataFrames: number;
  repairedFrames: number;
  /** Arrived marked CE themselves. */
  markedFrames: number;
  /** Released by a credit that had been marked CE. */
  creditMarkedFrames: number;
  creditsSent: number;
  creditsUsed: number;
  creditsUnused: number;
  creditsDropped: number;
  creditsOutstanding: number;
  /** Dropped by the host's own NIC, and not yet among the dropped: sent = used + unused + dropped + outstanding + these. */
  creditsLostAtHome: number;
  rateBps: number;
  rttNs: number;
  minRttNs: number;
}

/** Data frames of a flow, by kind. */
export class ReceivedFrames {
  data = 0;
  repaired = 0;
  marked = 0;
  creditMarked = 0;

  /** Counts a data frame; true if it arrived marked. */
  count(bytes: Uint8Array): boolean {
    const isMarked = ecn(bytes) === Ecn.congestionExperienced;
    const bits = flags(bytes);
    this.data++;
    if ((bits & DataFlag.repair) !== 0) this.repaired++;
    if ((bits & DataFlag.creditCe) !== 0) this.creditMarked++;
    if (isMarked) this.marked++;
    return isMarked;
  }
}
