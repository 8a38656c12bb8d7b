import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile } from '../../../src/sim/measure/quantile.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

const HUNDRED = Float64Array.from({ length: 100 }, (_, index) => index + 1);

describe('a quantile', () => {
  it('is the value of the nearest rank', () => {
    const five = Float64Array.of(15, 20, 35, 40, 50);
    expect([0, 0.05, 0.2, 0.3, 0.4, 0.5, 1].map((part) => quantile(five, part))).toEqual([15, 15, 15, 20, 20, 35, 50]);
  });

  it('is exact where the part times the count is a whole number but for rounding', () => {
    for (let rank = 1; rank <= 100; rank++) expect(quantile(HUNDRED, rank / 100)).toBe(rank);
  });

  it('of few values is the maximum where one value is more than the rest', () => {
    expect(quantile(HUNDRED.subarray(0, 99), 0.99)).toBe(99);
    expect(quantile(Float64Array.of(7), 0.5)).toBe(7);
  });

  it('is a value that the part does not exceed, and no smaller one is', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 });
    holds(fc.tuple(values, fc.integer({ min: 1, max: 1000 })), 500, ([numbers, thousandths]) => {
      const sorted = Float64Array.from(numbers).sort();
      const found = quantile(sorted, thousandths / 1000);
      const wanted = thousandths * sorted.length;
      expect(sorted.filter((value) => value <= found).length * 1000).toBeGreaterThanOrEqual(wanted);
      expect(sorted.filter((value) => value < found).length * 1000).toBeLessThan(wanted);
    });
  });

  it('refuses what has none', () => {
    expect(() => quantile(new Float64Array(0), 0.5)).toThrow(/only values have quantiles/);
    expect(() => quantile(HUNDRED, 1.1)).toThrow(/a part of the values/);
  });
});
