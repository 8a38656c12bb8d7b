import {
  creditSequence,
  dataCreditSequence,
  destinationHost,
  flowId,
  frameType,
  pathId,
  sourceHost,
} from '../wire/decode.js';
import { FrameType } from '../wire/layout.js';
import { findNeighbours, linkOf, type Neighbour, shortestPaths } from './shortest-paths.js';
import type { Topology } from './topology.js';

/** `Routes.find`: the destination is not in the topology, or no link leads there. */
export const NO_ROUTE = -1;
/** `Routes.hop`: the frame is at its last switch and leaves by its exit port. */
export const EXIT = -1;
/** The first hop of a path that has a dead link. */
const DEAD = -2;
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
const NO_LINKS: ReadonlySet<number> = new Set();
/** Bits of the flow's hash that choose a substitute: the upper half, since the lower ones have chosen the path. */
const SUBSTITUTE_SHIFT = 16;

/** Hash of a flow, equal in both directions (PROTOCOL §9.4). Mixes two words as MurmurHash3 does (Austin Appleby, public domain). */
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

/**
 * Paths of frames through one topology. All shortest paths between two switches count as equal; the path id picks one, or the flow's hash without one. Paths
 * are numbered per pair of switches, so the way back is the way out in reverse.
 *
 * Live paths keep their numbers when others die (`useWithout`); choices of a dead path go by the flow's hash (docs/decisions/0021-failures.md).
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
  /** Pairs with a place in `hops`, in the order of their places. */
  private readonly found: number[] = [];
  /** Subtracted from offsets. Each change of the live links raises it above every offset of before. */
  private base = 0;
  /** Times that the live links changed. */
  changes = 0;
  /** Links, and trunks behind them, that are not used. */
  private dead = NO_LINKS;
  private isWhole = true;
  /** By pair of switches with dead paths: the numbers of the live ones. */
  private readonly substitutes = new Map<number, readonly number[]>();
  /** Ports before the trunks', and links. */
  private readonly hostCount: number;
  private readonly linkCount: number;

  constructor(topology: Topology) {
    const indexOf = new Map(topology.switches.map(({ name }, index) => [name, index]));
    const count = topology.switches.length;
    this.spreadsByPath = topology.spread === 'path';
    this.switchCount = count;
    this.hostCount = topology.hosts.length;
    this.linkCount = topology.links.length;
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

  /** Numbers the paths anew without the links, by index, in `dead`; trunks come behind the links. Offsets of before become stale. */
  useWithout(dead: ReadonlySet<number>): void {
    this.dead = new Set(dead);
    this.isWhole = dead.size === 0;
    this.changes++;
    this.substitutes.clear();
    this.pathCounts.fill(NOT_LOOKED_FOR);
    this.base += this.hopCount + 1;
    this.hops.fill(EXIT, 0, this.hopCount);
    this.hopCount = 1;
    this.found.length = 0;
  }

  /** The offset was found before the live links changed, or NO_ROUTE was. */
  isStale(offset: number): boolean {
    return offset < this.base;
  }

  /** Offset of the frame's first hop from switch `at` to its exit port, or NO_ROUTE. Each further hop is at the next offset. */
  find(bytes: Uint8Array, at: number, exit: number = this.exitPort(bytes)): number {
    if (exit < 0) return NO_ROUTE;
    const last = this.switchOfPort[exit];
    if (last === at) return this.base + EXIT_OFFSET;
    const pair = at * this.switchCount + last;
    if (this.pathCounts[pair] === NOT_LOOKED_FOR) this.discover(at, last);
    const count = this.pathCounts[pair];
    if (count === 0) return NO_ROUTE;
    const path = count === 1 ? 0 : this.choosePath(bytes, count);
    const step = this.pathHops[pair] + 1;
    const start = this.pathStarts[pair];
    if (this.isWhole || this.hops[start + path * step] !== DEAD) return this.base + start + path * step;
    return this.base + start + this.substitute(bytes, this.substitutes.get(pair) as readonly number[]) * step;
  }

  /** The direction to take at this offset; EXIT: the exit port. */
  hop(offset: number): number {
    return this.hops[offset - this.base];
  }

  /** The pair of switches whose paths hold an offset that is not stale. Unlike offsets, pairs and places do not depend on what was looked for before. */
  pairOf(offset: number): number {
    const { found, pathStarts } = this;
    let [low, high] = [0, found.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (pathStarts[found[middle]] <= offset - this.base) low = middle;
      else high = middle - 1;
    }
    return found[low];
  }

  /** The offset from where the pair's paths begin. */
  placeIn(pair: number, offset: number): number {
    return offset - this.base - this.pathStarts[pair];
  }

  /** The offset at a place in the paths of a pair. */
  offsetAt(pair: number, place: number): number {
    if (this.pathCounts[pair] === NOT_LOOKED_FOR)
      this.discover(Math.floor(pair / this.switchCount), pair % this.switchCount);
    return this.base + this.pathStarts[pair] + place;
  }

  /** The port by which the frame leaves this process; -1: its destination is unknown. */
  exitPort(bytes: Uint8Array): number {
    const port = this.portOfHost[destinationHost(bytes)];
    if (port >= UNKNOWN_HOST) return port;
    const trunks = this.trunkSets[-2 - port];
    const trunk = trunks.length === 1 ? trunks[0] : trunks[this.choice(bytes) % trunks.length];
    return this.isWhole || this.isLiveTrunk(trunk) ? trunk : this.substituteTrunk(bytes, trunks);
  }

  private isLiveTrunk(port: number): boolean {
    return !this.dead.has(this.linkCount + port - this.hostCount);
  }

  private substituteTrunk(bytes: Uint8Array, trunks: readonly number[]): number {
    const live = trunks.filter((port) => this.isLiveTrunk(port));
    return this.substitute(bytes, live.length === 0 ? trunks : live);
  }

  /** One of `live`, by the flow's hash. A credit with a path id and its data go by its sequence number too: all live paths share what a dead one had. */
  private substitute(bytes: Uint8Array, live: readonly number[]): number {
    const hash = flowHash(sourceHost(bytes), destinationHost(bytes), flowId(bytes)) >>> SUBSTITUTE_SHIFT;
    const isSprayed = this.spreadsByPath && pathId(bytes) !== NO_PATH;
    return live[(hash + (isSprayed ? sequenceOf(bytes) : 0)) % live.length];
  }

  private choice(bytes: Uint8Array): number {
    const path = pathId(bytes);
    if (path !== NO_PATH && this.spreadsByPath) return path - 1;
    return flowHash(sourceHost(bytes), destinationHost(bytes), flowId(bytes));
  }

  /** What the choice of trunks leaves of the choice picks the path: else the two would go together. */
  private choosePath(bytes: Uint8Array, count: number): number {
    const spent = this.fanOut(sourceHost(bytes)) * this.fanOut(destinationHost(bytes));
    // `| 0`: V8 keeps `Frame.port`, which this becomes part of, on the heap once it has come from a division.
    return (Math.floor(this.choice(bytes) / spent) % count) | 0;
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
    const ends = { from: low, to: high, most: MAX_PATHS };
    let paths = shortestPaths(this.neighbours, ends);
    if (paths.every((path) => this.isDead(path))) {
      const others = shortestPaths(this.liveNeighbours(), ends);
      if (others.length > 0) paths = others;
    }
    this.store(low, high, paths);
    this.store(
      high,
      low,
      paths.map((path) => path.map((direction) => direction ^ 1).reverse()),
    );
  }

  private isDead(path: readonly number[]): boolean {
    return !this.isWhole && path.some((direction) => this.dead.has(linkOf(direction)));
  }

  private liveNeighbours(): Neighbour[][] {
    return this.neighbours.map((list) => list.filter(({ direction }) => !this.dead.has(linkOf(direction))));
  }

  private store(from: number, to: number, paths: readonly number[][]): void {
    const pair = from * this.switchCount + to;
    this.pathCounts[pair] = paths.length;
    if (paths.length === 0) return;
    this.pathHops[pair] = paths[0].length;
    this.pathStarts[pair] = this.hopCount;
    this.found.push(pair);
    this.makeRoom(paths.length * (paths[0].length + 1));
    const live = [...paths.keys()].filter((index) => !this.isDead(paths[index]));
    // With none left all are used: one that is back carries frames before the failover delay is over.
    const isLeftOut = (path: readonly number[]) => live.length > 0 && this.isDead(path);
    for (const path of paths) {
      this.hops.set(path, this.hopCount);
      if (isLeftOut(path)) this.hops[this.hopCount] = DEAD;
      this.hopCount += path.length + 1;
    }
    if (!this.isWhole) this.substitutes.set(pair, live);
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

/** That of a credit, or of the credit that released the data; 0 for every other frame. */
function sequenceOf(bytes: Uint8Array): number {
  const type = frameType(bytes);
  if (type === FrameType.credit) return creditSequence(bytes);
  return type === FrameType.data ? dataCreditSequence(bytes) : 0;
}

/** By port: the switch that it is at. */
function findSwitches({ hosts, links, trunks }: Topology, indexOf: ReadonlyMap<string, number>): number[] {
  const portOf = new Map(hosts.map(({ name }, port) => [name, port]));
  const switches = new Array<number>(hosts.length).fill(NO_ROUTE);
  for (const { a, b } of links) {
    const port = portOf.get(a) ?? portOf.get(b);
    if (port !== undefined) switches[port] = indexOf.get(portOf.has(a) ? b : a) ?? NO_ROUTE;
  }
  return [...switches, ...trunks.map((trunk) => indexOf.get(trunk.switch) ?? NO_ROUTE)];
}
