import { assert } from '../../../base/assert.js';
import { studentT } from '../../../sim/measure/student.js';

/** A straight line through samples of something over time. */
export interface Trend {
  readonly mean: number;
  /** Of the quantity, a second. */
  readonly slope: number;
  /** The slope is within so much of that with a confidence of 95 %. */
  readonly slopeError: number;
}

/** Fewer say nothing about their spread (ours). */
export const LEAST_SAMPLES = 8;

/**
 * Least squares over at least LEAST_SAMPLES samples. Neighbours are correlated, so the effective number is n (1 - r) / (1 + r), with r the
 * correlation of neighbouring residuals (Santer et al. 2000, "Statistical significance of trends", equation 6).
 */
export function trendOf(times: readonly number[], values: readonly number[]): Trend {
  assert(times.length === values.length && times.length >= LEAST_SAMPLES, 'a trend has samples');
  const [meanTime, mean] = [average(times), average(values)];
  const spread = sum(times.map((time) => (time - meanTime) ** 2));
  const slope = sum(times.map((time, at) => (time - meanTime) * (values[at] - mean))) / spread;
  const residuals = times.map((time, at) => values[at] - mean - slope * (time - meanTime));
  const degrees = independent(residuals) - 2;
  const variance = sum(residuals.map((residual) => residual ** 2)) / degrees;
  return { mean, slope, slopeError: studentT(degrees) * Math.sqrt(variance / spread) };
}

/** For how many independent samples these residuals count: from 3, with which the slope has one degree of freedom, to all. */
function independent(residuals: readonly number[]): number {
  const squares = sum(residuals.map((residual) => residual ** 2));
  if (squares === 0) return residuals.length;
  const r = sum(residuals.slice(1).map((residual, at) => residual * residuals[at])) / squares;
  return Math.min(residuals.length, Math.max(3, (residuals.length * (1 - r)) / (1 + r)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function average(values: readonly number[]): number {
  return sum(values) / values.length;
}
