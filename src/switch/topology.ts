import { MAX_HOST_ID } from '../wire/layout.js';
import { ConfigError, checkObject, listNames, showValue } from './config-error.js';
import {
  checkName,
  checkNumber,
  IMPAIRMENT_FIELDS,
  type NumberRule,
  PORT_FIELDS,
  pickImpairments,
  pickPortSettings,
  portConfig,
} from './field-rules.js';
import type { ImpairmentConfig } from './impairment.js';
import type { PortConfig } from './port.js';

export interface TopologyHost {
  /** 1 to 65,534. PROTOCOL §1.2 */
  id: number;
  name: string;
}

/** What a link and a trunk have in common: both directions start with these settings. */
export interface LinkSettings {
  port: PortConfig;
  impairment: Partial<ImpairmentConfig>;
}

/** A full-duplex link between two switches, or between a host and its switch. */
export interface TopologyLink extends LinkSettings {
  name: string;
  a: string;
  b: string;
}

/** A link whose other end is in another switch process, which has a trunk of the same name. PROTOCOL §8.4 */
export interface TopologyTrunk extends LinkSettings {
  name: string;
  /** The switch of this process at which the trunk ends. */
  switch: string;
  /** Where the other process receives; text for the driver, not read here. */
  address: string;
  /** Ids of the hosts that are reached through the trunk. */
  hosts: readonly number[];
}

/** By what frames choose among equal-cost paths: `path`, the default, by their path id, and by their flow where they have none; `flow` always by flow. PROTOCOL §9.4 */
export type Spread = 'flow' | 'path';

/** A checked topology: every name is known and unique, every host has one link, and every two hosts reach each other. */
export interface Topology {
  hosts: readonly TopologyHost[];
  switches: readonly { name: string }[];
  links: readonly TopologyLink[];
  trunks: readonly TopologyTrunk[];
  spread: Spread;
  /** How long a link between switches, or a trunk, is dead before switches leave it out, and live before they use it again. Infinity: never. PROTOCOL §9.4 */
  failoverDelayNs: number;
}

/** Loss of light, a switch's own route and its neighbours' take some milliseconds to tens of them (ours: docs/decisions/0021-failures.md). */
const DEFAULT_FAILOVER_DELAY_NS = 10e6;
const FAILOVER_DELAY: NumberRule = { min: 0, max: Number.POSITIVE_INFINITY };

/** Switches in one process (ours: the table of paths grows with the square, 8 MiB at this number). */
export const MAX_SWITCHES = 1024;

const TOPOLOGY_FIELDS = ['hosts', 'switches', 'links', 'trunks', 'defaults', 'spread', 'failoverDelayNs'];
const LINK_FIELDS = [...PORT_FIELDS, ...IMPAIRMENT_FIELDS];

/**
 * Checks what a topology file holds and fills in what it leaves out. The shape:
 *
 *     { hosts: [{ id, name? }], switches: [{ name }], links: [{ a, b, name?, ...settings }],
 *       trunks?: [{ name, switch, address, hosts: [id], ...settings }], defaults?: { ...settings }, spread?: 'flow' | 'path',
 *       failoverDelayNs? }
 *
 * where settings are any fields of PortConfig and ImpairmentConfig; those of `defaults` hold for every link that does not say otherwise. Host and switch
 * names share one name space; a host without a name is `h` and its id.
 * Throws a ConfigError that names the first thing that is wrong.
 */
export function checkTopology(value: unknown): Topology {
  const fields = checkObject(value, 'the topology', TOPOLOGY_FIELDS);
  const defaults = checkObject(fields.defaults ?? {}, "the topology's defaults", LINK_FIELDS);
  const hosts = list(fields.hosts, 'hosts').map(checkHost);
  const switches = list(fields.switches, 'switches').map(checkSwitch);
  const names = new Names(hosts, switches);
  const links = list(fields.links, 'links').map((link, index) => checkLink(link, index, { names, defaults }));
  const trunks = list(fields.trunks ?? [], 'trunks').map((trunk) => checkTrunk(trunk, { names, defaults }));
  checkUnique(
    'link or trunk',
    [...links, ...trunks].map(({ name }) => name),
  );
  const spread = checkSpread(fields.spread);
  const failoverDelayNs = checkFailoverDelay(fields.failoverDelayNs);
  const topology: Topology = { hosts, switches, links, trunks, spread, failoverDelayNs };
  checkSizes(topology);
  checkHostLinks(topology);
  checkReach(topology);
  return topology;
}

/** The names of nodes, for checking what links refer to. */
class Names {
  readonly hosts: ReadonlySet<string>;
  readonly switches: ReadonlySet<string>;
  readonly hostIds: ReadonlySet<number>;

  constructor(hosts: readonly TopologyHost[], switches: readonly { name: string }[]) {
    checkUnique(
      'host id',
      hosts.map(({ id }) => id),
    );
    checkUnique(
      'host or switch',
      [...hosts, ...switches].map(({ name }) => name),
    );
    this.hosts = new Set(hosts.map(({ name }) => name));
    this.switches = new Set(switches.map(({ name }) => name));
    this.hostIds = new Set(hosts.map(({ id }) => id));
  }

  checkNode(value: unknown, what: string): string {
    if (typeof value === 'string' && (this.hosts.has(value) || this.switches.has(value))) return value;
    throw new ConfigError(
      `${what} names unknown host or switch ${showValue(value)}; ` +
        `known hosts: ${listNames([...this.hosts])}; known switches: ${listNames([...this.switches])}`,
    );
  }

