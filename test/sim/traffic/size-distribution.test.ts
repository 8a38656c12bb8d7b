import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/base/config-error.js';
import { type Random, SeededRandom } from '../../../src/base/random.js';
import {
  checkSizeDistribution,
  meanBytes,
  parseSizeDistribution,
  sampleBytes,
} from '../../../src/sim/traffic/size-distribution.js';
import { allowLongRuns, holds, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

function distribution(...points: [number, number][]) {
  return { name: 'mine', points: points.map(([bytes, probability]) => ({ bytes, probability })) };
}

/** A source that draws this value. */
function drawing(value: number): Random {
  return { next: () => value, uint32: () => value * 2 ** 32 };
}

/** A fifth of exactly 300 bytes, nothing up to 600, then even up to 1000. */
const STEPS = distribution([100, 0], [300, 0.2], [300, 0.4], [600, 0.4], [1000, 1]);

describe('a distribution of flow sizes', () => {
  it('has the mean of its lines and of its steps', () => {
    expect(meanBytes(STEPS)).toBeCloseTo(0.2 * 200 + 0.2 * 300 + 0.6 * 800, 9);
    expect(meanBytes(distribution([50, 1]))).toBe(50);
  });

  it('has the first size below the first probability', () => {
    const sizes = distribution([1000, 0.5], [2000, 1]);
    expect(meanBytes(sizes)).toBe(500 + 750);
    expect([0, 0.49, 0.5, 0.75].map((drawn) => sampleBytes(sizes, drawing(drawn)))).toEqual([1000, 1000, 1000, 1500]);
  });

  it('is sampled by inversion', () => {
    const drawn = [0, 0.1, 0.2, 0.39, 0.4, 0.7, 1 - 2 ** -32];
    expect(drawn.map((value) => sampleBytes(STEPS, drawing(value)))).toEqual([100, 200, 300, 300, 600, 800, 1000]);
  });

  it('gives whole bytes and at least one', () => {
    const small = distribution([0, 0], [3, 1]);
    expect([0, 0.1, 0.4, 0.6].map((drawn) => sampleBytes(small, drawing(drawn)))).toEqual([1, 1, 1, 2]);
  });

  it('is sampled as often as its probabilities say, whatever its points', () => {
    const points = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 100 })), { maxLength: 8 })
      .map((pairs) => {
        const bytes = [...pairs.map(([size]) => size), 1e6].sort((one, other) => one - other);
        const parts = [...pairs.map(([, part]) => part / 100), 1].sort((one, other) => one - other);
        return distribution(...bytes.map((size, index): [number, number] => [size, parts[index]]));
      });
    const samples = 4000;
    holds(points, 30, (sizes) => {
      checkSizeDistribution(sizes);
      const random = new SeededRandom(TEST_SEED);
      const drawn = Array.from({ length: samples }, () => sampleBytes(sizes, random));
      for (const { bytes, probability } of sizes.points) {
        const below = drawn.filter((size) => size < bytes).length / samples;
        const upTo = drawn.filter((size) => size <= bytes).length / samples;
        // Six standard deviations of a share of 4,000. The points' sizes are whole, so that rounding moves nothing across them.
        expect(below).toBeLessThanOrEqual(probability + 0.05);
        expect(upTo).toBeGreaterThanOrEqual(probability - 0.05);
      }
    });
  });

  it.each<[string, [number, number][], string]>([
    ['no points', [], "size distribution 'mine' has no points; it needs at least one"],
    [
      'falling sizes',
      [
        [10, 0],
        [5, 1],
      ],
      "bytes of point 2 of size distribution 'mine' is 5, after 10; they must not fall",
    ],
    [
      'falling probabilities',
      [
        [10, 0],
        [20, 0.5],
        [30, 0.4],
        [40, 1],
      ],
      "probability of point 3 of size distribution 'mine' is 0.4, after 0.5; they must not fall",
    ],
    [
      'an end below 1',
      [
        [10, 0],
        [20, 0.9],
      ],
      "size distribution 'mine' ends at probability 0.9; the last point's probability has to be 1",
    ],
    [
      'percentages',
      [
        [10, 0],
        [20, 100],
      ],
      "probability of point 2 of size distribution 'mine' is 100; allowed: a number from 0 to 1",
    ],
    [
      'a negative size',
      [
        [-1, 0],
        [20, 1],
      ],
      "bytes of point 1 of size distribution 'mine' is -1; allowed: a number from 0 to 2^53 - 1",
    ],
    [
      'what is not a number',
      [[Number.NaN, 1]],
      "bytes of point 1 of size distribution 'mine' is NaN; allowed: a number from 0 to 2^53 - 1",
    ],
    [
      'no size but 0',
      [
        [0, 0],
        [0, 1],
      ],
      "size distribution 'mine' has no size above 0; the last point's has to be at least 1",
    ],
  ])('is refused with %s', (_, points, sentence) => {
    expect(() => checkSizeDistribution(distribution(...points))).toThrow(new ConfigError(sentence));
  });
});

describe('a table of flow sizes', () => {
  it('is read with its header, comments and empty lines', () => {
    const text = '# sizes\nsize_bytes,cumulative_probability\r\n70,0\r\n\r\n 150 , 0.5 \n1e6,1\n';
    expect(parseSizeDistribution('mine', text)).toEqual(distribution([70, 0], [150, 0.5], [1e6, 1]));
  });

  it('is read without a header', () => {
    expect(parseSizeDistribution('mine', '70,0\n80,1')).toEqual(distribution([70, 0], [80, 1]));
  });

  it.each([
    ['70,0\n80', "line 2 of size distribution 'mine' is '80'"],
    ['70,0,3\n80,1', "line 1 of size distribution 'mine' is '70,0,3'"],
    ['70;0', "line 1 of size distribution 'mine' is '70;0'"],
    ['70,0\nsize_bytes,cumulative_probability', "line 2 of size distribution 'mine' is 'size_bytes,"],
    ['70,\n80,1', "line 1 of size distribution 'mine' is '70,'"],
    ['70,0\n80,one', "line 2 of size distribution 'mine' is '80,one'"],
    ['70,0\nInfinity,1', "line 2 of size distribution 'mine' is 'Infinity,1'"],
    ['70,0\n60,1', "bytes of point 2 of size distribution 'mine' is 60, after 70"],
    ['', "size distribution 'mine' has no points"],
  ])('with %j is refused', (text, sentence) => {
    expect(() => parseSizeDistribution('mine', text)).toThrow(ConfigError);
    expect(() => parseSizeDistribution('mine', text)).toThrow(sentence);
  });
});
