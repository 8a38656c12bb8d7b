// Tested by test/scenario/play/watch.test.ts
import type { XpassError } from '../base/errors.js';
import type { Frame } from '../wire/frame.js';

/** A flow as whoever traces it sees it. */
export interface TracedFlow {
  readonly peer: number;
  readonly id: number;
  readonly state: number;
  /** Those of a sender or a receiver. */
  readonly statistics: object;
}

/** Hears of the flows of an endpoint; whoever is traced by nobody has null in its place. */
export interface FlowTrace {
  /** The frame goes to the NIC; it was due at `frame.atNs`. */
  sent(frame: Frame): void;
  /** The host's own NIC has dropped it. */
  takenBack(frame: Frame, nowNs: number): void;
  /** The flow has done all that a frame for it asks. */
  received(flow: TracedFlow, frame: Frame, nowNs: number): void;
  /** A timer of the flow has fired. */
  fired(flow: TracedFlow, nowNs: number): void;
  closed(flow: TracedFlow, error: XpassError | null): void;
}
