/** What the sender of a flow has counted since the flow began; offsets and counts in bytes, times in ns. */
export interface SenderStatistics {
  /** Taken from the program. */
  bytesWritten: number;
  /** Sent for the first time. */
  bytesSent: number;
  /** The receiver's host has them. */
  bytesAcknowledged: number;
  /** Sent again. */
  bytesRepaired: number;
  /** Data frames with bytes that were sent before: each is one that was lost, or taken for it. */
  framesRepaired: number;
  /** Data frames sent, repairs included. */
  dataFrames: number;
  /** Sent without a credit. */
  speculativeFrames: number;
  /** Of the speculative frames, those that the host's own NIC dropped. */
  speculativeTakenBack: number;
  /** Pieces of the stream that went in frames of other flows. */
  chunks: number;
  /** Credits that came. */
  creditsReceived: number;
  /** Credits that found nothing to send. */
  creditsUnused: number;
  /** Those that wait for data just now. */
  creditsKept: number;
  /** CREDIT_REQUEST frames sent. */
  requests: number;
  /** CREDIT_STOP frames sent. */
  stops: number;
  /** Smoothed round-trip time, ns; 0 before the first sample. */
  rttNs: number;
  /** Congestion window of a reactive flow, in frames; 0 of another. */
  windowFrames: number;
}
