import { describe, expect, it } from 'vitest';
import { trendOf } from '../../../../src/apps/bench/soak/trend.js';
import { SeededRandom } from '../../../../src/base/random.js';

const times = (count: number): number[] => Array.from({ length: count }, (_, at) => at * 10);

describe('the trend of samples', () => {
  it('is that of a straight line, without an error', () => {
    const { mean, slope, slopeError } = trendOf(
      times(11),
      times(11).map((time) => 5 + 3 * time),
    );
    expect([mean, slope]).toEqual([155, 3]);
    expect(slopeError).toBeCloseTo(0, 9);
  });

  it('has the error of the textbook where neighbours are alike in nothing', () => {
    // Residuals +, -, -, +, ... of 1: the correlation of neighbours is nearly 0, so all samples count.
    const signs = [1, -1, -1, 1];
    const values = times(400).map((_, at) => signs[at % 4]);
    const spread = times(400).reduce((sum, time) => sum + (time - 1_995) ** 2, 0);
    const { slope, slopeError } = trendOf(times(400), values);
    expect(Math.abs(slope)).toBeLessThan(1e-5);
    expect(slopeError).toBeCloseTo(1.966 * Math.sqrt(400 / 398 / spread), 6);
  });

  it('holds the true slope in about 95 of 100 noisy series', () => {
    const random = new SeededRandom(7);
    let held = 0;
    for (let series = 0; series < 400; series++) {
      const values = times(60).map((time) => 2 * time + 100 * (random.next() + random.next() + random.next()));
      const { slope, slopeError } = trendOf(times(60), values);
      if (Math.abs(slope - 2) <= slopeError) held++;
    }
    // Five standard deviations of a binomial of 400 and 0.95 are 22; the samples' own correlation makes the bounds a little too narrow or wide.
    expect(held).toBeGreaterThan(380 - 22);
    expect(held).toBeLessThan(400);
  });

  it('trusts samples less that stay where they were', () => {
    const steps = times(100).map((_, at) => (Math.floor(at / 20) % 2 === 0 ? 1 : -1));
    const shuffled = times(100).map((_, at) => (at % 2 === 0 ? 1 : -1) * (at % 4 < 2 ? 1 : -1));
    expect(trendOf(times(100), steps).slopeError).toBeGreaterThan(3 * trendOf(times(100), shuffled).slopeError);
  });

  it('knows no trend of constant samples', () => {
    expect(trendOf(times(8), new Array(8).fill(4))).toEqual({ mean: 4, slope: 0, slopeError: 0 });
  });
});
