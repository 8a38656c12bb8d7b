import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jainIndex } from '../../../src/sim/measure/jain.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

describe("Jain's index", () => {
  it('is 1 for equal shares and 1/n when one has everything', () => {
    expect(jainIndex([5, 5, 5, 5])).toBe(1);
    expect(jainIndex([8, 0, 0, 0])).toBe(0.25);
    expect(jainIndex([3])).toBe(1);
  });

  it('agrees with a sum worked out by hand', () => {
    expect(jainIndex([1, 2, 3])).toBeCloseTo(36 / 42, 12);
  });

  it('is not a number when nothing was shared', () => {
    expect(jainIndex([])).toBeNaN();
    expect(jainIndex([0, 0])).toBeNaN();
  });

  it('lies between 1/n and 1 and does not depend on the unit', () => {
    const shares = fc.array(fc.double({ min: 1, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 20 });
    holds(shares, 500, (values) => {
      const index = jainIndex(values);
      expect(index).toBeGreaterThanOrEqual(1 / values.length - 1e-9);
      expect(index).toBeLessThanOrEqual(1 + 1e-9);
      expect(jainIndex(values.map((value) => value * 8))).toBeCloseTo(index, 9);
    });
  });
});
