import { describe, expect, it } from 'vitest';
import { bytesUnit, largestOf, rateUnit, timeUnit } from '../../src/report/units.js';

describe('the unit of an axis', () => {
  it('is the one in which its end is from 1 to 1000', () => {
    expect(rateUnit(9.48e9)).toEqual({ name: 'Gbit/s', factor: 1e-9 });
    expect(rateUnit(999)).toEqual({ name: 'bit/s', factor: 1 });
    expect(timeUnit(60e6)).toEqual({ name: 'ms', factor: 1e-6 });
    expect(bytesUnit(30_760)).toEqual({ name: 'kB', factor: 1e-3 });
  });

  it('is the largest that there is for larger values, and the smallest for none', () => {
    expect(timeUnit(1e15).name).toBe('s');
    expect(rateUnit(0).name).toBe('bit/s');
  });
});

describe('the largest value', () => {
  it('is the largest of those that are finite, and at least 0', () => {
    expect(largestOf([3, Number.NaN, 7, Infinity])).toBe(7);
    expect(largestOf([-5])).toBe(0);
    expect(largestOf(new Float64Array(200_000).fill(2))).toBe(2);
  });
});
