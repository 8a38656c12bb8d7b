import type { LineSeries } from './chart.js';

/**
 * The share of the samples that is at most x, as a stepped line from 0 at the smallest sample to 1 at the largest. Samples that are not finite are left out;
 * without any, the line is empty.
 */
export function cdfSeries(name: string, samples: ArrayLike<number>): LineSeries {
  const sorted = Float64Array.from(samples).filter(Number.isFinite).sort();
  const x: number[] = [];
  const y: number[] = [];
  if (sorted.length > 0) add(sorted[0], 0);
  for (let at = 0; at < sorted.length; at++) {
    if (sorted[at] !== sorted[at + 1]) add(sorted[at], (at + 1) / sorted.length);
  }
  return { name, x, y, stepped: true };

  function add(value: number, share: number): void {
    x.push(value);
    y.push(share);
  }
}
