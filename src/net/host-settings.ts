import { duration, formatDuration, fraction, rate, size } from '../base/quantities.js';
import { choice, decimal, integer, type ValueKind } from '../base/value-kind.js';
import { ALGORITHM_NAMES } from '../core/algorithms.js';
import { DEFAULT_CONFIG } from '../core/config.js';
import { MAX_WEIGHT } from '../core/flow-terms.js';
import type { Address } from '../udp/address.js';
import { DATAPATH_KINDS, type DatapathKind } from '../udp/datapath.js';
import type { Spin } from '../udp/wake-policy.js';
import { MAX_FRAME_BYTES, MAX_HOST_ID, MIN_FRAME_BYTES } from '../wire/layout.js';
import { address } from './address-kind.js';
import type { HostOptions } from './host-options.js';
import { type DefaultedSetting, defaulted, optional, type Setting } from './settings.js';

/** Where hosts and switches listen unless told otherwise (ours; both in the range that IANA leaves free for users). */
export const DEFAULT_HOST_PORT = 47_000;
export const DEFAULT_SWITCH_PORT = 47_100;

/** A program that names no address listens on loopback at a port of the system's choice. */
const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };

/** A time, or `none` for what the credits' meters let through, as in the papers. */
const QUEUE_BOUND: ValueKind<number> = {
  allowed: `${duration().allowed}, or none`,
  parse: (text) => (text === 'none' ? Number.POSITIVE_INFINITY : duration().parse(text)),
  format: (boundNs) => (boundNs === Number.POSITIVE_INFINITY ? 'none' : formatDuration(boundNs)),
};

const SPIN: ValueKind<Spin> = choice(['never', 'auto', 'always']);
const DATAPATH: ValueKind<DatapathKind> = choice(DATAPATH_KINDS);
/** A program gives times as numbers of milliseconds, as to Node's own functions. */
const MILLISECONDS = { numberUnit: 'ms' } as const;

function setting<T>(kind: ValueKind<T>, meaning: string, more: { numberUnit?: string } = {}): Setting<T> {
  return { kind, meaning, ...more };
}

function withDefault<T>(
  defaultText: string,
  kind: ValueKind<T>,
  meaning: string,
  more: { numberUnit?: string } = {},
): DefaultedSetting<T> {
  return { kind, meaning, defaultText, ...more };
}

/** Settings of a host that are texts or numbers; flags and addresses to listen at stand in `HostSettings`. */
export const HOST_SETTINGS = {
  switch: setting(address({ port: DEFAULT_SWITCH_PORT }), 'attach to this switch; without it, hosts talk directly'),
  hostId: setting(
    integer({ lowest: 1, highest: MAX_HOST_ID }),
    "this host's id behind the switch; any free one without it",
  ),
  rate: withDefault(
    'unlimited',
    rate({ unlimited: true, lowest: 1_000 }),
    "rate of this host's link in direct mode; behind a switch it is the switch that says it",
  ),
  frameSize: setting(
    size({ lowest: MIN_FRAME_BYTES, highest: MAX_FRAME_BYTES }),
    'largest UDP payload of a data frame; 1472 or what the switch says without it',
  ),
  algorithm: setting(
    choice(ALGORITHM_NAMES),
    `credit algorithm for the flows that this host receives, or window algorithm for those that it opens; ${DEFAULT_CONFIG.creditAlgorithm} without it`,
  ),
  set: setting(decimal({ lowest: Number.NEGATIVE_INFINITY }), 'a parameter of the algorithm, as initial_rate=0.4'),
  jitter: withDefault(String(DEFAULT_CONFIG.jitter), fraction({ highest: 0.5 }), 'jitter of the gap between credits'),
  spin: withDefault('auto', SPIN, 'turn the event loop while a deadline is near: exact, at the price of a core'),
  datapath: withDefault(
    'dgram',
    DATAPATH,
    'how datagrams are sent and received: one a system call, or many (Linux, with the optional package koffi)',
  ),
  queueBound: withDefault(
    '1.3ms',
    QUEUE_BOUND,
    'data that may queue for this host, as time on its link, or a quarter of the shortest RTT where that is longer',
    MILLISECONDS,
  ),
  maxWeight: withDefault(
    String(DEFAULT_CONFIG.maxWeight),
    integer({ lowest: 1, highest: MAX_WEIGHT }),
    'largest weight that a flow to this host gets, whatever its sender asks for',
  ),
  connectTimeout: withDefault(
    formatDuration(DEFAULT_CONFIG.connectTimeoutNs),
    duration({ lowest: 1e6 }),
    'how long a peer or switch has for its first answer',
    MILLISECONDS,
  ),
  idleTimeout: withDefault(
    formatDuration(DEFAULT_CONFIG.idleTimeoutNs),
    duration({ lowest: 1e6 }),
    'how long a peer may be silent before it counts as lost',
    MILLISECONDS,
  ),
  receiveWindow: withDefault(
    '4MiB',
    size({ lowest: 65_536, highest: 2 ** 30 }),
    'bytes of a flow that its receiver holds at most',
  ),
};

