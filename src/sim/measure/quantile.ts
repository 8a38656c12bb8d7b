import { assert } from '../../base/assert.js';

/** Ranks closer to a whole number than this are that number: 0.07 * 100 is 7.000000000000001 in floating point. */
const RANK_ERROR = 1e-9;

/**
 * Quantile by nearest rank (definition 1 of Hyndman and Fan, 1996): the smallest value that at least `part` (0 to 1) of all values do not exceed. `sorted`
 * ascends and is not empty.
 */
export function quantile(sorted: Float64Array, part: number): number {
  assert(sorted.length > 0, 'only values have quantiles');
  assert(part >= 0 && part <= 1, 'a quantile is a part of the values');
  const rank = Math.ceil(part * sorted.length - RANK_ERROR);
  return sorted[Math.max(rank, 1) - 1];
}
