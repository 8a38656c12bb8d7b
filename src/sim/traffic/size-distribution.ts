import { ConfigError, showValue } from '../../base/config-error.js';
import type { Random } from '../../base/random.js';
import type { SizeDistribution } from '../scenario.js';

type Points = SizeDistribution['points'];

/** The header that a table of sizes may start with; its columns, in this order. */
const CSV_HEADER = 'size_bytes,cumulative_probability';

/**
 * Mean of the piecewise linear distribution, bytes: each line counts with its middle; below the first probability the size is the first point's. Whole bytes
 * move it by less than one.
 */
export function meanBytes({ points }: SizeDistribution): number {
  let mean = points[0].bytes * points[0].probability;
  for (let index = 1; index < points.length; index++) {
    const [low, high] = [points[index - 1], points[index]];
    mean += ((low.bytes + high.bytes) / 2) * (high.probability - low.probability);
  }
  return mean;
}

/** The size of one flow, drawn by inverting the distribution: whole bytes, at least one. */
export function sampleBytes({ points }: SizeDistribution, random: Random): number {
  const drawn = random.next();
  const index = firstAbove(points, drawn);
  if (index === 0) return wholeBytes(points[0].bytes);
  const [low, high] = [points[index - 1], points[index]];
  const part = (drawn - low.probability) / (high.probability - low.probability);
  return wholeBytes(low.bytes + part * (high.bytes - low.bytes));
}

/** The first point whose probability is above `drawn`, which is below 1; the last point's is 1. */
function firstAbove(points: Points, drawn: number): number {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (points[middle].probability > drawn) high = middle;
    else low = middle + 1;
  }
  return low;
}

function wholeBytes(bytes: number): number {
  return Math.max(1, Math.round(bytes));
}

/**
 * Throws a ConfigError with the first fault: sizes and probabilities must never fall, and end at probability 1. Two points of one size are a share of exactly
 * that size; two of one probability are sizes that no flow has.
 */
export function checkSizeDistribution({ name, points }: SizeDistribution): void {
  const what = `size distribution ${showValue(name)}`;
  if (points.length === 0) throw new ConfigError(`${what} has no points; it needs at least one`);
  points.forEach((point, index) => {
    checkPoint(point, `point ${index + 1} of ${what}`);
    if (index > 0) checkOrder(points[index - 1], point, `point ${index + 1} of ${what}`);
  });
  const last = points[points.length - 1];
  if (last.probability !== 1) {
    throw new ConfigError(`${what} ends at probability ${last.probability}; the last point's probability has to be 1`);
  }
  if (last.bytes === 0) throw new ConfigError(`${what} has no size above 0; the last point's has to be at least 1`);
}

function checkPoint({ bytes, probability }: Points[number], what: string): void {
  if (!(bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER)) {
    throw new ConfigError(`bytes of ${what} is ${showValue(bytes)}; allowed: a number from 0 to 2^53 - 1`);
  }
  if (!(probability >= 0 && probability <= 1)) {
    throw new ConfigError(`probability of ${what} is ${showValue(probability)}; allowed: a number from 0 to 1`);
  }
}

function checkOrder(before: Points[number], point: Points[number], what: string): void {
  for (const key of ['bytes', 'probability'] as const) {
    if (point[key] >= before[key]) continue;
    throw new ConfigError(`${key} of ${what} is ${point[key]}, after ${before[key]}; they must not fall`);
  }
}

/**
 * Reads `bytes,probability` lines, under the header `size_bytes,cumulative_probability` or none; skips empty lines and `#`. Throws a ConfigError with the line,
 * or that of `checkSizeDistribution`.
 */
export function parseSizeDistribution(name: string, csv: string): SizeDistribution {
  const points: { bytes: number; probability: number }[] = [];
  csv.split(/\r?\n/).forEach((line, index) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#') || (points.length === 0 && text === CSV_HEADER)) return;
    points.push(parsePoint(text, `line ${index + 1} of size distribution ${showValue(name)}`));
  });
  const sizes = { name, points };
  checkSizeDistribution(sizes);
  return sizes;
}

function parsePoint(text: string, what: string): Points[number] {
  const fields = text.split(',').map((field) => field.trim());
  const [bytes, probability] = fields.map(Number);
  if (fields.length === 2 && !fields.includes('') && Number.isFinite(bytes) && Number.isFinite(probability)) {
    return { bytes, probability };
  }
  throw new ConfigError(`${what} is ${showValue(text)}; it has to be a size in bytes, a comma and a probability`);
}
