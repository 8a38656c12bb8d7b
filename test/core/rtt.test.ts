import { describe, expect, it } from 'vitest';
import { RttEstimator } from '../../src/core/rtt.js';

const NO_LIMIT = { idleTimeoutNs: Number.POSITIVE_INFINITY };

describe('the smoothed RTT', () => {
  it('is the first sample, with half of it as variation', () => {
    const rtt = new RttEstimator(NO_LIMIT);
    rtt.sample(800);
    expect([rtt.smoothedNs, rtt.variationNs, rtt.minNs]).toEqual([800, 400, 800]);
  });

  it('moves by an eighth, and its variation by a quarter, the variation first', () => {
    const rtt = new RttEstimator(NO_LIMIT);
    rtt.sample(800);
    rtt.sample(1_600);
    expect([rtt.smoothedNs, rtt.variationNs]).toEqual([900, 400 + (800 - 400) / 4]);
    rtt.sample(500);
    expect([rtt.smoothedNs, rtt.variationNs, rtt.minNs]).toEqual([850, 500 + (400 - 500) / 4, 500]);
  });

  it('goes by a sample after several round trips as by one in each of them', () => {
    const rtt = new RttEstimator(NO_LIMIT);
    rtt.sample(800);
    rtt.sample(1_600, 800);
    expect(rtt.smoothedNs).toBe(900);
    rtt.sample(100, 1_800);
    expect(rtt.smoothedNs).toBe(100 + 800 * (7 / 8) ** 2);
  });

  it('ignores a sample from the future', () => {
    const rtt = new RttEstimator(NO_LIMIT);
    rtt.sample(-1);
    expect(rtt.smoothedNs).toBe(0);
    expect(rtt.minNs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the retransmission time', () => {
  it('is the initial one before a sample', () => {
    expect(new RttEstimator(NO_LIMIT).retransmitNs(10, 100)).toBe(100);
  });

  it('is the smoothed RTT and four variations, or the margin where that is more', () => {
    const rtt = new RttEstimator(NO_LIMIT);
    rtt.sample(800);
    expect(rtt.retransmitNs(1_000, 100)).toBe(800 + 1_600);
    expect(rtt.retransmitNs(5_000, 100)).toBe(800 + 5_000);
  });

  it('and every other wait is bounded, whatever a process that slept has sampled', () => {
    const rtt = new RttEstimator({ idleTimeoutNs: 10_000 });
    rtt.sample(800);
    expect([rtt.waitNs(2), rtt.retransmitNs(100, 50)]).toEqual([1_600, 2_400]);
    rtt.sample(60_000);
    expect([rtt.waitNs(1), rtt.retransmitNs(100, 50)]).toEqual([2_500, 2_500]);
  });
});
