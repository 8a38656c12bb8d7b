// Tested by test/core/window/dctcp.test.ts and test/core/window/swift.test.ts
/**
 * What a window algorithm is: it learns what an acknowledgement or a loss says of the frames sent, and says how many may be out and how far apart they
 * leave. It knows numbers only: no frames, no clock.
 */
import type { Parameter, ParameterValues } from '../../base/setting.js';

export type WindowParameter = Parameter;
export type WindowParameters = ParameterValues;

/** The sender's link as an algorithm sees it. All flows of a host share the object. Its rate may change, so read it each time. */
export interface WindowLink {
  /** Rate of the link, bit/s; finite. */
  readonly maxRateBps: number;
  /** Wire bytes of the flow's largest data frame: 1538 by default. */
  readonly frameWireBytes: number;
  /** How late the processes at its ends wake as a rule, ns: a delay of less says nothing of the path. 0 in simulations. */
  readonly latenessNs: number;
}

/** What a sample tells. */
export const WindowEvent = {
  /** A data frame has been acknowledged, alone or with others whose own acknowledgements were lost. */
  acknowledged: 0,
  /** Frames were found to be lost by what arrived after them: fast recovery begins. Once for all the losses of one round trip. RFC 6582, RFC 8985 */
  recovery: 1,
  /** Nothing was acknowledged for the retransmission time: everything that was out counts as lost. RFC 6298 section 5 */
  timeout: 2,
} as const;

/** After which `forwardNs` begins anew: 2^16 units of 100 ns. PROTOCOL §3.14 */
export const CLOCK_PERIOD_NS = 6_553_600;

/** From 0 up to the period. */
export function moduloPeriod(ns: number): number {
  return ns - CLOCK_PERIOD_NS * Math.floor(ns / CLOCK_PERIOD_NS);
}

/**
 * What an algorithm learns at a time. Fields below the first group are of the latest acknowledgement where the event is a loss.
 * The caller keeps one object and fills it again for every event.
 */
export interface WindowSample {
  /** One of `WindowEvent`. */
  event: number;
  nowNs: number;
  /** Data frames sent so far: the number of the next one. A round trip ends when the frame that was next at its beginning is acknowledged. */
  sentFrames: number;
  /** Data frames that are on their way, as far as is known. */
  inFlightFrames: number;
  /** The flow has had more to send than its window let out, since the acknowledgement before: only then does its growth mean anything (RFC 7661). */
  isWindowLimited: boolean;

  /** Data frames that this acknowledges, and their payload; 0 for a loss. */
  ackedFrames: number;
  ackedBytes: number;
  /** Number of the frame that the acknowledgement answers. */
  ackedNumber: number;
  /** 1 if that frame arrived marked CE, 0 if not. */
  markedFrames: number;
  /** From the frame's sending to its acknowledgement, ns. */
  rttNs: number;
  /** Smoothed RTT, and the least of the last 5 to 10 s, ns. */
  smoothedRttNs: number;
  minRttNs: number;
  /** For how long the frame waited at its receiver before it was acknowledged, and the acknowledgement here before it was looked at, ns. */
  remoteQueuingNs: number;
  localQueuingNs: number;
  /**
   * From the frame's sending by the clock here to its arrival by the receiver's, modulo `CLOCK_PERIOD_NS`, ns: only a difference of two says something,
   * and only of two that are near in time, since clocks drift.
   */
  forwardNs: number;
  /** Switches that the frame crossed. */
  hops: number;
}

/** The window of one flow. One object a flow; nothing is allocated per sample. */
export interface WindowAlgorithm {
  readonly name: string;
  /** Data frames that may be on their way at a time. A fraction below 1 means that one is, and that it leaves `pacingGapNs` after the one before. */
  readonly windowFrames: number;
  /** Least time between the sendings of two full data frames, ns; 0: as acknowledgements come. */
  readonly pacingGapNs: number;
  update(sample: WindowSample): void;
  /** What the algorithm remembers, by the names of the papers; for statistics and traces. Allocates. */
  state(): Record<string, number>;
}

/** An algorithm as the registry holds it. */
export interface WindowAlgorithmDefinition {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  readonly parameters: readonly WindowParameter[];
  /** `parameters` holds a valid value for each one declared. */
  create(link: WindowLink, parameters: WindowParameters): WindowAlgorithm;
}
