import { MICROSECOND_NS, MILLISECOND_NS } from '../../base/time.js';
import { builtinTopology } from '../../switch/builtin-topologies.js';
import { checkTopology, type Topology } from '../../switch/topology.js';
import { Dice } from '../fuzz/dice.js';
import type { Scenario, TrafficSpec } from '../scenario.js';
import { networkScenario, networkTopology } from './network-scenario.js';
import { type Ends, fitted, type LinkDraft, type NetworkSize } from './network-size.js';

/** Rates and round trips of the networks that a law is judged on, from a slow site to the fastest data centre (ours). */
const RATES_BPS = { least: 100e6, most: 100e9 };
const RTTS_NS = { least: 10 * MICROSECOND_NS, most: 20 * MILLISECOND_NS };
/** How far apart the rates of the links of one network may lie, and their delays. */
const RATE_SPREADS = [1, 4, 10, 100, 1000];
const DELAY_SPREAD = 100;
const LOSSY_LINKS = 1 / 3;
const MOST_LOSS = 0.03;
const FLOWS = { least: 2, most: 64 };
/** Of the flows, those that leave in the first half, and those that come in it and stay. */
const LEAVING = 0.25;
const COMING = 0.25;
/** Parts of the run: leaving flows start within the first and would end after as much again at their max-min shares; others come within the second. */
const LEAVE_PART = 0.1;
const COME_PART = 0.25;
/** Names of groups: flows that are there in all of the measured half, and those that left before. */
export const Group = { stays: 'stays', comes: 'comes', leaves: 'leaves' } as const;

/** A network that nobody chose, without an algorithm. */
export interface RandomNetwork {
  readonly shape: string;
  readonly scenario: Scenario;
  /** The longest of its flows' round trips through empty queues. */
  readonly rttNs: number;
}

/**
 * The network of a seed: 2 to 64 flows over 1 to 8 switches; links of 100 Mbit/s to 100 Gbit/s, RTTs of 10 us to 20 ms, loss of 0 to 3 % on a third of the
 * links. A quarter of the flows comes later, a quarter comes and leaves, in the first half; the second half is measured.
 */
export function randomNetwork(seed: number): RandomNetwork {
  const dice = new Dice(seed);
  const [shape, skeleton] = randomShape(dice);
  const drafts = randomLinks(dice, skeleton);
  const ends = randomEnds(dice, shape, skeleton);
  const longestNs = dice.spread(RTTS_NS.least, RTTS_NS.most);
  const size = fitted(skeleton, { drafts, ends, longestNs, leastRateBps: RATES_BPS.least });
  const traffic = ends.map((pair, flow) => randomFlow(dice, pair, { flow, size }));
  const { drafts: links, rttNs, durationNs } = size;
  const topology = networkTopology(skeleton, links, rttNs);
  const scenario = networkScenario(seed, { topology, traffic, rttNs, durationNs, warmUpNs: durationNs / 2 });
  return { shape, rttNs, scenario };
}

function randomShape(dice: Dice): [string, Topology] {
  switch (dice.whole(0, 5)) {
    case 0:
      return shaped('star', { hosts: dice.whole(2, 32) });
    case 1:
      return shaped('dumbbell', { pairs: dice.whole(1, 24) });
    case 2:
      return shaped('parking-lot', { bottlenecks: dice.whole(2, 7) });
    case 3:
      return shaped('leaf-spine', {
        leaves: dice.whole(2, 4),
        spines: dice.whole(1, 4),
        hostsPerLeaf: dice.whole(1, 6),
      });
    case 4:
      return shaped('fat-tree', {
        pods: dice.whole(2, 4),
        coreSwitches: 2 * dice.whole(1, 2),
        aggregationPerPod: 2,
        torsPerPod: 2,
        hostsPerTor: dice.whole(1, 3),
      });
    default:
      return ['tree', randomTree(dice)];
  }
}

function shaped(name: string, counts: Record<string, number>): [string, Topology] {
  return [name, builtinTopology(name, { ...counts, spread: 'flow' })];
}

/** Each switch but the first hangs from one of the three before it, hosts from any. */
function randomTree(dice: Dice): Topology {
  const switches = Array.from({ length: dice.whole(2, 8) }, (_, index) => ({ name: `s${index + 1}` }));
  const hosts = Array.from({ length: dice.whole(2, 32) }, (_, index) => ({ id: index + 1 }));
  const trunks = switches.slice(1).map(({ name }, index) => {
    const parent = switches[dice.whole(Math.max(0, index - 2), index)].name;
    return { name: `${parent}-${name}`, a: parent, b: name };
  });
  const edges = hosts.map(({ id }) => ({ name: `h${id}`, a: `h${id}`, b: dice.pick(switches).name }));
  return checkTopology({ hosts, switches, links: [...trunks, ...edges], spread: 'flow' });
}

function randomLinks(dice: Dice, { links }: Topology): LinkDraft[] {
  const spread = Math.sqrt(dice.pick(RATE_SPREADS));
  const middleBps = dice.spread(RATES_BPS.least, RATES_BPS.most);
  const least = Math.max(RATES_BPS.least, middleBps / spread);
  const most = Math.min(RATES_BPS.most, middleBps * spread);
  return links.map(() => ({
    rateBps: dice.spread(least, most),
    delayNs: dice.spread(1, DELAY_SPREAD),
    lossRate: dice.chance(LOSSY_LINKS) ? rounded(dice.between(0, MOST_LOSS), 1e-5) : 0,
  }));
}

/** Pairs of hosts; in half of the networks a few hosts send or receive most. One flow of a parking lot crosses it all. */
function randomEnds(dice: Dice, shape: string, { hosts }: Topology): Ends[] {
  const ids = hosts.map(({ id }) => id);
  const count = Math.floor(dice.spread(FLOWS.least, FLOWS.most + 1));
  const busy = ids.slice(0, dice.whole(1, 3));
  const [sends, receives] = [dice.chance(0.25), dice.chance(0.25)];
  return Array.from({ length: count }, (_, flow) => {
    if (shape === 'parking-lot' && flow === 0) return { from: 1, to: 2 };
    const [from, to] = dice.pair(ids);
    const host = dice.pick(busy);
    if (receives && from !== host) return { from, to: host };
    if (sends && to !== host) return { from: host, to };
    return { from, to };
  });
}

function randomFlow(dice: Dice, { from, to }: Ends, { flow, size }: { flow: number; size: NetworkSize }): TrafficSpec {
  const { durationNs, rttNs, sharesBps } = size;
  const common = { kind: 'flow', from, to, count: 1, startJitterNs: 0, stopNs: Number.POSITIVE_INFINITY } as const;
  const kind = dice.between(0, 1);
  if (flow > 0 && kind < LEAVING) {
    const lastsNs = durationNs * LEAVE_PART * dice.between(0.2, 1);
    const bytes = Math.max(1, Math.floor((sharesBps[flow] * lastsNs) / 8e9));
    const startNs = Math.floor(dice.between(0, durationNs * LEAVE_PART));
    return { ...common, group: Group.leaves, bytes, startNs };
  }
  const bytes = Number.POSITIVE_INFINITY;
  if (flow > 0 && kind < LEAVING + COMING) {
    const startNs = Math.floor(dice.between(rttNs, durationNs * COME_PART));
    return { ...common, group: Group.comes, bytes, startNs };
  }
  return { ...common, group: Group.stays, bytes, startNs: Math.floor(dice.between(0, rttNs)) };
}

function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toPrecision(6));
}
