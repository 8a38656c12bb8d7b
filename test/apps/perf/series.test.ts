import { describe, expect, it } from 'vitest';
import { summarize } from '../../../src/apps/perf/series.js';

describe('several runs', () => {
  it('have a mean and its 95 % confidence interval', () => {
    // Five runs: deviation 1.5811, t of 4 degrees of freedom 2.776, so 2.776 * 1.5811 / sqrt(5).
    const { runs, meanBps, halfWidthBps } = summarize([10, 11, 12, 13, 14]);
    expect([runs, meanBps]).toEqual([5, 12]);
    expect(halfWidthBps).toBeCloseTo(1.963, 2);
  });

  it('have no interval when there was only one', () => {
    expect(summarize([7])).toEqual({ runs: 1, meanBps: 7, halfWidthBps: Number.NaN });
  });
});
