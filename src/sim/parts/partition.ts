// Tested by test/sim/parts/parts.test.ts
import { directionOf } from '../../switch/shortest-paths.js';
import type { Topology } from '../../switch/topology.js';
import type { Scenario } from '../scenario.js';
import { OnlyWhole } from './only-whole.js';

/** Part of the shortest delay that a window takes. Ours: a frame sent at the end of a window arrives after it. */
const OF_DELAY = 0.999;

/** How a world is cut: each switch goes to one part, each host to that of its switch. */
export interface Partition {
  readonly parts: number;
  /** By port of a host. */
  readonly ofPort: readonly number[];
  /** By direction of a link: the parts of its sending and its other end. */
  readonly fromOf: readonly number[];
  readonly toOf: readonly number[];
  /** Time that any effect of one part takes to reach another, at the least. */
  readonly windowNs: number;
}

/** Throws OnlyWhole where links without delay or the number of switches leave nothing to cut. */
export function partitionOf(scenario: Scenario, parts: number): Partition {
  const { topology } = scenario;
  const ofNode = nodesOf(topology, parts);
  const fromOf: number[] = [];
  const toOf: number[] = [];
  topology.links.forEach(({ a, b }, index) => {
    const [ofA, ofB] = [ofNode.get(a) as number, ofNode.get(b) as number];
    fromOf[directionOf(index, true)] = toOf[directionOf(index, false)] = ofA;
    fromOf[directionOf(index, false)] = toOf[directionOf(index, true)] = ofB;
  });
  const ofPort = topology.hosts.map(({ name }) => ofNode.get(name) as number);
  if (new Set(ofNode.values()).size < parts) throw new OnlyWhole('its hosts hang on too few switches');
  const delayNs = shortestCutNs(scenario, ofNode);
  if (!(delayNs > 0)) throw new OnlyWhole('a link between its parts has no delay');
  return { parts, ofPort, fromOf, toOf, windowNs: OF_DELAY * delayNs };
}

/** By name: parts of about as many hosts, in the topology's order, and with each switch where most of its neighbours are. */
function nodesOf(topology: Topology, parts: number): ReadonlyMap<string, number> {
  const neighbours = neighboursOf(topology);
  const ofNode = new Map<string, number>();
  const { hosts } = topology;
  hosts.forEach(({ name }, port) => {
    const at = neighbours.get(name)?.[0] ?? name;
    if (!ofNode.has(at)) ofNode.set(at, Math.floor((port * parts) / hosts.length));
    ofNode.set(name, ofNode.get(at) as number);
  });
  placeOthers(topology, { neighbours, ofNode, parts });
  return ofNode;
}

interface Placing {
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
  readonly ofNode: Map<string, number>;
  readonly parts: number;
}

/** Switches without hosts, those next to placed ones first; where two parts have as many neighbours, to the one with fewer of these. */
function placeOthers({ switches }: Topology, { neighbours, ofNode, parts }: Placing): void {
  let left = switches.filter(({ name }) => !ofNode.has(name));
  const placed = new Array<number>(parts).fill(0);
  while (left.length > 0) {
    const near = left.filter(({ name }) => neighbours.get(name)?.some((other) => ofNode.has(other)));
    const found = near.map(({ name }) => {
      const links = new Array<number>(parts).fill(0);
      for (const other of neighbours.get(name) ?? []) if (ofNode.has(other)) links[ofNode.get(other) as number]++;
      const part = best(links, placed);
      placed[part]++;
      return [name, part] as const;
    });
    for (const [name, part] of found) ofNode.set(name, part);
    // A switch that nothing leads to.
    if (near.length === 0) for (const { name } of left) ofNode.set(name, 0);
    left = left.filter(({ name }) => !ofNode.has(name));
  }
}

function best(links: readonly number[], placed: readonly number[]): number {
  const most = Math.max(...links);
  const fewest = Math.min(...placed.filter((_, part) => links[part] === most));
  return links.findIndex((count, part) => count === most && placed[part] === fewest);
}

function neighboursOf({ links }: Topology): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  const add = (from: string, to: string): void => {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
  };
  for (const { a, b } of links) {
    add(a, b);
    add(b, a);
  }
  return neighbours;
}

/** Of the links between parts, whatever faults make of them. Frames that overtake others on one have to be known before their window ends. */
function shortestCutNs({ topology, faults }: Scenario, ofNode: ReadonlyMap<string, number>): number {
  const cut = topology.links.filter(({ a, b }) => ofNode.get(a) !== ofNode.get(b));
  const changes = faults.filter((fault) => fault.kind === 'link');
  const reorders = [...cut, ...changes].some(({ impairment }) => (impairment.reorderRate ?? 0) > 0);
  if (reorders) throw new OnlyWhole('a link between its parts may reorder frames');
  return Math.min(...[...cut, ...changes].map(({ port }) => port.delayNs ?? Number.POSITIVE_INFINITY));
}
