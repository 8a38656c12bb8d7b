import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOfRate, MAX_RATE_CODE, rateOfCode } from '../../src/wire/rate-code.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

const CODES = Array.from({ length: MAX_RATE_CODE }, (_, index) => index + 1);

describe('rate codes', () => {
  it('are octaves above 1 kbit/s in 128 steps each', () => {
    expect([128, 10 * 128, 20 * 128].map(rateOfCode)).toEqual([2_000, 1_024_000, 1_048_576_000]);
    // 1 Gbit/s is 2^19.9316 kbit/s: 128 * 19.9316 is 2551.24, and code 2551 is 0.13 % below.
    expect(codeOfRate(1e9)).toBe(2_551);
    expect(rateOfCode(2_551)).toBeCloseTo(998_696_992, 0);
    expect([codeOfRate(100e6), codeOfRate(10e9), codeOfRate(100e9)]).toEqual([2_126, 2_976, 3_402]);
  });

  it('name each rate by one that is at most 0.27 % off', () => {
    // Half of a step: 2^(1/256) is 1.00271.
    const exponents = fc.double({
      min: Math.log2(rateOfCode(1)),
      max: Math.log2(rateOfCode(MAX_RATE_CODE)),
      noNaN: true,
    });
    holds(exponents, 1_000, (exponent) => {
      const rateBps = 2 ** exponent;
      expect(Math.abs(Math.log2(rateOfCode(codeOfRate(rateBps)) / rateBps))).toBeLessThanOrEqual(1 / 256 + 1e-9);
    });
  });

  it('come back from the rate that they name, each above the one before', () => {
    expect(CODES.map((code) => codeOfRate(rateOfCode(code)))).toEqual(CODES);
    expect(CODES.every((code) => rateOfCode(code) > rateOfCode(code - 1))).toBe(true);
  });

  it('end at 1 and 4,095, and 0 is no rate', () => {
    expect([1e-9, 1, 1_000, 1_008].map(codeOfRate)).toEqual([1, 1, 1, 1]);
    expect([5e12, 1e300, Number.POSITIVE_INFINITY].map(codeOfRate)).toEqual([4_095, 4_095, 4_095]);
    expect(rateOfCode(0)).toBe(0);
    expect(MAX_RATE_CODE).toBe(4_095);
  });
});
