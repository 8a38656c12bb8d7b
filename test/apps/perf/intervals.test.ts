import { describe, expect, it } from 'vitest';
import { Intervals } from '../../../src/apps/perf/intervals.js';
import { NO_DURATIONS } from '../../../src/services/perf/histogram.js';

const sample = (nowNs: number, bytes: number[], repairs: (number | null)[]) => ({
  nowNs,
  bytes,
  repairs,
  underWayBytes: [bytes[1], null],
  rtt: [NO_DURATIONS],
});

describe('intervals', () => {
  it('are as long as they really were, and have what grew in them', () => {
    const intervals = new Intervals(sample(5e9, [100, 0], [3, null]), true);
    expect(intervals.elapsedNs(6.5e9)).toBe(1.5e9);
    expect(intervals.cut(sample(6.5e9, [400, 50], [4, null]))).toEqual({
      startS: 0,
      endS: 1.5,
      isOmitted: true,
      flowBytes: [300, 50],
      retransmits: [1, null],
      underWayBytes: [50, null],
      rtt: [NO_DURATIONS],
    });
    expect(intervals.cut(sample(7e9, [400, 60], [4, null]))).toMatchObject({
      startS: 1.5,
      endS: 2,
      flowBytes: [0, 10],
      retransmits: [0, null],
    });
  });
});
