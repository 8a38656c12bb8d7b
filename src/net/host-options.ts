// Tested by test/net/host-settings.test.ts
import type { CreditClass, ShareOptions } from '../core/flow-terms.js';
import type { Address } from '../udp/address.js';
import type { DatapathChoice } from '../udp/datapath.js';
import type { Spin } from '../udp/wake-policy.js';

/** Something that people should know of, but that ends nothing: for a log. */
export interface Notice {
  /** `warn` needs somebody's attention, `debug` only who looks for a fault. */
  readonly level: 'debug' | 'info' | 'warn';
  /** Of the operating system, as `ECONNREFUSED`; absent where there is none. */
  readonly code?: string;
  /** One sentence for people. */
  readonly message: string;
}

/**
 * What a host is opened with. Names and units are those of the command line; each value may be the same text, `'1gbit'`, or a number: rates in bit/s,
 * sizes in bytes, times in milliseconds. Without `switch` hosts talk directly.
 */
export interface HostOptions {
  /** Where to listen in direct mode, as `HOST:PORT`; port 0 is any free one. Any free port of 127.0.0.1 by default. */
  listen?: string | Address;
  /** The switch to attach to, as `HOST:PORT`; port 28500 by default. */
  switch?: string | Address;
  /** Id behind the switch, 1 to 65,534; any free one by default. */
  hostId?: number;
  /** The only host to talk to: the socket is connected to it, which takes less time a datagram. */
  peer?: string | Address;
  /** Rate of this host's link in direct mode, from 1 kbit/s; unlimited by default. A switch says it otherwise. */
  rate?: number | string;
  /** Largest UDP payload of a data frame, 128 to 65,507 bytes; 1472, or the switch's, by default. */
  frameSize?: number | string;
  /** Credit algorithm for what this host receives, or window algorithm for what it opens; `steady` by default. */
  algorithm?: string;
  /** Parameters of the algorithm by their names. */
  set?: Readonly<Record<string, number>>;
  /** Jitter of the gap between credits as a part of it, 0 to 0.5; 0.02 by default. */
  jitter?: number | string;
  /** Send the first bytes of a burst before its first credit (PROTOCOL §12); true by default. */
  speculative?: boolean;
  /** Fill short frames with data of other flows to the same host (PROTOCOL §13); false by default. */
  fillFrames?: boolean;
  /** Whether the event loop turns while a deadline is near; `auto` by default. */
  spin?: Spin;
  /** `mmsg` needs Linux, the optional package koffi and the main thread; `auto`, the default, is `mmsg` where it is and else `dgram`. */
  datapath?: DatapathChoice;
  /** Data that may queue for this host, as time on its link; `'none'` for no bound. Default: 1.5 ms behind a switch, else 1.3 to 4 ms by the rate. */
  queueBound?: number | string;
  /** Key file, made by `xpass key new`: a secret that all hosts share, or this host's identity. Frames are sealed with it. */
  key?: string;
  /** With an identity: file of those whom this host talks to, a name and a public key a line. */
  peers?: string;
  /** File with the secret that host and switch share; `key` by default. */
  switchKey?: string;
  /** Allows to listen beyond loopback without a key; false by default. */
  insecure?: boolean;
  /** Largest weight that a flow to this host gets, 1 to 255; 16 by default. */
  maxWeight?: number;
  /** How long a peer or switch has for its first answer; 5 s by default. */
  connectTimeout?: number | string;
  /** How long a peer may be silent before it counts as lost; 10 s by default. */
  idleTimeout?: number | string;
  /** Bytes of a flow that this host holds at most until they are read; 4 MiB by default. */
  receiveWindow?: number | string;
  /** Bytes that all flows to this host hold together at most, for readers and beyond holes; 256 MiB by default. */
  heldMemory?: number | string;
  /** Gives up opening. */
  signal?: AbortSignal;
  /** Called with what a log should have. Must not throw. */
  onNotice?(notice: Notice): void;
}

/** Of one stream, at either end. */
export interface StreamOptions {
  /** The writing side stays open when the peer has ended; false by default, as in `node:net`. */
  allowHalfOpen?: boolean;
  /** Bytes that wait to be read before credits are held back; 64 KiB by default. */
  readableHighWaterMark?: number;
  /** Bytes that wait to be taken by the flow before `write` returns false; 64 KiB by default. */
  writableHighWaterMark?: number;
}

/** Of the streams that peers open. */
export interface ServeOptions extends StreamOptions {
  /** Streams that are open at once, this host's own among them, before further ones are refused; 10,000 by default. */
  maxStreams?: number;
}

/** Of a flow that this host opens. */
export interface FlowOptions {
  /** Window algorithm of the flow; credits by default, or what the host was opened with. */
  algorithm?: string;
  /** Parameters of that algorithm. */
  set?: Readonly<Record<string, number>>;
  /** Share of a bottleneck against that of a flow of weight 1, 1 to 255; 1 by default (PROTOCOL §4.9). */
  weight?: number;
  /** Class of its credits; `high` by default (PROTOCOL §9.8). */
  class?: CreditClass;
}

/** Of a stream that this host opens. */
export interface ConnectOptions extends StreamOptions, FlowOptions {
  /** Gives the stream up: it is destroyed with an AbortError. */
  signal?: AbortSignal;
}

/** The same as `Host.openSender` takes it. */
export function flowShare({ weight, creditClass }: ShareOptions): FlowOptions {
  return { ...(weight !== undefined && { weight }), ...(creditClass !== undefined && { class: creditClass }) };
}
