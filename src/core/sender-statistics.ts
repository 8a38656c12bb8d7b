/** What the sender of a flow has counted since the flow began; offsets and counts in bytes, times in ns. */
export interface SenderStatistics {
  bytesWritten: number;
  bytesSent: number;
  bytesAcknowledged: number;
  bytesRepaired: number;
  /** Data frames with bytes that were sent before: each is one that was lost, or taken for it. */
  framesRepaired: number;
  dataFrames: number;
  /** Sent without a credit, and those of them that the host's own NIC dropped. */
  speculativeFrames: number;
  speculativeTakenBack: number;
  /** Pieces of the stream that went in frames of other flows. */
  chunks: number;
  creditsReceived: number;
  creditsUnused: number;
  /** Those that wait for data just now. */
  creditsKept: number;
  requests: number;
  stops: number;
  rttNs: number;
  /** Congestion window of a reactive flow, in frames; 0 of another. */
  windowFrames: number;
}
