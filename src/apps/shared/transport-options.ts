import { ALGORITHM_NAMES } from '../../core/algorithms.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { MAX_WEIGHT } from '../../core/flow-terms.js';
import { DATAPATH_KINDS } from '../../udp/datapath.js';
import { MAX_FRAME_BYTES, MAX_HOST_ID, MIN_FRAME_BYTES } from '../../wire/layout.js';
import { address } from './address-kind.js';
import { flag, mapOption, type OptionValues, option, optionalOption } from './options.js';
import { duration, formatDuration, fraction, rate, size } from './quantities.js';
import { choice, decimal, integer, type ValueKind } from './value-kind.js';

/** Where daemons and switches listen unless told otherwise (ours; both in the range that IANA leaves free for users). */
export const DEFAULT_DAEMON_PORT = 47_000;
export const DEFAULT_SWITCH_PORT = 47_100;

/**
 * Data that may queue for a host, as part of its paths' shortest RTT, where that is longer than `--queue-bound`. Processes that wake a
 * millisecond or two late keep 2 to 4 ms of data in the NIC of the
 * sender: on a path of 20 ms a bound of 1.3 ms left a fifth of the link idle (docs/decisions/0007-late-processes.md). Ours.
 */
export const QUEUE_BOUND_RTTS = 1 / 4;

/** A time, or `none` for what the credits' meters let through, as in the papers. */
const QUEUE_BOUND: ValueKind<number> = {
  allowed: `${duration().allowed}, or none`,
  parse: (text) => (text === 'none' ? Number.POSITIVE_INFINITY : duration().parse(text)),
  format: (boundNs) => (boundNs === Number.POSITIVE_INFINITY ? 'none' : formatDuration(boundNs)),
};

/** The options of every command that has an endpoint: `xpass daemon`, `send` and `perf`. */
export const TRANSPORT_OPTIONS = {
  switch: optionalOption(address({ port: DEFAULT_SWITCH_PORT }), {
    describe: 'attach to this switch; without it, hosts talk directly',
  }),
  hostId: optionalOption(integer({ lowest: 1, highest: MAX_HOST_ID }), {
    describe: "this host's id behind the switch; any free one without it",
  }),
  rate: option(rate({ unlimited: true, lowest: 1_000 }), {
    describe: "rate of this host's link in direct mode; behind a switch it is the switch that says it",
    defaultText: 'unlimited',
  }),
  frameSize: optionalOption(size({ lowest: MIN_FRAME_BYTES, highest: MAX_FRAME_BYTES }), {
    describe: 'largest UDP payload of a data frame; 1472 or what the switch says without it',
  }),
  algorithm: optionalOption(choice(ALGORITHM_NAMES), {
    describe: `credit algorithm for the flows that this host receives, or window algorithm for those that it opens; ${DEFAULT_CONFIG.creditAlgorithm} without it`,
    alias: 'C',
  }),
  set: mapOption(decimal({ lowest: Number.NEGATIVE_INFINITY }), {
    describe: 'a parameter of the algorithm, as initial_rate=0.4',
  }),
  jitter: option(fraction({ highest: 0.5 }), {
    describe: 'jitter of the gap between credits',
    alias: 'j',
    defaultText: String(DEFAULT_CONFIG.jitter),
  }),
  speculative: flag({
    describe: 'begin flows with data before the first credit; the network drops it before anything else',
  }),
  fillFrames: flag({
    describe: 'fill frames that would be short with data of other flows to the same host',
  }),
  spin: option(choice(['never', 'auto', 'always']), {
    describe: 'turn the event loop while a deadline is near: exact, at the price of a core',
    defaultText: 'auto',
  }),
  datapath: option(choice(DATAPATH_KINDS), {
    describe:
      'how datagrams are sent and received: one a system call, or many (Linux, with the optional package koffi)',
    defaultText: 'dgram',
  }),
  queueBound: option(QUEUE_BOUND, {
    describe:
      'data that may queue for this host, as time on its link, or a quarter of the shortest RTT where that is longer',
    defaultText: '1.3ms',
  }),
  maxWeight: option(integer({ lowest: 1, highest: MAX_WEIGHT }), {
    describe: 'largest weight that a flow to this host gets, whatever its sender asks for',
    defaultText: String(DEFAULT_CONFIG.maxWeight),
  }),
  connectTimeout: option(duration({ lowest: 1e6 }), {
    describe: 'how long a peer or switch has for its first answer',
    defaultText: formatDuration(DEFAULT_CONFIG.connectTimeoutNs),
  }),
  idleTimeout: option(duration({ lowest: 1e6 }), {
    describe: 'how long a peer may be silent before it counts as lost',
    defaultText: formatDuration(DEFAULT_CONFIG.idleTimeoutNs),
  }),
  receiveWindow: option(size({ lowest: 65_536, highest: 2 ** 30 }), {
    describe: 'bytes of a flow that its receiver holds at most',
    defaultText: '4MiB',
  }),
};

export type TransportValues = OptionValues<typeof TRANSPORT_OPTIONS>;
