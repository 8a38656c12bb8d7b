import { assert } from '../../base/assert.js';

/** Ranks closer to a whole number than this are that number: 0.07 * 100 is 7.000000000000001 in floating point. */
const RANK_ERROR = 1e-9;

/**
 * The quantile by nearest rank: the smallest value that at least the part `part` of all values does not exceed (definition 1 of Hyndman and
 * Fan, 1996). So it is always a value that occurred, and the 99th percentile of fewer than 100 values is their maximum. `sorted` ascends and is not
 * empty; `part` is from 0 to 1.
 */
export function quantile(sorted: Float64Array, part: number): number {
  assert(sorted.length > 0, 'only values have quantiles');
  assert(part >= 0 && part <= 1, 'a quantile is a part of the values');
  const rank = Math.ceil(part * sorted.length - RANK_ERROR);
  return sorted[Math.max(rank, 1) - 1];
}
