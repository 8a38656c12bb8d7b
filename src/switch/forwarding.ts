import { destinationHost, flowId, pathId, sourceHost } from '../wire/decode.js';
import type { Topology } from './topology.js';

/** `Routes.find`: the destination is not in the topology. */
const NOT_FOUND = -1;
export const NO_ROUTE = NOT_FOUND;
/** `Routes.hop`: the frame is at its last switch and leaves by its exit port. */
export const EXIT = -1;
/** Where `hops` says EXIT at once. */
const EXIT_OFFSET = 0;

/** The path id of a frame that goes where its flow goes. PROTOCOL §2.4 */
const NO_PATH = 0;
/** Equal-cost paths that are kept between two switches: as many as a path id can tell apart. PROTOCOL §2.4 */
const MAX_PATHS = 255;

/** Hops that there is room for at first: the table doubles as pairs of switches are met. */
const INITIAL_HOPS = 1024;

const HOST_IDS = 65_536;
const UNKNOWN_HOST = -1;
const NOT_LOOKED_FOR = -1;

/**
 * The same for both directions of a flow (PROTOCOL §9.4). The mixing is MurmurHash3's over two words (Austin Appleby, public domain): every bit of
 * the ids and of the flow id moves about half of the result's.
 */
export function flowHash(hostA: number, hostB: number, flow: number): number {
  const hosts = hostA < hostB ? (hostA << 16) | hostB : (hostB << 16) | hostA;
  let hash = mixWord(mixWord(0, hosts), flow) ^ 8;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixWord(hash: number, word: number): number {
  word = Math.imul(word, 0xcc9e2d51);
  word = Math.imul((word << 15) | (word >>> 17), 0x1b873593);
  hash ^= word;
  return (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
}

/** The number of a link's direction: a link of index i has 2i from `a` to `b` and 2i + 1 back; trunks follow the links. */
export function directionOf(linkIndex: number, forward: boolean): number {
  return 2 * linkIndex + (forward ? 0 : 1);
}

interface Neighbour {
  readonly node: number;
  readonly direction: number;
}

/**
 * Which way frames go through the switches of one topology. Between two switches all shortest paths count as equal; a frame takes the one that
 * its path id picks, or its flow's hash where it has none or the topology spreads by flow. Paths are numbered once for each pair of switches and used in
 * both directions, so the way back is the way out in reverse whatever the topology, which a choice made anew at each switch would not give.
 * Ports are numbered as in `Fabric`: hosts in the topology's order, then trunks.
 */
export class Routes {
  private readonly spreadsByPath: boolean;
  private readonly switchCount: number;
  private readonly neighbours: Neighbour[][];
  private readonly switchOfPort: number[];
  /** By host id: its port; UNKNOWN_HOST; or -2 - i for the set i of the trunks that lead to it. */
  private readonly portOfHost = new Int32Array(HOST_IDS).fill(UNKNOWN_HOST);
  private readonly trunkSets: number[][] = [];
  /** By pair of switches: how many paths, how many hops each has, and where in `hops` the first starts. */
  private readonly pathCounts: Int16Array;
  private readonly pathHops: Int16Array;
  private readonly pathStarts: Int32Array;
  /** Directions in the order that a frame takes them, EXIT after each path; `hopCount` are in use, the first at EXIT_OFFSET. */
  private hops = new Int32Array(INITIAL_HOPS).fill(EXIT);
  private hopCount = 1;

  constructor(topology: Topology) {
    const indexOf = new Map(topology.switches.map(({ name }, index) => [name, index]));
    const count = topology.switches.length;
    this.spreadsByPath = topology.spread === 'path';
    this.switchCount = count;
    this.pathCounts = new Int16Array(count * count).fill(NOT_LOOKED_FOR);
    this.pathHops = new Int16Array(count * count);
    this.pathStarts = new Int32Array(count * count);
    this.neighbours = findNeighbours(topology, indexOf);
    this.switchOfPort = findSwitches(topology, indexOf);
    topology.hosts.forEach(({ id }, port) => {
      this.portOfHost[id] = port;
    });
    this.addTrunks(topology);
  }

  /** The port at which host `id` is attached here; -1 where the topology has no such host, or has it behind a trunk. */
  localPort(id: number): number {
    const port = this.portOfHost[id];
    return port < 0 ? UNKNOWN_HOST : port;
  }

  /** Whether frames of host `id` may come in by the trunk at `port`. */
  isBehind(id: number, port: number): boolean {
    const set = this.portOfHost[id];
    return set < UNKNOWN_HOST && this.trunkSets[-2 - set].includes(port);
  }

  /** Index of the switch at which a port is. */
  switchAt(port: number): number {
    return this.switchOfPort[port];
  }

  /** Offset of the frame's first hop from switch `at` to its exit port, or NO_ROUTE. Each further hop is at the next offset. */
  find(bytes: Uint8Array, at: number, exit: number = this.exitPort(bytes)): number {
    if (exit < 0) return NOT_FOUND;
    const last = this.switchOfPort[exit];
    if (last === at) return EXIT_OFFSET;
    const pair = at * this.switchCount + last;
    if (this.pathCounts[pair] === NOT_LOOKED_FOR) this.discover(at, last);
    const count = this.pathCounts[pair];
    const path = count === 1 ? 0 : this.choosePath(bytes, count);
    return this.pathStarts[pair] + path * (this.pathHops[pair] + 1);
  }

  /** The direction to take at this offset; EXIT: the exit port. */
  hop(offset: number): number {
    return this.hops[offset];
  }

  /** The port by which the frame leaves this process; -1: its destination is unknown. */
  exitPort(bytes: Uint8Array): number {
    const port = this.portOfHost[destinationHost(bytes)];
    if (port >= UNKNOWN_HOST) return port;
    const trunks = this.trunkSets[-2 - port];
    return trunks.length === 1 ? trunks[0] : trunks[this.choice(bytes) % trunks.length];
  }

  private choice(bytes: Uint8Array): number {
    const path = pathId(bytes);
    if (path !== NO_PATH && this.spreadsByPath) return path - 1;
    return flowHash(sourceHost(bytes), destinationHost(bytes), flowId(bytes));
  }

  /** What the choice of trunks leaves of the choice picks the path: else the two would go together. */
  private choosePath(bytes: Uint8Array, count: number): number {
    const spent = this.fanOut(sourceHost(bytes)) * this.fanOut(destinationHost(bytes));
    return Math.floor(this.choice(bytes) / spent) % count;
  }

  private fanOut(host: number): number {
    const port = this.portOfHost[host];
    return port < UNKNOWN_HOST ? this.trunkSets[-2 - port].length : 1;
  }

  /** Trunks to one host are tried in the order of their names, which the processes at both ends share. */
  private addTrunks({ hosts, trunks }: Topology): void {
    const sorted = trunks.map(({ name, hosts: ids }, index) => ({ name, ids, port: hosts.length + index }));
    sorted.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { ids, port } of sorted) {
      for (const id of ids) {
        if (this.portOfHost[id] === UNKNOWN_HOST) this.portOfHost[id] = -2 - (this.trunkSets.push([]) - 1);
        this.trunkSets[-2 - this.portOfHost[id]].push(port);
      }
    }
  }

  /** Numbers the paths between two switches, in both directions, the first time that a frame needs one. */
  private discover(from: number, to: number): void {
    const low = Math.min(from, to);
    const high = Math.max(from, to);
    const paths = shortestPaths(this.neighbours, low, high);
    this.store(low, high, paths);
    this.store(
      high,
      low,
      paths.map((path) => path.map((direction) => direction ^ 1).reverse()),
    );
  }

  private store(from: number, to: number, paths: readonly number[][]): void {
    const pair = from * this.switchCount + to;
    this.pathCounts[pair] = paths.length;
    this.pathHops[pair] = paths[0].length;
    this.pathStarts[pair] = this.hopCount;
    this.makeRoom(paths.length * (paths[0].length + 1));
    for (const path of paths) {
      this.hops.set(path, this.hopCount);
      this.hopCount += path.length + 1;
    }
  }

  /** New room holds EXIT, which ends each path. */
  private makeRoom(hops: number): void {
    let length = this.hops.length;
    while (length < this.hopCount + hops) length *= 2;
    if (length === this.hops.length) return;
    const grown = new Int32Array(length).fill(EXIT, this.hopCount);
    grown.set(this.hops.subarray(0, this.hopCount));
    this.hops = grown;
  }
}

/** By switch: the links to other switches, ordered by neighbour and then as the topology lists them. */
function findNeighbours({ switches, links }: Topology, indexOf: ReadonlyMap<string, number>): Neighbour[][] {
  const neighbours: Neighbour[][] = switches.map(() => []);
  links.forEach(({ a, b }, index) => {
    const from = indexOf.get(a);
    const to = indexOf.get(b);
    if (from === undefined || to === undefined) return;
    neighbours[from].push({ node: to, direction: directionOf(index, true) });
    neighbours[to].push({ node: from, direction: directionOf(index, false) });
  });
  for (const list of neighbours) list.sort((x, y) => x.node - y.node || x.direction - y.direction);
  return neighbours;
}

/** By port: the switch that it is at. */
function findSwitches({ hosts, links, trunks }: Topology, indexOf: ReadonlyMap<string, number>): number[] {
  const portOf = new Map(hosts.map(({ name }, port) => [name, port]));
  const switches = new Array<number>(hosts.length).fill(NOT_FOUND);
  for (const { a, b } of links) {
    const port = portOf.get(a) ?? portOf.get(b);
    if (port !== undefined) switches[port] = indexOf.get(portOf.has(a) ? b : a) ?? NOT_FOUND;
  }
  return [...switches, ...trunks.map((trunk) => indexOf.get(trunk.switch) ?? NOT_FOUND)];
}

/** Every shortest path, at most MAX_PATHS, as directions; depth first over the links that come nearer. */
function shortestPaths(neighbours: readonly Neighbour[][], from: number, to: number): number[][] {
  const distances = distancesTo(neighbours, to);
  const paths: number[][] = [];
  const path: number[] = [];
  const visit = (node: number): void => {
    if (node === to) paths.push([...path]);
    for (const next of neighbours[node]) {
      if (distances[next.node] !== distances[node] - 1 || paths.length === MAX_PATHS) continue;
      path.push(next.direction);
      visit(next.node);
      path.pop();
    }
  };
  visit(from);
  return paths;
}

/** Breadth first: how many links each switch is from `to`. */
function distancesTo(neighbours: readonly Neighbour[][], to: number): Int32Array {
  const distances = new Int32Array(neighbours.length).fill(neighbours.length);
  distances[to] = 0;
  const queue = [to];
  for (const node of queue) {
    for (const next of neighbours[node]) {
      if (distances[next.node] <= distances[node] + 1) continue;
      distances[next.node] = distances[node] + 1;
      queue.push(next.node);
    }
  }
  return distances;
}
