import { ConfigError, listNames, type Path, showValue, within } from '../base/config-error.js';
import { duration } from '../base/quantities.js';
import { checkFields, checkValue, row, settingTable } from '../base/setting.js';
import { choice, integer, type NumberKind, orWord } from '../base/value-kind.js';
import { MAX_HOST_ID } from '../wire/layout.js';
import { checkName, type LinkFields, type LinkSettings, linkSettings } from './link-settings.js';

export interface TopologyHost {
  /** 1 to 65,534. PROTOCOL §1.2 */
  readonly id: number;
  readonly name: string;
}

/** A full-duplex link between two switches, or between a host and its switch. */
export interface TopologyLink extends LinkSettings {
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

/** A link whose other end is in another switch process, which has a trunk of the same name. PROTOCOL §8.4 */
export interface TopologyTrunk extends LinkSettings {
  readonly name: string;
  /** The switch of this process at which the trunk ends. */
  readonly switch: string;
  /** Where the other process receives; text for the driver, not read here. */
  readonly address: string;
  /** Ids of the hosts that are reached through the trunk. */
  readonly hosts: readonly number[];
}

/**
 * By what frames choose among equal-cost paths: `path`, the default, by their path id, and by their flow where they have none; `flow` always by flow.
 * PROTOCOL §9.4
 */
export type Spread = 'flow' | 'path';

/** A checked topology: every name is known and unique, every host has one link, and every two hosts reach each other. */
export interface Topology {
  readonly hosts: readonly TopologyHost[];
  readonly switches: readonly { readonly name: string }[];
  readonly links: readonly TopologyLink[];
  readonly trunks: readonly TopologyTrunk[];
  readonly spread: Spread;
  /** How long a link between switches, or a trunk, is dead before switches leave it out, and live before they use it again. Infinity: never. PROTOCOL §9.4 */
  readonly failoverDelayNs: number;
}

/** What `checkTopology` takes. Whatever is left out gets a name or the default. */
export interface TopologyDraft {
  readonly hosts: readonly { readonly id: number; readonly name?: string | undefined }[];
  readonly switches: readonly { readonly name: string }[];
  readonly links: readonly LinkDraft[];
  readonly trunks?: readonly TrunkDraft[];
  /** Settings of every link that does not say otherwise. */
  readonly defaults?: LinkFields;
  readonly spread?: Spread | undefined;
  readonly failoverDelayNs?: number | undefined;
}

export type LinkDraft = { readonly a: string; readonly b: string; readonly name?: string | undefined } & LinkFields;
export type TrunkDraft = Omit<TopologyTrunk, keyof LinkSettings> & LinkFields;

export const HOST_ID: NumberKind = integer({ lowest: 1, highest: MAX_HOST_ID });

/** Switches in one process (ours: the table of paths grows with the square, 8 MiB at this number). */
export const MAX_SWITCHES = 1024;

type Routing = Pick<Topology, 'spread' | 'failoverDelayNs'>;

/** Loss of light, a switch's own route and its neighbours' take some milliseconds to tens of them (ours: docs/decisions/0021-failures.md). */
const DEFAULT_ROUTING: Routing = { spread: 'path', failoverDelayNs: 10e6 };

/** The settings of a topology besides its hosts, switches and links. */
export const TOPOLOGY_SETTINGS = settingTable<Routing>(DEFAULT_ROUTING, {
  spread: row(
    'spread',
    choice(['flow', 'path']),
    'how frames choose among equal paths: all by the hash of their flow, or those with a path id by it',
    'PROTOCOL §9.4',
  ),
  failoverDelayNs: row(
    'failoverDelay',
    orWord(duration(), 'never', Number.POSITIVE_INFINITY),
    'how long a link between switches is dead before paths avoid it, and live before they use it again',
    'ours: docs/decisions/0021-failures.md',
  ),
});

/**
 * Checks references and fills in names: `h` and the id for hosts, `l` and a number from 1 for links. Hosts and switches share one name space. Throws a
 * ConfigError with the path of the first fault.
 */
export function checkTopology(draft: TopologyDraft): Topology {
  const { hosts: hostDrafts, switches, defaults = {} } = draft;
  const hosts = hostDrafts.map(checkHost);
  for (const [index, { name }] of switches.entries())
    checkName(name, `name of switch ${index + 1}`, ['switches', index, 'name']);
  const names = new Names(hosts, switches);
  const links = draft.links.map((link, index) => names.link(link, index, defaults));
  const trunks = (draft.trunks ?? []).map((trunk, index) => names.trunk(trunk, index, defaults));
  checkUnique('link or trunk', [...named('links', links), ...named('trunks', trunks)]);
  const routing = { ...DEFAULT_ROUTING, ...checkFields(TOPOLOGY_SETTINGS, draft, 'the topology') };
  const topology: Topology = { hosts, switches, links, trunks, ...routing };
  checkSizes(topology);
  checkHostLinks(topology);
  checkReach(topology);
  return topology;
}

/** What has to be unique, and where it stands. */
type Placed = readonly [value: string | number, path: Path];

function named(key: string, things: readonly { readonly name: string }[]): Placed[] {
  return things.map(({ name }, index) => [name, [key, index]]);
}

function checkUnique(what: string, placed: readonly Placed[]): void {
  const seen = new Set<string | number>();
  for (const [value, path] of placed) {
    if (seen.has(value))
      throw new ConfigError(`${what} ${showValue(value)} appears twice; each has to be unique`, path);
    seen.add(value);
  }
}

function checkHost({ id, name }: TopologyDraft['hosts'][number], index: number): TopologyHost {
  const path = ['hosts', index];
  checkValue(HOST_ID, id, `id of host ${index + 1}`, path);
  return { id, name: checkName(name ?? `h${id}`, `name of host ${index + 1}`, path) };
}

/** The names of nodes, for checking what links refer to. */
class Names {
  private readonly hosts: ReadonlySet<string>;
  private readonly switches: ReadonlySet<string>;
  private readonly hostIds: ReadonlySet<number>;