/** Meanings of the settings that are flags. */
export const HOST_FLAGS = {
  speculative: 'begin flows with data before the first credit; the network drops it before anything else',
  fillFrames: 'fill frames that would be short with data of other flows to the same host',
};

/** What a host is opened with: rates in bit/s, sizes in bytes, times in ns. */
export interface HostSettings {
  readonly switch: Address | undefined;
  readonly hostId: number | undefined;
  readonly rate: number;
  readonly frameSize: number | undefined;
  readonly algorithm: string | undefined;
  readonly set: Readonly<Record<string, number>>;
  readonly jitter: number;
  readonly speculative: boolean;
  readonly fillFrames: boolean;
  readonly spin: Spin;
  readonly datapath: DatapathKind;
  readonly queueBound: number;
  readonly maxWeight: number;
  readonly connectTimeout: number;
  readonly idleTimeout: number;
  readonly receiveWindow: number;
}

/** Where a host is bound, or whom its socket is connected to. */
export interface HostPlace {
  readonly listen?: Address;
  readonly peer?: Address;
}

/** The settings that a program's options mean. Throws XpassError `config` that names the option, its value and what is allowed. */
export function hostSettings(options: HostOptions): HostSettings {
  const { switch: switchAddress, set = {} } = options;
  for (const [name, value] of Object.entries(set)) optional(`set.${name}`, HOST_SETTINGS.set, value);
  const S = HOST_SETTINGS;
  return {
    switch: addressOf('switch', switchAddress, S.switch),
    hostId: optional('hostId', S.hostId, options.hostId),
    rate: defaulted('rate', S.rate, options.rate),
    frameSize: optional('frameSize', S.frameSize, options.frameSize),
    algorithm: optional('algorithm', S.algorithm, options.algorithm),
    set,
    jitter: defaulted('jitter', S.jitter, options.jitter),
    // Short messages of a program go at once; docs/decisions/0022-front-door.md.
    speculative: options.speculative ?? true,
    fillFrames: options.fillFrames ?? false,
    spin: defaulted('spin', S.spin, options.spin),
    datapath: defaulted('datapath', S.datapath, options.datapath),
    queueBound: defaulted('queueBound', S.queueBound, options.queueBound),
    maxWeight: defaulted('maxWeight', S.maxWeight, options.maxWeight),
    connectTimeout: defaulted('connectTimeout', S.connectTimeout, options.connectTimeout),
    idleTimeout: defaulted('idleTimeout', S.idleTimeout, options.idleTimeout),
    receiveWindow: defaulted('receiveWindow', S.receiveWindow, options.receiveWindow),
  };
}

/** Where the options place the host. Throws XpassError `config`. */
export function hostPlace(options: HostOptions): HostPlace {
  const listen = addressOf('listen', options.listen, { kind: address(LISTEN_DEFAULTS), meaning: '' });
  const peer = addressOf('peer', options.peer, { kind: address({ port: DEFAULT_HOST_PORT }), meaning: '' });
  return { ...(listen !== undefined && { listen }), ...(peer !== undefined && { peer }) };
}

function addressOf(name: string, given: string | Address | undefined, { kind }: Setting<Address>): Address | undefined {
  const text = typeof given === 'object' ? kind.format(given) : given;
  return optional(name, { kind, meaning: '' }, text);
}
