import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { sizeClass } from '../../../src/sim/measure/completion-times.js';
import type { SizeDistribution } from '../../../src/sim/scenario.js';
import { checkSizeDistribution, meanBytes, sampleBytes } from '../../../src/sim/traffic/size-distribution.js';
import { WORKLOAD_NAMES, type WorkloadName, workload } from '../../../src/sim/traffic/workloads.js';

const SAMPLES = 100_000;

/** Means in bytes that are declared for the workloads, and the shares of S, M, L and XL in percent: as declared (EC4, Table I), and of the table by hand. */
const EXPECTED: Readonly<Record<WorkloadName, { mean: number; declared: number[]; shares: number[] }>> = {
  'web-server': { mean: 63_735, declared: [63, 18, 19, 0], shares: [63.14, 17.75, 19.11, 0] },
  'web-search': { mean: 1_654_275, declared: [49, 3, 18, 30], shares: [15.52, 38.77, 15.71, 30] },
  'cache-follower': { mean: 701_490, declared: [50, 3, 18, 29], shares: [48, 4, 18.04, 29.96] },
  'data-mining': { mean: 7_410_212, declared: [78, 5, 8, 9], shares: [80, 2.18, 8.97, 8.84] },
};

function sample(sizes: SizeDistribution): number[] {
  const random = new SeededRandom(1);
  return Array.from({ length: SAMPLES }, () => sampleBytes(sizes, random));
}

/** Standard deviation of the distribution's size, from the second moment of its lines. */
function deviation(sizes: SizeDistribution): number {
  let square = 0;
  for (const [index, { bytes: high, probability }] of sizes.points.entries()) {
    if (index === 0) continue;
    const low = sizes.points[index - 1];
    square += ((low.bytes ** 2 + low.bytes * high + high ** 2) / 3) * (probability - low.probability);
  }
  return Math.sqrt(square - meanBytes(sizes) ** 2);
}

describe.each(WORKLOAD_NAMES)('the workload %s', (name) => {
  const sizes = workload(name);
  const drawn = sample(sizes);

  it('is a distribution', () => {
    expect(() => checkSizeDistribution(sizes)).not.toThrow();
    expect(sizes.name).toBe(name);
  });

  it('has a mean of 1.0 to 3.7 % above the declared one', () => {
    const above = (meanBytes(sizes) / EXPECTED[name].mean - 1) * 100;
    expect(Number(above.toFixed(1))).toBeGreaterThanOrEqual(1);
    expect(Number(above.toFixed(1))).toBeLessThanOrEqual(3.7);
  });

  it('is sampled with the mean of its table', () => {
    const mean = drawn.reduce((sum, bytes) => sum + bytes, 0) / SAMPLES;
    // Four standard deviations of a mean of so many.
    expect(Math.abs(mean - meanBytes(sizes))).toBeLessThan((4 * deviation(sizes)) / Math.sqrt(SAMPLES));
  });

  it('is sampled with the shares of the size classes', () => {
    const shares = ['S', 'M', 'L', 'XL'].map(
      (wanted) => (100 * drawn.filter((bytes) => sizeClass(bytes) === wanted).length) / SAMPLES,
    );
    shares.forEach((share, index) => {
      // Four standard deviations of the share of half of so many.
      expect(Math.abs(share - EXPECTED[name].shares[index])).toBeLessThan(0.63);
    });
  });
});

describe('the tables', () => {
  it('have the declared shares within 3 points, but for the small flows of web search', () => {
    const off = WORKLOAD_NAMES.map((name) => {
      const { declared, shares } = EXPECTED[name];
      return Math.max(...shares.map((share, index) => Math.abs(share - declared[index])));
    });
    expect(WORKLOAD_NAMES.filter((_, index) => off[index] > 3)).toEqual(['web-search']);
  });
});