  constructor(hosts: readonly TopologyHost[], switches: readonly { readonly name: string }[]) {
    checkUnique(
      'host id',
      hosts.map(({ id }, index): Placed => [id, ['hosts', index]]),
    );
    checkUnique('host or switch', [...named('hosts', hosts), ...named('switches', switches)]);
    this.hosts = new Set(hosts.map(({ name }) => name));
    this.switches = new Set(switches.map(({ name }) => name));
    this.hostIds = new Set(hosts.map(({ id }) => id));
  }

  link({ a, b, name: given, ...fields }: LinkDraft, index: number, defaults: LinkFields): TopologyLink {
    const path: Path = ['links', index];
    const name = checkName(given ?? `l${index + 1}`, `name of link ${index + 1}`, path);
    const what = `link '${name}'`;
    const problem = this.endProblem(a, b);
    if (problem !== null) throw new ConfigError(`${what} ${problem}`, path);
    return { name, a, b, ...within(path, () => linkSettings({ ...defaults, ...fields }, what)) };
  }

  trunk(draft: TrunkDraft, index: number, defaults: LinkFields): TopologyTrunk {
    const { name, switch: at, address, hosts, ...fields } = draft;
    const path: Path = ['trunks', index];
    const what = `trunk '${checkName(name, `name of trunk ${index + 1}`, path)}'`;
    for (const id of hosts) checkValue(HOST_ID, id, `host id of ${what}`, [...path, 'hosts']);
    checkUnique(
      `host id behind ${what}`,
      hosts.map((id): Placed => [id, [...path, 'hosts']]),
    );
    const local = hosts.find((id) => this.hostIds.has(id));
    if (local !== undefined) {
      const sentence = `${what} leads to host ${local}, which this topology has itself; allowed: ids of other hosts`;
      throw new ConfigError(sentence, [...path, 'hosts']);
    }
    if (!this.switches.has(at))
      throw new ConfigError(`${what} names unknown switch ${showValue(at)}; ${this.known()}`, path);
    return { name, switch: at, address, hosts, ...within(path, () => linkSettings({ ...defaults, ...fields }, what)) };
  }

  private endProblem(a: string, b: string): string | null {
    const unknown = [a, b].find((end) => !this.hosts.has(end) && !this.switches.has(end));
    if (unknown !== undefined) {
      const hosts = listNames([...this.hosts]);
      return `names unknown host or switch ${showValue(unknown)}; known hosts: ${hosts}; ${this.known()}`;
    }
    if (a === b) return `joins '${a}' to itself; a link has two different ends`;
    const isOfHosts = this.hosts.has(a) && this.hosts.has(b);
    return isOfHosts ? `joins the hosts '${a}' and '${b}'; at least one end has to be a switch` : null;
  }

  private known(): string {
    return `known switches: ${listNames([...this.switches])}`;
  }
}

function checkSizes({ hosts, switches, trunks }: Topology): void {
  if (hosts.length + trunks.length === 0) throw new ConfigError('the topology has no hosts; it needs at least one');
  if (switches.length === 0) throw new ConfigError('the topology has no switches; it needs at least one');
  if (switches.length <= MAX_SWITCHES) return;
  throw new ConfigError(`the topology has ${switches.length} switches; allowed: at most ${MAX_SWITCHES}`, ['switches']);
}

/** A host has exactly one link, like a machine with one NIC. */
function checkHostLinks({ hosts, links }: Topology): void {
  const counts = new Map<string, number>();
  for (const end of links.flatMap(({ a, b }) => [a, b])) counts.set(end, (counts.get(end) ?? 0) + 1);
  for (const [index, { name }] of hosts.entries()) {
    const count = counts.get(name) ?? 0;
    if (count === 1) continue;
    const sentence = `host '${name}' has ${count} links; a host has exactly one, to a switch`;
    throw new ConfigError(sentence, ['hosts', index]);
  }
}

/** Every node can be reached from the first switch. */
function checkReach({ hosts, switches, links }: Topology): void {
  const nodes = [...named('switches', switches), ...named('hosts', hosts)];
  const neighbours = new Map<string | number, string[]>(nodes.map(([name]) => [name, []]));
  for (const { a, b } of links) {
    neighbours.get(a)?.push(b);
    neighbours.get(b)?.push(a);
  }
  const first = switches[0].name;
  const reached = new Set<string | number>([first]);
  for (const node of reached) for (const next of neighbours.get(node) ?? []) reached.add(next);
  const lost = nodes.find(([name]) => !reached.has(name));
  if (lost === undefined) return;
  const [name, path] = lost;
  throw new ConfigError(`'${name}' cannot be reached from switch '${first}'; every host and switch needs a path`, path);
}
