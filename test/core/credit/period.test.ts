import { describe, expect, it } from 'vitest';
import { creditGapNs, floorRateBps, updatePeriodNs } from '../../../src/core/credit/period.js';
import { CREDIT_ALGORITHMS, creditAlgorithm } from '../../../src/core/credit/registry.js';

const at = (maxRateBps: number) => ({ maxRateBps, bytesPerCredit: 1626 });

/** Name, credits that a period holds at least, RTTs that it lasts. */
const PERIODS: readonly [string, number, number][] = [
  ['steady', 4, 0.25],
  ['leaning', 32, 0.5],
  ['expresspass', 32, 1],
  ['expresspass-literal', 1, 1],
  ['expresspass-ns2', 1, 1],
  ['expresspass-2016', 1, 1],
  ['ec4', 32, 1],
  ['ec4-literal', 32, 1],
  ['naive', 1, 1],
  ['spraypass', 32, 1],
  ['spraypass-1', 32, 1],
  ['spraypass-2', 32, 1],
];

describe('the update period', () => {
  it('is the RTT on a fast link', () => {
    // 32 credits of 1,626 B take 41.6 us at 10 Gbit/s.
    expect(updatePeriodNs(at(1e10), 100_000, 32)).toBe(100_000);
  });

  it('is the time of some credits on a slow one', () => {
    expect(creditGapNs(at(1e8), 1e8)).toBeCloseTo(130_080, 6);
    expect(updatePeriodNs(at(1e8), 300_000, 32)).toBeCloseTo(32 * 130_080, 6);
    expect(updatePeriodNs(at(1e8), 0, 32)).toBeCloseTo(32 * 130_080, 6);
  });

  it('is known of every algorithm', () => {
    expect(PERIODS.map(([name]) => name).sort()).toEqual(CREDIT_ALGORITHMS.map(({ name }) => name).sort());
  });

  it.each(PERIODS)('of %s holds %i credits, or lasts %d RTTs', (name, credits, rtts) => {
    const algorithm = creditAlgorithm(name, at(1e8));
    expect(algorithm.updatePeriodNs(0)).toBeCloseTo(credits * 130_080, 6);
    expect(algorithm.updatePeriodNs(1e8)).toBe(rtts * 1e8);
  });
});

describe('the lowest rate', () => {
  it('is one credit an update period', () => {
    expect(creditGapNs(at(1e10), floorRateBps(at(1e10), 100_000))).toBeCloseTo(100_000, 6);
  });
});
