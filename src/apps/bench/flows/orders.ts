// Tested by test/loopback/bench.test.ts

import type { Percentiles } from '../../../services/perf/histogram.js';

/** Transports that carry the same flows. */
export type Carrier = 'xpass' | 'tcp' | 'utp' | 'quic';

/** How long flows may take until they are open: a thousand a second would be done in half of it (ours). */
export const OPEN_MS = 20_000;

/** What a process of flows is; it answers with FlowsReady. */
export interface FlowsOrder {
  readonly carrier: Carrier;
  readonly role: 'sink' | 'source';
  /** Of the transport, by their long names; for xpass only. */
  readonly options: Readonly<Record<string, string>>;
  /** Whom a source sends to: an address, or a host id behind a switch. */
  readonly target: string;
  /** The gap that there should be between the credits of a flow that comes to a sink; null where nobody asks. */
  readonly idealGapNs: number | null;
  /** A sink's streams are rows of messages of this length, each of which begins with its time; null where a stream is one message. */
  readonly messageBytes: number | null;
  /** Longer streams are not among the completions that a sink tells. */
  readonly longestBytes: number | null;
}

export interface FlowsReady {
  /** Where a sink listens. */
  readonly address: string;
  /** Why there is no such transport on this machine; null where there is. */
  readonly missing: string | null;
}

/** What a process is to do next. It answers with figures. */
export type FlowsVerb =
  /** A sink: forget what has come up to now. */
  | { readonly verb: 'begin' }
  /** Nothing but to tell what has come, or gone, since it was last asked. */
  | { readonly verb: 'take' }
  /** A source: keeps `parallel` flows going for `ms`, a new one when one is over. */
  | { readonly verb: 'messages'; readonly bytes: number; readonly parallel: number; readonly ms: number }
  /** A source: sends messages on one flow for `ms`, a millisecond or more apart. */
  | { readonly verb: 'row'; readonly bytes: number; readonly ms: number }
  /** A source: opens flows up to this number, which then say nothing; those that are open are done, those that are not after 20 s have failed. */
  | { readonly verb: 'idle'; readonly flows: number }
  /** A source: sends endlessly on all the flows that it has opened, on one of its own without any. */
  | { readonly verb: 'bulk' }
  /** A source: flows come at random until the process ends. Those that find 5,000 under way have failed. */
  | { readonly verb: 'poisson'; readonly bytes: number; readonly flowsPerSecond: number; readonly seed: number };

export interface FlowsFigures {
  /** Of flows that are over: opened and told that all has arrived (source), or ended (sink). */
  readonly flows: number;
  readonly failed: number;
  /** Why any has failed since the start. */
  readonly reasons: readonly string[];
  readonly bytes: number;
  /** Since it was asked before, or since the start. */
  readonly seconds: number;
  /** From the opening of a flow by its source to the end of its stream at the sink. */
  readonly completion: Percentiles;
  readonly gaps: GapErrors | null;
}

/** How far gaps between credits are from the ideal. */
export interface GapErrors {
  readonly count: number;
  readonly deviationUs: number;
  readonly p99Us: number;
}
