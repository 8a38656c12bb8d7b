import { describe, expect, it } from 'vitest';
import { cdfSeries } from '../../../src/report/plot/chart.js';

describe('a CDF', () => {
  it('rises at each sample to the share of the samples that are at most it', () => {
    const { name, x, y, stepped } = cdfSeries('S', [3, 1, 2, 2]);
    expect([name, stepped]).toEqual(['S', true]);
    expect(x).toEqual([1, 1, 2, 3]);
    expect(y).toEqual([0, 0.25, 0.75, 1]);
  });

  it('sorts as numbers, and leaves out what is not finite', () => {
    expect(cdfSeries('', [10, 9, Number.NaN, Infinity]).x).toEqual([9, 9, 10]);
  });

  it('is empty without samples', () => {
    expect(cdfSeries('', [])).toEqual({ name: '', x: [], y: [], stepped: true });
  });
});
