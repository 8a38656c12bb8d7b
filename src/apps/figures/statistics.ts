import { quantile } from '../../sim/measure/quantile.js';

/** NaN without values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What lies in the middle, and around it; of an even number of values the mean of the two in the middle. */
export interface Spread {
  readonly median: number;
  readonly p90: number;
  readonly lowest: number;
  readonly highest: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length / 2;
  return {
    median: (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2,
    p90: quantile(sorted, 0.9),
    lowest: sorted[0],
    highest: sorted[sorted.length - 1],
  };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function largest(values: readonly number[]): number {
  return Math.max(...values);
}

export function median(values: readonly number[]): number {
  return spread(values).median;
}