  checkSwitch(value: unknown, what: string): string {
    if (typeof value === 'string' && this.switches.has(value)) return value;
    throw new ConfigError(
      `${what} names unknown switch ${showValue(value)}; known switches: ${listNames([...this.switches])}`,
    );
  }
}

interface LinkContext {
  names: Names;
  defaults: Record<string, unknown>;
}

function list(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new ConfigError(`${what} of the topology is ${showValue(value)}; it has to be a list`);
}

function checkSizes({ hosts, switches, trunks }: Topology): void {
  if (hosts.length + trunks.length === 0) throw new ConfigError('the topology has no hosts; it needs at least one');
  if (switches.length === 0) throw new ConfigError('the topology has no switches; it needs at least one');
  if (switches.length > MAX_SWITCHES) {
    throw new ConfigError(`the topology has ${switches.length} switches; allowed: at most ${MAX_SWITCHES}`);
  }
}

function checkHost(value: unknown, index: number): TopologyHost {
  const what = `host ${index + 1} of the topology`;
  const fields = checkObject(value, what, ['id', 'name']);
  const id = checkHostId(fields.id, `the id of ${what}`);
  return { id, name: fields.name === undefined ? `h${id}` : checkName(fields.name, `the name of ${what}`) };
}

function checkHostId(value: unknown, what: string): number {
  return checkNumber(value, what, { min: 1, max: MAX_HOST_ID, integer: true });
}

function checkSwitch(value: unknown, index: number): { name: string } {
  const what = `switch ${index + 1} of the topology`;
  return { name: checkName(checkObject(value, what, ['name']).name, `the name of ${what}`) };
}

function checkLink(value: unknown, index: number, { names, defaults }: LinkContext): TopologyLink {
  const fields = checkObject(value, `link ${index + 1} of the topology`, ['name', 'a', 'b', ...LINK_FIELDS]);
  const name = checkName(fields.name ?? `l${index + 1}`, `the name of link ${index + 1}`);
  const what = `link '${name}'`;
  const a = names.checkNode(fields.a, what);
  const b = names.checkNode(fields.b, what);
  if (a === b) throw new ConfigError(`${what} joins '${a}' to itself; a link has two different ends`);
  if (names.hosts.has(a) && names.hosts.has(b)) {
    throw new ConfigError(`${what} joins the hosts '${a}' and '${b}'; at least one end has to be a switch`);
  }
  return { name, a, b, ...linkSettings({ ...defaults, ...fields }, what) };
}

function checkTrunk(value: unknown, { names, defaults }: LinkContext): TopologyTrunk {
  const fields = checkObject(value, 'a trunk', ['name', 'switch', 'address', 'hosts', ...LINK_FIELDS]);
  const name = checkName(fields.name, 'the name of a trunk');
  const what = `trunk '${name}'`;
  const address = fields.address;
  if (typeof address !== 'string') throw new ConfigError(`${what} has no address; it needs one as text, HOST:PORT`);
  const hosts = list(fields.hosts, `the hosts behind ${what}`).map((id) => checkHostId(id, `a host id of ${what}`));
  checkUnique(`host id behind ${what}`, hosts);
  const local = hosts.find((id) => names.hostIds.has(id));
  if (local !== undefined) {
    throw new ConfigError(
      `${what} leads to host ${local}, which this topology has itself; allowed: ids of other hosts`,
    );
  }
  const at = names.checkSwitch(fields.switch, what);
  return { name, switch: at, address, hosts, ...linkSettings({ ...defaults, ...fields }, what) };
}

function linkSettings(fields: Record<string, unknown>, what: string): LinkSettings {
  return { port: portConfig(pickPortSettings(fields, what)), impairment: pickImpairments(fields, what) };
}

function checkSpread(value: unknown): Spread {
  if (value === undefined || value === 'flow' || value === 'path') return value ?? 'path';
  throw new ConfigError(`spread of the topology is ${showValue(value)}; allowed: flow, path`);
}

function checkFailoverDelay(value: unknown): number {
  if (value === undefined) return DEFAULT_FAILOVER_DELAY_NS;
  return checkNumber(value, 'failoverDelayNs of the topology', FAILOVER_DELAY);
}

function checkUnique(what: string, values: readonly (string | number)[]): void {
  const seen = new Set<string | number>();
  for (const value of values) {
    if (seen.has(value)) throw new ConfigError(`${what} ${showValue(value)} appears twice; each has to be unique`);
    seen.add(value);
  }
}

/** A host has exactly one link, like a machine with one NIC. */
function checkHostLinks({ hosts, links }: Topology): void {
  const counts = new Map<string, number>();
  for (const { a, b } of links) {
    counts.set(a, (counts.get(a) ?? 0) + 1);
    counts.set(b, (counts.get(b) ?? 0) + 1);
  }
  for (const { name } of hosts) {
    const count = counts.get(name) ?? 0;
    if (count !== 1) throw new ConfigError(`host '${name}' has ${count} links; a host has exactly one, to a switch`);
  }
}

/** Every node can be reached from the first switch. */
function checkReach({ hosts, switches, links }: Topology): void {
  const neighbours = new Map<string, string[]>();
  for (const { name } of [...switches, ...hosts]) neighbours.set(name, []);
  for (const { a, b } of links) {
    neighbours.get(a)?.push(b);
    neighbours.get(b)?.push(a);
  }
  const first = switches[0].name;
  const reached = new Set([first]);
  for (const node of reached) for (const next of neighbours.get(node) ?? []) reached.add(next);
  const lost = [...neighbours.keys()].find((name) => !reached.has(name));
  if (lost !== undefined) {
    throw new ConfigError(`'${lost}' cannot be reached from switch '${first}'; every host and switch needs a path`);
  }
}
