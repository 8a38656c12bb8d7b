import { assert } from '../../../base/assert.js';

/** Points of a line after thinning: as many x as y, and as `low` and `high` where there is a band. */
export interface Points {
  readonly x: number[];
  readonly y: number[];
  readonly band?: { readonly low: number[]; readonly high: number[] };
}

/**
 * The line with at most `limit` points (at least 4). Neighbours are joined into buckets of equal count, of which the lowest and the highest stay, so that no
 * peak is lost. A gap stays where a whole bucket has no value. A band keeps the extremes of each bucket.
 */
export function decimate(line: Line, limit: number): Points {
  const count = line.x.length;
  assert(line.y.length === count, 'a line has one y for each x');
  assert(line.band === undefined || line.band.low.length === count, 'a band has one range for each x');
  if (count <= limit) return copy(line);
  const buckets = Math.floor(limit / 2);
  const kept: Points = { x: [], y: [], ...(line.band === undefined ? {} : { band: { low: [], high: [] } }) };
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor((bucket * count) / buckets);
    const to = Math.floor(((bucket + 1) * count) / buckets);
    keepExtremes(line, { from, to }, kept);
  }
  return kept;
}

export interface Line {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly band?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
}

interface Bucket {
  readonly from: number;
  readonly to: number;
}

function keepExtremes(line: Line, bucket: Bucket, kept: Points): void {
  const lowest = extreme(line.y, bucket, -1);
  const highest = extreme(line.y, bucket, 1);
  for (const at of [...new Set([Math.min(lowest, highest), Math.max(lowest, highest)])]) {
    kept.x.push(line.x[at]);
    kept.y.push(line.y[at]);
    if (line.band === undefined || kept.band === undefined) continue;
    kept.band.low.push(line.band.low[extreme(line.band.low, bucket, -1)]);
    kept.band.high.push(line.band.high[extreme(line.band.high, bucket, 1)]);
  }
}

/** Index of the value that is largest in direction `sign`; the first of the bucket where none is finite. */
function extreme(values: ArrayLike<number>, { from, to }: Bucket, sign: 1 | -1): number {
  let best = from;
  for (let at = from + 1; at < to; at++) {
    const better = sign * values[at] > sign * values[best];
    if (Number.isFinite(values[at]) && (better || !Number.isFinite(values[best]))) best = at;
  }
  return best;
}

function copy({ x, y, band }: Line): Points {
  const plain = { x: Array.from(x), y: Array.from(y) };
  return band === undefined ? plain : { ...plain, band: { low: Array.from(band.low), high: Array.from(band.high) } };
}
