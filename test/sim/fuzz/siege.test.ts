import { expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../../src/base/time.js';
import { besiege, siegeScenario } from '../../../src/sim/fuzz/hostile/siege.js';
import type { TrafficSpec } from '../../../src/sim/scenario.js';
import { simulate } from '../../../src/sim/simulate.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const SIEGES = scaledRuns(5);
/**
 * The least of 38 flows in 16 sieges was 0.87 (seeds 1 to 16). Ours: honest neighbours differ by a tenth from their shares, and half of them is what
 * a liar may take at most.
 */
const LEAST_PART = 0.5;
const TIMEOUT_MS = 900_000;

it(
  'a liar takes no more than half of what an honest host with full flows would leave to others',
  () => {
    for (let siege = 0; siege < SIEGES; siege++) {
      const scenario = siegeScenario(TEST_SEED + siege);
      for (const { from, to, part } of besiege(scenario)) {
        const where = `seed ${scenario.seed}: flow from ${from} to ${to} under ${scenario.hostile?.[0].tricks}`;
        expect(part, where).toBeGreaterThan(LEAST_PART);
      }
    }
  },
  TIMEOUT_MS,
);

/** Flows of one peer beside the one of another, and the part of its share that this one has at least: 0.93 was measured. */
const CROWD = 64;
const LEAST_BESIDE_CROWD = 0.8;

it('a flow has its share beside many flows of one peer, who takes a share for each', () => {
  const rateBps = 1e9;
  const topology = builtinTopology('star', { hosts: 3, rateBps, delayNs: 5_000 });
  const hosts = siegeScenario(TEST_SEED).hosts.slice(0, 3);
  const scenario = {
    ...siegeScenario(TEST_SEED),
    topology,
    hosts: hosts.map((spec, at) => ({ ...spec, id: at + 1 })),
    warmUpNs: 20 * MILLISECOND_NS,
    durationNs: 60 * MILLISECOND_NS,
    traffic: [endless(1, 1), endless(2, CROWD)],
    doors: false,
    hostile: [],
  };
  const { result } = simulate(scenario);
  const shareBps = rateBps / (CROWD + 1);
  expect(result.flows[0].arrivalBps ?? 0).toBeGreaterThan(LEAST_BESIDE_CROWD * shareBps);
  const crowdBps = result.flows.slice(1).reduce((sum, { arrivalBps }) => sum + (arrivalBps ?? 0), 0);
  expect(crowdBps).toBeLessThan(rateBps - LEAST_BESIDE_CROWD * shareBps);
});

function endless(from: number, count: number): TrafficSpec {
  const never = Number.POSITIVE_INFINITY;
  const times = { startNs: 1, startJitterNs: MILLISECOND_NS, stopNs: never };
  return { kind: 'flow', group: 'honest', from, to: 3, bytes: never, count, ...times };
}
