import { describe, expect, it } from 'vitest';
import type { CreditClass } from '../../src/core/flow-terms.js';
import { simulate } from '../../src/sim/simulate.js';
import { dumbbell, flow, scenarioWith } from '../harness/simulations.js';

/** One endless flow of each class over one link; what each delivers from 3 ms on, and the link's ports. */
function share(creditClassWeight: number, low: CreditClass = 'low') {
  const traffic = [
    flow(1, 3, { group: 'high' }),
    flow(2, 4, { group: 'low', share: { creditClass: low }, startNs: 100e3 }),
  ];
  const topology = dumbbell(2, { creditClassWeight });
  // Its drops, at every setting, are what the classes divide.
  const host = { endpoint: { creditAlgorithm: 'expresspass' } };
  const { result } = simulate(scenarioWith({ topology, traffic, host, durationNs: 12e6, warmUpNs: 3e6 }));
  const [high, other] = result.flows.map(({ goodputBps }) => goodputBps);
  return { ratio: high / other, part: other / (high + other), utilisation: result.utilisation };
}

describe('flows with credits of two classes', () => {
  it('where the high class goes first: it has the link to itself', () => {
    const { part, utilisation } = share(Number.POSITIVE_INFINITY);
    expect(part).toBeLessThan(0.01);
    expect(utilisation).toBeGreaterThan(0.98);
  });

  it.each([1, 3])('by weight %s: the high class has that times what the low one has', (weight) => {
    const { ratio, utilisation } = share(weight);
    // The goal: within 5 %.
    expect(Math.abs(ratio / weight - 1)).toBeLessThan(0.05);
    expect(utilisation).toBeGreaterThan(0.98);
  });

  it('of one class are served as if there were no other', () => {
    expect(share(3, 'high')).toEqual(share(Number.POSITIVE_INFINITY, 'high'));
  });
});
