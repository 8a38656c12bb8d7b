// Tested by test/loopback/bench.test.ts

import type { Percentiles } from '../../shared/perf/histogram.js';

/** Who carries the streams: both give Duplexes. */
export type StreamKind = 'xpass' | 'tcp';

/** What a process of streams is: the first message to it. It answers with StreamReady. */
export interface StreamOrder {
  readonly kind: StreamKind;
  readonly role: 'server' | 'client';
  /** Largest UDP payload, of xpass only. */
  readonly frameBytes: number;
  /** Where the client finds its server. */
  readonly target: string;
  /** A server answers each request of this many bytes with as many; 0: it reads and drops. */
  readonly answerBytes: number;
}

export interface StreamReady {
  /** Where a server listens. */
  readonly address: string;
}

export type StreamVerb =
  /** A server: tell what has come since it was last asked. */
  | { readonly verb: 'take' }
  /** A client: write without end on one stream. */
  | { readonly verb: 'bulk' }
  /** A client: requests on one open stream, each once the answer to the one before is whole. */
  | { readonly verb: 'exchange'; readonly bytes: number; readonly ms: number }
  /** A client: streams one after the other, each from its opening to the first byte of the answer to its first request. */
  | { readonly verb: 'open'; readonly bytes: number; readonly ms: number };

/** What a process is to do next. It answers with the number and the figures. */
export type StreamCommand = { readonly command: number } & StreamVerb;

export interface StreamFigures {
  readonly command: number;
  readonly bytes: number;
  /** Since it was asked before, or since the start. */
  readonly seconds: number;
  /** Of requests, or openings. */
  readonly times: Percentiles;
}
