import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxMinShares } from '../../../src/sim/measure/max-min.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

/** Rounding of a few hundred subtractions of numbers up to 100. */
const ROUNDING = 1e-9;

const networks = fc.integer({ min: 1, max: 6 }).chain((links) =>
  fc.record({
    capacities: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: links, maxLength: links }),
    paths: fc.array(fc.uniqueArray(fc.integer({ min: 0, max: links - 1 }), { minLength: 1, maxLength: links }), {
      minLength: 1,
      maxLength: 20,
    }),
  }),
);

describe('max-min shares', () => {
  it('of one link are equal', () => {
    expect([...maxMinShares([12], [[0], [0], [0]])]).toEqual([4, 4, 4]);
  });

  it('give the flow across a parking lot half of each link', () => {
    expect([...maxMinShares([10, 10, 10], [[0, 1, 2], [0], [1], [2]])]).toEqual([5, 5, 5, 5]);
  });

  it('give flow 0 of the multi-bottleneck topology 1 / (N + 1) of the first link', () => {
    const paths = [[0], ...Array.from({ length: 4 }, () => [0, 1])];
    expect([...maxMinShares([10, 10], paths)]).toEqual([2, 2, 2, 2, 2]);
  });

  it('let others have what a flow with a tighter link elsewhere leaves', () => {
    expect([...maxMinShares([10, 3], [[0], [0, 1], [0, 1], [1]])]).toEqual([8, 1, 1, 1]);
  });

  it('are without bound where no link is', () => {
    expect([...maxMinShares([Number.POSITIVE_INFINITY, 6], [[0], [0, 1], []])]).toEqual([
      Number.POSITIVE_INFINITY,
      6,
      Number.POSITIVE_INFINITY,
    ]);
    const unlimited = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect([...maxMinShares(unlimited, [[0], [0, 1], [1]])]).toEqual([...unlimited, Number.POSITIVE_INFINITY]);
    expect(maxMinShares([5], []).length).toBe(0);
  });

  it('refuse a flow on a link that is not there, or twice on one', () => {
    expect(() => maxMinShares([5], [[1]])).toThrow(/links that there are/);
    expect(() => maxMinShares([5], [[0, 0]])).toThrow(/crosses a link once/);
  });

  it('fill a link by what a unit of each share takes of it', () => {
    // By hand: 12 = 1 * x + 3 * x.
    expect([...maxMinShares([12], [[0], [0]], [[1], [3]])]).toEqual([3, 3]);
    // Flow 1 stops at the second link, at 2 = 4 / 2, and takes 3 * 2 of the first; flow 0 has the other 14.
    const shares = maxMinShares([20, 4], [[0], [0, 1]], [[1], [3, 2]]);
    expect([...shares]).toEqual([14, 2]);
  });

  it('with costs of one are those without', () => {
    holds(networks, 100, ({ capacities, paths }) => {
      const ones = paths.map((path) => path.map(() => 1));
      expect(maxMinShares(capacities, paths, ones)).toEqual(maxMinShares(capacities, paths));
    });
  });

  /** What defines them: a bottleneck of a flow is a full link of whose flows none has more (Bertsekas and Gallager). */
  it('overload no link and leave each flow a bottleneck', () => {
    holds(networks, 500, ({ capacities, paths }) => {
      const shares = maxMinShares(capacities, paths);
      const loads = capacities.map((_, link) => sum(shares.filter((_share, flow) => paths[flow].includes(link))));
      loads.forEach((load, link) => {
        expect(load).toBeLessThanOrEqual(capacities[link] + ROUNDING);
      });
      paths.forEach((path, flow) => {
        const bottleneck = path.find((link) => {
          const largest = Math.max(...shares.filter((_share, other) => paths[other].includes(link)));
          return loads[link] >= capacities[link] - ROUNDING && shares[flow] >= largest - ROUNDING;
        });
        expect(bottleneck).toBeDefined();
      });
    });
  });
});

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
