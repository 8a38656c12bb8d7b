import { describe, expect, it } from 'vitest';
import { Intervals } from '../../../src/apps/perf/intervals.js';

describe('intervals', () => {
  it('are as long as they really were, and have what grew in them', () => {
    const intervals = new Intervals({ nowNs: 5e9, bytes: [100, 0], retransmits: [3] });
    expect(intervals.elapsedNs(6.5e9)).toBe(1.5e9);
    expect(intervals.cut({ nowNs: 6.5e9, bytes: [400, 50], retransmits: [4] })).toEqual({
      startS: 0,
      endS: 1.5,
      flowBytes: [300, 50],
      retransmits: [1],
    });
    expect(intervals.cut({ nowNs: 7e9, bytes: [400, 60], retransmits: [0] })).toEqual({
      startS: 1.5,
      endS: 2,
      flowBytes: [0, 10],
      // Counts begin anew with the measurement.
      retransmits: [0],
    });
  });
});
