// Tested by test/sim/fuzz/sim.fuzz.test.ts
import { transmissionNs } from '../../base/time.js';
import type { Topology } from '../../switch/topology.js';
import { wireBytes } from '../../wire/layout.js';
import type { Scenario } from '../scenario.js';
import { planFlows } from '../traffic/plan-flows.js';
import { chancesOf, largestFrameBytes } from '../world.js';
import { Dice } from './dice.js';
import { randomFaults } from './random-faults.js';
import { randomHosts, withClasses } from './random-hosts.js';
import { randomTopology } from './random-topology.js';
import { randomTraffic } from './random-traffic.js';
import { timeBoundNs } from './time-bound.js';

/** Full frames of all flows of a random world together by default: at eight events a frame, some milliseconds of work (ours). */
export const USUAL_FRAMES = 250;

/** How much more or less a world has. */
const MOST_FACTOR = 6;

/**
 * A random small world: topology, algorithms, endpoints, flows, and faults that all end. The same seed gives the same world. `frames`: its full data frames,
 * about.
 */
export function randomScenario(seed: number, frames: number = USUAL_FRAMES): Scenario {
  const dice = new Dice(seed);
  const topology = randomTopology(dice);
  const own = Math.max(1, frames * dice.spread(1 / MOST_FACTOR, MOST_FACTOR) * 0.6);
  const slowestBps = topology.links.reduce((slowest, { port }) => Math.min(slowest, port.rateBps), Number.MAX_VALUE);
  const traffic = randomTraffic(dice, { topology, frames: own, slowestBps });
  const spanNs = busyNs(topology, own, slowestBps);
  const scenario: Omit<Scenario, 'durationNs'> = {
    name: `seed ${seed}`,
    seed,
    warmUpNs: 0,
    endsWithFlows: false,
    topology,
    bottlenecks: [],
    hosts: randomHosts(dice, topology),
    traffic,
    faults: randomFaults(dice, topology, spanNs),
    jainWindowsNs: [],
    probes: { intervalNs: 0, links: [], maxFlows: 0 },
    payload: dice.chance(0.8) ? 'bytes' : 'lengths',
  };
  const world = withClasses(dice, scenario);
  return withTimeBound({ ...world, doors: world.payload === 'bytes' && dice.chance(0.5) });
}

/** The same scenario with a duration in which it has to be over. */
export function withTimeBound(scenario: Omit<Scenario, 'durationNs'>): Scenario {
  const plans = planFlows(scenario.traffic, chancesOf(scenario.seed).traffic, largestFrameBytes(scenario.topology));
  return { ...scenario, durationNs: timeBoundNs(scenario, plans) };
}

/** How long the flows take if nothing goes wrong, about: faults within this time meet frames. */
function busyNs({ links }: Topology, frames: number, slowestBps: number): number {
  const { delayNs, maxFrameBytes } = links[0].port;
  return 4 * (delayNs * links.length) + transmissionNs(frames * wireBytes(maxFrameBytes), slowestBps);
}
