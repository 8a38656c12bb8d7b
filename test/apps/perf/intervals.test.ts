import { describe, expect, it } from 'vitest';
import { Intervals } from '../../../src/apps/perf/intervals.js';

describe('intervals', () => {
  it('tell what each brought, and are as long as they really were', () => {
    const intervals = new Intervals(5e9, [0, 0]);
    expect(intervals.elapsedNs(6e9)).toBe(1e9);
    expect(intervals.cut(6e9, [1_000_000, 3_000_000])).toEqual({
      startS: 0,
      endS: 1,
      bytes: 4_000_000,
      goodputBps: 32e6,
      flows: [8e6, 24e6],
      jain: 0.8,
    });
    expect(intervals.elapsedNs(6.5e9)).toBe(0.5e9);
    expect(intervals.cut(7.5e9, [1_000_000, 6_000_000])).toEqual({
      startS: 1,
      endS: 2.5,
      bytes: 3_000_000,
      goodputBps: 16e6,
      flows: [0, 16e6],
      jain: 0.5,
    });
  });

  it('in which nothing came have no Jain index', () => {
    const interval = new Intervals(0, [7, 7]).cut(1e9, [7, 7]);
    expect(interval).toMatchObject({ bytes: 0, goodputBps: 0, flows: [0, 0] });
    expect(interval.jain).toBeNaN();
  });
});
