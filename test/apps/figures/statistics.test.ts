import { expect, it } from 'vitest';
import { mean, spread } from '../../../src/apps/figures/statistics.js';

it('takes the mean', () => {
  expect(mean([1, 2, 6])).toBe(3);
  expect(mean([])).toBeNaN();
});

it('takes the middle, of an even number the mean of both, and what lies around it', () => {
  expect(spread([9, 1, 5])).toEqual({ median: 5, p90: 9, lowest: 1, highest: 9 });
  expect(spread([4, 1, 3, 2]).median).toBe(2.5);
  expect(spread(Array.from({ length: 20 }, (_, at) => at + 1)).p90).toBe(18);
});
