import { MICROSECOND_NS, MILLISECOND_NS, transmissionNs } from '../../src/base/time.js';
import { Dice } from '../../src/sim/fuzz/dice.js';
import { randomFaults } from '../../src/sim/fuzz/random-faults.js';
import { faultsEndNs } from '../../src/sim/fuzz/time-bound.js';
import { networkScenario, networkTopology } from '../../src/sim/judge/network-scenario.js';
import { type LinkDraft, roundTripNs } from '../../src/sim/judge/network-size.js';
import { lossyShares } from '../../src/sim/judge/shares.js';
import type { Fault, Scenario, TrafficSpec } from '../../src/sim/scenario.js';
import { checkTopology, type Topology } from '../../src/switch/topology.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../../src/wire/layout.js';

const MOST_SWITCHES = 6;
const RATES_BPS = { least: 100e6, most: 100e9 };
const RATE_SPREAD = 10;
const RTTS_NS = { least: 10 * MICROSECOND_NS, most: 20 * MILLISECOND_NS };
/** Of all frames on the path, each way. */
const MOST_LOSS = 0.1;
/** Full frames that a round trip holds at most: more are events without insight (ours). */
const MOST_FRAMES = 300;
/** Round trips in which faults begin; they last as long at most. */
const FAULT_RTTS = 100;
/** And hold frames back for so many at most. */
const MOST_DELAY_RTTS = 4;
/** Round trips that the flow has to recover from the last fault, and those over which it is measured; frames too, so that their losses are not chance. */
const RECOVERY_RTTS = 50;
const MEASURED_RTTS = 50;
const MEASURED_FRAMES = 1000;
const FRAME = wireBytes(DEFAULT_FRAME_BYTES);
const PATH = { from: 1, to: 2 };

/** An endless flow alone on a path of random links, which lose frames at random all the time and suffer other faults at first. */
export interface LoneFlow {
  /** Its measured time begins 50 round trips after the last fault. */
  readonly scenario: Scenario;
  /** What loss leaves of the bottleneck. */
  readonly shareBps: number;
}

/** The lone flow of a seed, with 1 to 6 switches, 100 Mbit/s to 100 Gbit/s, a round trip of 10 us to 20 ms and a loss of up to 10 % of all frames, each way. */
export function loneFlow(seed: number): LoneFlow {
  const dice = new Dice(seed);
  const skeleton = chain(dice.whole(1, MOST_SWITCHES));
  const drafts = randomDrafts(dice, skeleton.links.length);
  const rttNs = roundTripNs(drafts);
  const topology = networkTopology(skeleton, drafts, rttNs);
  const way = topology.links.map((_, link) => ({ link, forward: true }));
  const [shareBps] = lossyShares(topology, [way]);
  const { faults, endNs } = passingFaults(dice, topology, rttNs);
  const warmUpNs = Math.ceil(endNs + RECOVERY_RTTS * rttNs);
  const measuredNs = Math.max(MEASURED_RTTS * rttNs, (MEASURED_FRAMES * FRAME * 8e9) / shareBps);
  const parts = { topology, faults, rttNs, warmUpNs, durationNs: Math.ceil(warmUpNs + measuredNs) };
  return { scenario: networkScenario(seed, { ...parts, traffic: [ENDLESS] }), shareBps };
}

const ENDLESS: TrafficSpec = {
  kind: 'flow',
  group: 'lone',
  ...PATH,
  bytes: Number.POSITIVE_INFINITY,
  count: 1,
  startNs: 0,
  startJitterNs: 0,
  stopNs: Number.POSITIVE_INFINITY,
};

function chain(count: number): Topology {
  const switches = Array.from({ length: count }, (_, index) => ({ name: `s${index + 1}` }));
  const nodes = [`h${PATH.from}`, ...switches.map(({ name }) => name), `h${PATH.to}`];
  const links = nodes.slice(1).map((b, index) => ({ name: `l${index + 1}`, a: nodes[index], b }));
  return checkTopology({ hosts: [{ id: PATH.from }, { id: PATH.to }], switches, links, spread: 'flow' });
}

/** The loss of the path is that of one link, or of several. */
function randomDrafts(dice: Dice, count: number): LinkDraft[] {
  const middleBps = dice.spread(RATES_BPS.least, RATES_BPS.most);
  const rates = Array.from({ length: count }, () => randomRateBps(dice, middleBps));
  const frameNs = transmissionNs(FRAME, Math.min(...rates));
  const longestNs = Math.max(RTTS_NS.least, Math.min(RTTS_NS.most, MOST_FRAMES * frameNs));
  const spanNs = dice.spread(RTTS_NS.least, longestNs) / 2;
  const [delays, losses] = [weights(dice, count, count), weights(dice, count, dice.whole(1, count))];
  const loss = dice.between(0, MOST_LOSS);
  return rates.map((rateBps, index) => ({
    rateBps,
    delayNs: Math.round(spanNs * delays[index]),
    lossRate: loss * losses[index],
  }));
}

function randomRateBps(dice: Dice, middleBps: number): number {
  const rateBps = middleBps * dice.spread(1 / RATE_SPREAD, RATE_SPREAD);
  return Math.min(RATES_BPS.most, Math.max(RATES_BPS.least, Math.round(rateBps)));
}

/** Random parts of a whole, of which `some` at most are above zero. */
function weights(dice: Dice, count: number, some: number): number[] {
  const drawn = new Array<number>(count).fill(0);
  for (let at = 0; at < some; at++) drawn[dice.whole(0, count - 1)] += dice.between(0.1, 1);
  const sum = drawn.reduce((total, value) => total + value, 0);
  return drawn.map((value) => value / sum);
}

/** Faults, and when the last frame that they delay is there. */
interface PassingFaults {
  readonly faults: readonly Fault[];
  readonly endNs: number;
}

/** All but crashes of hosts, which end the flow. What a fault mends loses nothing any more, so each link gets its own loss back at the end. */
function passingFaults(dice: Dice, topology: Topology, rttNs: number): PassingFaults {
  const drawn = randomFaults(dice, topology, FAULT_RTTS * rttNs).filter(({ kind }) => kind !== 'hostCrash');
  const faults = drawn.map((fault) =>
    fault.kind === 'link' ? withDelaysBelow(fault, MOST_DELAY_RTTS * rttNs) : fault,
  );
  const atNs = faultsEndNs(faults);
  const losses = topology.links.map(({ name, impairment }): Fault => {
    return { kind: 'link', atNs, link: name, port: {}, impairment: { lossRate: impairment.lossRate ?? 0 } };
  });
  return { faults: [...faults, ...losses], endNs: atNs + MOST_DELAY_RTTS * rttNs };
}

const DELAYS = ['extraDelayNs', 'jitterNs', 'reorderDelayNs'] as const;

/** Milliseconds on a path of microseconds would be what counts as its round trip for long. */
function withDelaysBelow(fault: Fault & { kind: 'link' }, mostNs: number): Fault {
  const delays = DELAYS.map((name) => [name, fault.impairment[name]] as const);
  const given = delays.filter((each): each is [(typeof DELAYS)[number], number] => each[1] !== undefined);
  const bounded = Object.fromEntries(given.map(([name, delayNs]) => [name, Math.min(mostNs, delayNs)]));
  return { ...fault, impairment: { ...fault.impairment, ...bounded } };
}
