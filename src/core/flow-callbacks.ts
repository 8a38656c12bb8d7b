// Tested by test/core/sender-flow.test.ts and test/core/receiver-flow.test.ts
import type { XpassError } from '../base/errors.js';

/** What the receiver of a flow tells whoever reads it. */
export interface FlowReader {
  /**
   * The next bytes in order. They are valid only during the call. Call `flow.release(n)` once n bytes are done with: what is not released
   * counts against the receive window and in the end holds the sender back (PROTOCOL §5.6).
   */
  onData(bytes: Uint8Array): void;
  /** The same for a stream that consists of lengths, as those of a simulation do; without it they are delivered to nobody. */
  onLength?(length: number): void;
  /** Every byte of the stream went through `onData`. */
  onEnd(): void;
  /** The last call. Null after an orderly close, in which `onEnd` came before. */
  onClosed(error: XpassError | null): void;
}

/** What the sender of a flow tells whoever writes it. */
export interface FlowWriter {
  /** The receiver has taken the flow: its first CREDIT or ACK has come. Comes once, before any other callback that follows from that frame. */
  onOpened?(): void;
  /** There is room again after `write` returned false. */
  onWritable(): void;
  /** The last call. Null: the receiver has every byte and knows that it has. */
  onClosed(error: XpassError | null): void;
}

/** Watches one flow for measurements; every call is on the hot path and must not allocate or throw. The default does nothing. */
export interface FlowObserver {
  /** A credit of the flow has come (sender) or goes out (receiver). Times of the driver's clock, ns. */
  onCredit(nowNs: number): void;
  /** An ACK of a reactive flow has come, or bytes have gone, or arrived, without a credit of the flow (sender); called last, so that it may write. */
  onAck(nowNs: number): void;
  /** A round-trip time was sampled, ns. */
  onRtt(rttNs: number): void;
}

export const NO_OBSERVER: FlowObserver = { onCredit: () => {}, onAck: () => {}, onRtt: () => {} };
