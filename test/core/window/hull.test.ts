import { describe, expect, it } from 'vitest';
import { windowAlgorithm } from '../../../src/core/window/registry.js';
import { acknowledge, TEN_GIGABIT } from './sample.js';

describe('hull', () => {
  it('has the window of dctcp, and spreads it over the smoothed RTT', () => {
    const hull = windowAlgorithm('hull', TEN_GIGABIT, { pacing_gain: 1.25 });
    const dctcp = windowAlgorithm('dctcp', TEN_GIGABIT);
    for (const flow of [hull, dctcp]) {
      acknowledge(flow, [0, 5], { sentFrames: 15 });
      acknowledge(flow, [15, 20], { sentFrames: 30, markedFrames: 1 });
    }
    expect(hull.windowFrames).toBe(dctcp.windowFrames);
    expect(dctcp.pacingGapNs).toBe(0);
    expect(hull.pacingGapNs).toBeCloseTo(100_000 / (1.25 * hull.windowFrames), 9);
  });

  it('sends twice as fast in slow start', () => {
    const hull = windowAlgorithm('hull', TEN_GIGABIT);
    expect(hull.pacingGapNs).toBe(0);
    acknowledge(hull, [0, 10], { sentFrames: 20 });
    expect(hull.pacingGapNs).toBeCloseTo(100_000 / (2 * 20), 9);
  });
});
