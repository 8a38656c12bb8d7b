import { ConfigError } from '../base/config-error.js';
import { size } from '../base/quantities.js';
import type { Setting } from '../base/setting.js';
import { choice, FLAG, integer, type NumberKind, text, type ValueKind } from '../base/value-kind.js';
import { ALGORITHM_CONSTANT, ALGORITHM_NAMES } from '../core/algorithms.js';
import { DEFAULT_CONFIG, ENDPOINT_SETTINGS } from '../core/config.js';
import type { Address } from '../udp/address.js';
import { address } from '../udp/address.js';
import { DATAPATH_CHOICES } from '../udp/datapath.js';
import { MAX_FRAME_BYTES, MAX_HOST_ID, MIN_FRAME_BYTES } from '../wire/layout.js';
import type { HostOptions } from './host-options.js';

/**
 * Where hosts and switches listen unless told otherwise (ours): below 32768, where Linux begins to give ports to whoever asks for any, and in
 * 28241-28588, which IANA has given to nobody (https://www.iana.org/assignments/service-names-port-numbers).
 */
export const DEFAULT_HOST_PORT = 28_400;
export const DEFAULT_SWITCH_PORT = 28_500;

/** A setting that is absent unless it is given; the meaning says what holds then. */
function optional<T>(name: string, kind: ValueKind<T>, meaning: string): Setting<T> {
  return { name, kind, meaning, source: 'ours' };
}

function defaulted<T>(name: string, kind: ValueKind<T>, value: T, meaning: string): Setting<T> & { default: T } {
  return { ...optional(name, kind, meaning), default: value };
}

const E = ENDPOINT_SETTINGS;

/**
 * The settings of a host. Options of `openHost` and of the commands follow from them; parameters of the algorithm (`set`) and the addresses to listen
 * at stand beside.
 */
export const HOST_SETTINGS = {
  switch: optional(
    'switch',
    address({ port: DEFAULT_SWITCH_PORT }),
    'attach to this switch; without it, hosts talk directly',
  ),
  hostId: optional(
    'hostId',
    integer({ lowest: 1, highest: MAX_HOST_ID }),
    "this host's id behind the switch; any free one without it",
  ),
  rate: {
    ...E.rateBps,
    meaning: "rate of this host's link in direct mode; behind a switch it is the switch that says it",
  },
  frameSize: optional(
    'frameSize',
    size({ lowest: MIN_FRAME_BYTES, highest: MAX_FRAME_BYTES }),
    `${E.frameBytes.meaning}; 1472 or what the switch says without it`,
  ),
  algorithm: optional(
    'algorithm',
    choice(ALGORITHM_NAMES),
    `credit algorithm for the flows that this host receives, or window algorithm for those that it opens; ${DEFAULT_CONFIG.creditAlgorithm} without it`,
  ),
  jitter: E.jitter,
  // Short messages go at once; docs/decisions/0038-proved-paths.md.
  speculative: defaulted(
    'speculative',
    FLAG,
    true,
    'begin flows, and go on after a rest, with data before the first credit, as much as the path has proved to carry',
  ),
  fillFrames: defaulted(
    'fillFrames',
    FLAG,
    false,
    'fill frames that would be short with data of other flows to the same host',
  ),
  spin: defaulted(
    'spin',
    choice(['never', 'auto', 'always']),
    'auto',
    'turn the event loop while a deadline is near: exact, at the price of a core',
  ),
  datapath: defaulted(
    'datapath',
    choice(DATAPATH_CHOICES),
    'auto',
    'how datagrams are sent and received: one a system call, or many (Linux, with the optional package koffi), which auto prefers',
  ),
  queueBound: optional(
    'queueBound',
    E.queueBoundNs.kind,
    'data that may queue for this host, as time on its link, or a quarter of the shortest RTT where that is longer; without it 1.5ms behind a switch, 1.3ms to 4ms in direct mode by the rate',
  ),
  key: optional(
    'key',
    text('a file'),
    'key file (xpass key new): a secret that all hosts share, or the identity of this one; frames are sealed with it',
  ),
  peers: optional(
    'peers',
    text('a file'),
    'with an identity: file of those whom this host talks to, a name and a public key a line',
  ),
  switchKey: optional('switchKey', text('a file'), 'secret that host and switch share; the key file without it'),
  insecure: defaulted(
    'insecure',
    FLAG,
    false,
    'listen beyond loopback without a key: whoever sees the network can read and forge everything',
  ),
  maxWeight: E.maxWeight,
  connectTimeout: E.connectTimeoutNs,
  idleTimeout: E.idleTimeoutNs,
  receiveWindow: E.receiveWindowBytes,
  heldMemory: E.heldMemoryBytes,
};

type Settings = typeof HOST_SETTINGS;

/** What a setting of the host means: its value, or undefined where it is not given and has no default. */
export type HostValue<K extends keyof Settings> =
  Settings[K] extends Setting<infer T> ? (Settings[K] extends { default: T } ? T : T | undefined) : never;

/** What a host is opened with: rates in bit/s, sizes in bytes, times in ns. */
export type HostSettings = { readonly [K in keyof Settings]: HostValue<K> } & {
  /** Parameters of the algorithm. */
  readonly set: Readonly<Record<string, number>>;
};

/** Where a host is bound, or whom its socket is connected to. */
export interface HostPlace {
  readonly listen?: Address;
  readonly peer?: Address;
}

/** The settings that a program's options mean. Throws a ConfigError that names the option, its value and what is allowed. */
export function hostSettings(options: HostOptions): HostSettings {
  const { set = {} } = options;
  for (const [name, value] of Object.entries(set)) settingValue(optional(`set.${name}`, ALGORITHM_CONSTANT, ''), value);
  const entries = Object.values<Setting>(HOST_SETTINGS).map((setting) => {
    return [setting.name, settingValue(setting, options[setting.name as keyof Settings])];
  });
  return { ...Object.fromEntries(entries), set };
}

/** A program that names no address listens on loopback at a port of the system's choice. */
const LISTEN = optional('listen', address({ host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true }), '');
const PEER = optional('peer', address({ port: DEFAULT_HOST_PORT }), '');

/** Where the options place the host. Throws a ConfigError. */
export function hostPlace(options: HostOptions): HostPlace {
  const listen = settingValue(LISTEN, options.listen);
  const peer = settingValue(PEER, options.peer);
  return { ...(listen !== undefined && { listen }), ...(peer !== undefined && { peer }) };
}

function settingValue<T>({ name, kind, default: usual }: Setting<T>, given: unknown): T | undefined {
  if (given === undefined) return usual;
  const value = kind.parse(textOf(kind, given));
  if (value !== undefined) return value;
  const shown = typeof given === 'object' ? textOf(kind, given) : String(given);
  throw new ConfigError(`${name} '${shown}' is not allowed; allowed: ${kind.allowed}`, [name]);
}

/**
 * Programs give texts as on the command line, numbers (of milliseconds, as to Node's own functions, where a text needs a unit of time), addresses and
 * flags.
 */
function textOf<T>(kind: ValueKind<T>, given: unknown): string {
  if (typeof given === 'string') return given;
  // Infinity has a word of its own, `unlimited` or `none`, where it is allowed.
  if (!Number.isFinite(given)) return kind.format(given as T);
  const { unit }: Partial<NumberKind> = kind as object;
  return `${given as number}${unit === 'ns' ? 'ms' : ''}`;
}
