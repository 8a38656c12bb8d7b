// Tested by test/switch/fabric.test.ts

import { assert } from '../base/assert.js';
import { SeededRandom } from '../base/random.js';
import { Impairment } from './impairment.js';
import { type DirectionPlace, LinkDirection } from './link-direction.js';
import type { LinkSettings } from './link-settings.js';
import { PortRecords } from './port-record.js';
import { directionOf } from './shortest-paths.js';
import type { Topology } from './topology.js';

/** Seeds of impairments have 32 bits: from here on they are the markings'. */
const MARKING_SEEDS = 2 ** 32;

export interface Directions {
  /** By number (`directionOf`): those of the links, then those of the trunks. */
  directions: LinkDirection[];
  /** By port, hosts in the topology's order and then trunks: the direction into the fabric. */
  entries: LinkDirection[];
  /** By port: the direction out of it. */
  exits: LinkDirection[];
}

export interface BuildOptions {
  topology: Topology;
  earlyNs: number;
  /** Gives each direction a seed of its own. */
  makeSeed: () => number;
}

/** Makes both directions of every link and trunk of a topology. */
export function buildDirections(options: BuildOptions): Directions {
  const { topology } = options;
  const built: Directions = { directions: [], entries: [], exits: [] };
  const switchOf = new Map(topology.switches.map(({ name }, index) => [name, index]));
  const portOf = new Map(topology.hosts.map(({ name }, port) => [name, port]));
  const names = new Set<string>();
  const records = new PortRecords();
  const nodeOf = (name: string): Node => ({ name, toSwitch: switchOf.get(name) ?? -1, port: portOf.get(name) ?? -1 });
  topology.links.forEach((link, index) => {
    const ends = { a: nodeOf(link.a), b: nodeOf(link.b) };
    addBoth(built, { link, ends, index, names, records, options });
  });
  topology.trunks.forEach((trunk, index) => {
    const outside = { name: trunk.name, toSwitch: -1, port: topology.hosts.length + index };
    const ends = { a: nodeOf(trunk.switch), b: outside };
    addBoth(built, { link: trunk, ends, index: topology.links.length + index, names, records, options });
  });
  return built;
}

interface Node {
  readonly name: string;
  /** -1 for a host, or whatever is behind a trunk. */
  readonly toSwitch: number;
  /** -1 for a switch. */
  readonly port: number;
}

interface Pair {
  readonly link: LinkSettings & { readonly name: string };
  readonly ends: { a: Node; b: Node };
  readonly index: number;
  readonly names: Set<string>;
  readonly records: PortRecords;
  readonly options: BuildOptions;
}

function addBoth(built: Directions, pair: Pair): void {
  add(built, pair, true);
  add(built, pair, false);
}

function add(built: Directions, pair: Pair, forward: boolean): void {
  const { link, ends, index, names, records, options } = pair;
  const [from, to] = forward ? [ends.a, ends.b] : [ends.b, ends.a];
  const place: DirectionPlace = {
    name: uniqueName(`${from.name}->${to.name}`, link.name, names),
    link: link.name,
    from: from.name,
    to: to.name,
    index: directionOf(index, forward),
    toSwitch: to.toSwitch,
    exitPort: to.port,
    isBetweenSwitches: !isHost(from, options) && !isHost(to, options),
    hasPort: from.port < 0,
    addsDelay: from.port < options.topology.hosts.length,
  };
  const seed = options.makeSeed();
  const impairment = new Impairment(new SeededRandom(seed));
  impairment.configure(link.impairment);
  const random = new SeededRandom(seed + MARKING_SEEDS);
  const { earlyNs } = options;
  const direction = new LinkDirection(place, { config: link.port, impairment, random, earlyNs, records });
  assert(built.directions.length === place.index, 'directions are numbered as they are made');
  built.directions.push(direction);
  if (from.port >= 0) built.entries[from.port] = direction;
  if (to.port >= 0) built.exits[to.port] = direction;
}

/** Ports of hosts come before those of trunks. */
function isHost({ port }: Node, { topology }: BuildOptions): boolean {
  return port >= 0 && port < topology.hosts.length;
}

/** Parallel links share their ends' names; the link's own tells them apart. */
function uniqueName(name: string, link: string, names: Set<string>): string {
  const unique = names.has(name) ? `${name}#${link}` : name;
  names.add(unique);
  return unique;
}
