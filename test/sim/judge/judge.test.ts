import { expect, it } from 'vitest';
import { judge, lateLeavers } from '../../../src/sim/judge/judge.js';
import { Group, randomNetwork } from '../../../src/sim/judge/random-network.js';
import { simulate } from '../../../src/sim/simulate.js';
import { flow, scenarioWith } from '../../harness/simulations.js';

/** Two flows out of host 1 and one that leaves. */
const SCENARIO = scenarioWith({
  durationNs: 20e6,
  warmUpNs: 10e6,
  traffic: [
    flow(1, 3, { group: Group.stays }),
    flow(1, 4, { group: Group.comes, startNs: 1e6 }),
    flow(1, 4, { group: Group.leaves, bytes: 100_000 }),
  ],
  slowdowns: false,
});

it('holds flows that stay against the shares that they have among themselves', () => {
  const { result } = simulate(SCENARIO);
  const judged = judge(SCENARIO, result);
  expect(judged.map(({ id, from, to, group }) => [id, from, to, group])).toEqual([
    [0, 1, 3, 'stays'],
    [1, 1, 4, 'comes'],
  ]);
  for (const { part, path, rateBps, shareBps } of judged) {
    expect(path).toHaveLength(3);
    expect(part).toBe(rateBps / shareBps);
    // The flow that has left takes nothing, so both have all of their shares.
    expect(part).toBeGreaterThan(0.95);
    expect(part).toBeLessThan(1.05);
  }
  expect(lateLeavers(SCENARIO, result)).toBe(0);
});

it('counts flows that leave in the measured half or never', () => {
  const { result } = simulate(SCENARIO);
  const leaving = (fctNs: number | null) => ({
    ...result,
    flows: result.flows.map((each) => (each.group === Group.leaves ? { ...each, fctNs } : each)),
  });
  expect([9e6, 11e6, null].map((fctNs) => lateLeavers(SCENARIO, leaving(fctNs)))).toEqual([0, 1, 1]);
});

it('judges a random network the same each time', () => {
  const { scenario } = randomNetwork(3);
  const [one, other] = [1, 2].map(() => judge(scenario, simulate(scenario).result));
  expect(one).toEqual(other);
  expect(one.length).toBeGreaterThan(0);
});
