import { describe, expect, it } from 'vitest';
import { creditGapNs, floorRateBps, PERIOD_CREDITS, updatePeriodNs } from '../../../src/core/credit/period.js';

const at = (maxRateBps: number) => ({ maxRateBps, bytesPerCredit: 1626 });

describe('the update period', () => {
  it('is the RTT on a fast link', () => {
    // 32 credits of 1,626 B take 41.6 us at 10 Gbit/s.
    expect(updatePeriodNs(at(1e10), 100_000)).toBe(100_000);
  });

  it('is the time of 32 credits on a slow one', () => {
    expect(creditGapNs(at(1e8), 1e8)).toBeCloseTo(130_080, 6);
    expect(updatePeriodNs(at(1e8), 300_000)).toBeCloseTo(32 * 130_080, 6);
    expect(updatePeriodNs(at(1e8), 0)).toBeCloseTo(32 * 130_080, 6);
  });
});

describe('the lowest rate', () => {
  it('is one credit an update period', () => {
    expect(creditGapNs(at(1e10), floorRateBps(at(1e10), 100_000))).toBeCloseTo(100_000, 6);
  });

  it('is at most a thirty-second of the link, where one credit an RTT could be more than all of it', () => {
    expect(floorRateBps(at(1e8), 100_000)).toBeCloseTo(1e8 / PERIOD_CREDITS, 6);
  });
});
