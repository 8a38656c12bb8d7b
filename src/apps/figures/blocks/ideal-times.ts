import { SeededRandom } from '../../../base/random.js';
import { maxMinShares } from '../../../sim/measure/max-min.js';
import type { SimulationResult, SimulationRun } from '../../../sim/result.js';
import { payloadBps } from './payload.js';

/** A flow of a world without delays, credits and losses. */
export interface IdealFlow {
  readonly startNs: number;
  readonly bytes: number;
  /** Indices of the links that it crosses, each once. */
  readonly path: readonly number[];
}

/** A flow under way. */
type Active = { readonly index: number; readonly path: readonly number[]; leftBits: number };

/**
 * Completion time of each flow under max-min fair shares at each moment, ns: the reference for ways to choose paths. `capacitiesBps` is by link,
 * `flows` are in the order of their starts. A rate control that does not know sizes does little better.
 */
export function idealTimes(capacitiesBps: readonly number[], flows: readonly IdealFlow[]): Float64Array {
  const times = new Float64Array(flows.length);
  let active: Active[] = [];
  let nowNs = 0;
  for (let next = 0; next < flows.length || active.length > 0; ) {
    const shares = maxMinShares(
      capacitiesBps,
      active.map(({ path }) => path),
    );
    const endNs = nowNs + 1e9 * Math.min(...active.map(({ leftBits }, at) => leftBits / shares[at]));
    const startNs = next < flows.length ? flows[next].startNs : Number.POSITIVE_INFINITY;
    const untilNs = Math.min(endNs, startNs);
    active.forEach((flow, at) => {
      flow.leftBits -= (shares[at] * (untilNs - nowNs)) / 1e9;
    });
    nowNs = untilNs;
    if (startNs <= endNs) active.push({ index: next, path: flows[next].path, leftBits: 8 * flows[next++].bytes });
    else active = withoutDone(active, shares, (index) => (times[index] = nowNs - flows[index].startNs));
  }
  return times;
}

/** Rounded times leave a rest where a flow ends: what takes less than this is none, s. At 10 s a double is exact to 2e-15 s. */
const NO_TIME_S = 1e-12;

function withoutDone(active: readonly Active[], shares: Float64Array, done: (index: number) => void): Active[] {
  return active.filter(({ index, leftBits }, at) => {
    const isDone = leftBits <= shares[at] * NO_TIME_S;
    if (isDone) done(index);
    return !isDone;
  });
}

/** Leaves, spines and hosts with their rates, for `idealTimes`. */
type IdealFabric = { readonly hosts: number; readonly hostsPerLeaf: number; readonly spines: number; readonly edgeBps: number; readonly coreBps: number };

/** The links of a leaf-spine fabric, and the paths of flows through it, from host to host by number from 0. */
export class IdealLeafSpine {
  readonly capacitiesBps: readonly number[];
  private readonly fabric: IdealFabric;
  /** Links between a leaf and the spines that a flow tells apart: one, if it takes all spines at once. */
  private readonly ways: number;
  private readonly random = new SeededRandom(1);

  /** `spread`: over all spines, else each flow takes one at random, as by a hash. */
  constructor(fabric: IdealFabric, spread: boolean) {
    this.fabric = fabric;
    this.ways = spread ? 1 : fabric.spines;
    const { hosts, hostsPerLeaf, edgeBps, coreBps, spines } = fabric;
    const coreLinks = 2 * this.ways * Math.ceil(hosts / hostsPerLeaf);
    this.capacitiesBps = [...new Array<number>(2 * hosts).fill(edgeBps), ...new Array<number>(coreLinks).fill((coreBps * spines) / this.ways)];
  }

  path(from: number, to: number): number[] {
    const { hosts, hostsPerLeaf } = this.fabric;
    const leaves = [from, to].map((host) => Math.floor(host / hostsPerLeaf));
    const edges = [2 * from, 2 * to + 1];
    if (leaves[0] === leaves[1]) return edges;
    const way = Math.floor(this.random.next() * this.ways);
    const core = leaves.map((leaf, direction) => 2 * hosts + 2 * (leaf * this.ways + way) + direction);
    return [...edges, ...core];
  }
}

/** Before a flow's first data is there the request, the credit and the data each cross the network once. */
const CROSSINGS = 3;

/**
 * `idealTimes` for the flows of a run over a leaf-spine fabric with frames of 1472 B, ns, ascending; over all spines where credits were sprayed.
 * `oneWayNs`: time of a frame through the empty network.
 */
export function idealTimesOf({ result }: SimulationRun, hostsPerLeaf: number, oneWayNs: number): Float64Array {
  const net = new IdealLeafSpine(fabricOf(result, hostsPerLeaf), result.algorithm.startsWith('spraypass'));
  const flows = [...result.flows]
    .sort((a, b) => a.startNs - b.startNs)
    .map(({ startNs, bytes, src, dst }) => ({ startNs, bytes: bytes ?? 0, path: net.path(place(src), place(dst)) }));
  return idealTimes(net.capacitiesBps, flows)
    .map((timeNs) => timeNs + CROSSINGS * oneWayNs)
    .sort();
}

/** Rates are what the links carry of payload, beside credits and headers. */
function fabricOf({ links }: SimulationResult, hostsPerLeaf: number): IdealFabric {
  const named = (pattern: RegExp) => links.filter(({ name }) => pattern.test(name));
  const [edges, uplinks] = [named(/^h\d+->leaf/), named(/^leaf1->spine/)];
  return {
    hosts: edges.length,
    hostsPerLeaf,
    spines: uplinks.length,
    edgeBps: payloadBps(edges[0].rateBps ?? Number.POSITIVE_INFINITY),
    coreBps: payloadBps(uplinks[0].rateBps ?? Number.POSITIVE_INFINITY),
  };
}

/** Hosts of a built-in topology are h1, h2, ... */
function place(host: string): number {
  return Number(host.slice(1)) - 1;
}
