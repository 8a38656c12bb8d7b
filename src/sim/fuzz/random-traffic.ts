// Tested by test/sim/fuzz/random-scenario.test.ts
import { MICROSECOND_NS, MILLISECOND_NS } from '../../base/time.js';
import type { Topology } from '../../switch/topology.js';
import { Data } from '../../wire/layout.js';
import type { FlowTraffic, TrafficSpec } from '../scenario.js';
import type { Dice } from './dice.js';

const INFINITE = Number.POSITIVE_INFINITY;
const MOST_FLOWS = 30;
/** Nothing moves at time 0, when counters are set to zero. */
const FIRST_START_NS = 1;
/** How many flows of a group start in one instant, and how far apart the others are. */
const MOST_APART_NS = 5 * MILLISECOND_NS;

/** Flows of a group of messages, and the time within which they start: some round trips of most worlds. */
const LEAST_MESSAGES = 4;
const MOST_MESSAGES = 20;
const MESSAGES_WITHIN_NS = 200 * MICROSECOND_NS;

/** What the traffic of one world is drawn for. */
export interface TrafficRoom {
  readonly topology: Topology;
  /** Full data frames that all flows have together, about. */
  readonly frames: number;
  readonly slowestBps: number;
}

/** A few to some dozens of flows: single ones, many between one pair, and the patterns of the experiments. */
export function randomTraffic(dice: Dice, room: TrafficRoom): TrafficSpec[] {
  const flows = Math.round(dice.spread(1, MOST_FLOWS));
  const traffic: TrafficSpec[] = [];
  const framesPerFlow = room.frames / flows;
  for (let left = flows; left > 0; ) {
    const spec = dice.chance(0.75) ? flowGroup(dice, room, framesPerFlow) : pattern(dice, room, framesPerFlow);
    traffic.push(spec);
    left -= spec.kind === 'flow' ? spec.count : 4;
  }
  if (dice.chance(0.6)) traffic.push(messages(dice, room));
  return traffic;
}

/** Flows of less than a frame between two hosts: what one leaves of its frame others may fill. */
function messages(dice: Dice, { topology }: TrafficRoom): FlowTraffic {
  const [from, to] = dice.pair(topology.hosts);
  const payload = topology.links[0].port.maxFrameBytes - Data.overheadBytes;
  return {
    ...start(dice),
    startJitterNs: dice.between(0, MESSAGES_WITHIN_NS),
    kind: 'flow',
    group: 'messages',
    from: from.id,
    to: to.id,
    bytes: Math.max(1, Math.round(dice.spread(1, payload / 2))),
    count: dice.whole(LEAST_MESSAGES, MOST_MESSAGES),
    stopNs: INFINITE,
  };
}

function flowGroup(dice: Dice, { topology, slowestBps }: TrafficRoom, frames: number): FlowTraffic {
  const [from, to] = dice.pair(topology.hosts);
  const base = { ...start(dice), kind: 'flow', from: from.id, to: to.id } as const;
  const bytes = randomBytes(dice, topology, frames);
  if (!dice.chance(0.1)) {
    return { ...base, group: 'flow', bytes, count: dice.chance(0.8) ? 1 : dice.whole(2, 4), stopNs: INFINITE };
  }
  // It ends because its program does: after what the slowest link carries of it, and no more than ten times that.
  const lastsNs = (bytes * 8e9) / slowestBps;
  return {
    ...base,
    group: 'stopped',
    bytes: 10 * bytes,
    count: 1,
    stopNs: base.startNs + base.startJitterNs + lastsNs,
  };
}

function pattern(dice: Dice, { topology, slowestBps }: TrafficRoom, frames: number): TrafficSpec {
  const hosts = topology.hosts.map(({ id }) => id);
  const base = start(dice);
  const bytes = randomBytes(dice, topology, frames);
  const some = dice.some(hosts, 2);
  switch (dice.whole(0, 3)) {
    case 0:
      return { ...base, kind: 'permutation', group: 'permutation', hosts: some, bytes };
    case 1:
      return { ...base, kind: 'shuffle', group: 'shuffle', hosts: some.slice(0, 3), tasks: 1, bytes, rounds: 1 };
    case 2: {
      const [to, ...from] = some;
      const [rounds, everyNs] = [dice.whole(1, 3), dice.between(0, MILLISECOND_NS)];
      return { ...base, kind: 'incast', group: 'incast', from, to, bytes, rounds, everyNs };
    }
    default: {
      const points = [
        { bytes: 1, probability: dice.between(0, 0.5) },
        { bytes: 2 * bytes, probability: 1 },
      ];
      const [load, flows] = [dice.between(0.1, 1), dice.whole(2, 6)];
      const pairs = { from: hosts, to: hosts, load, loadRateBps: slowestBps, flows };
      return { ...base, ...pairs, kind: 'poisson', group: 'poisson', sizes: { name: 'random', points } };
    }
  }
}

function start(dice: Dice): { startNs: number; startJitterNs: number } {
  return {
    startNs: FIRST_START_NS + (dice.chance(0.3) ? 0 : dice.between(0, MOST_APART_NS)),
    startJitterNs: dice.chance(0.5) ? 0 : dice.between(0, MILLISECOND_NS),
  };
}

/** From one byte on; around the size of a frame, where something may be off by one; and up to twice `frames` full frames. */
function randomBytes(dice: Dice, { links }: Topology, frames: number): number {
  const payload = links[0].port.maxFrameBytes - Data.overheadBytes;
  const size = dice.whole(0, 9);
  if (size === 0) return 1;
  if (size === 1) return dice.whole(1, payload);
  if (size === 2) return payload * dice.whole(1, 3) + dice.whole(-1, 1);
  return Math.ceil(dice.spread(1, 2 * Math.max(2, frames)) * payload);
}
