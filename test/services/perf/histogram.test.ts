import { build } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { barsOf, DurationHistogram, NO_DURATIONS } from '../../../src/services/perf/histogram.js';

describe('a histogram of durations', () => {
  it('tells the percentiles in microseconds, each within 0.1 %', () => {
    const histogram = new DurationHistogram();
    // 1 us, 2 us, ... 10 ms.
    for (let us = 1; us <= 10_000; us++) histogram.record(us * 1e3);
    const { min, mean, p50, p90, p99, p999, max, count } = histogram.percentiles();
    expect(count).toBe(10_000);
    expect(min).toBe(1);
    for (const [value, exact] of [
      [mean, 5_000.5],
      [p50, 5_000],
      [p90, 9_000],
      [p99, 9_900],
      [p999, 9_990],
      [max, 10_000],
    ]) {
      expect(Math.abs(value / exact - 1), `${value} for ${exact}`).toBeLessThan(0.001);
    }
  });

  it('forgets what was recorded', () => {
    const histogram = new DurationHistogram();
    histogram.record(5e3);
    histogram.reset();
    expect(histogram.percentiles()).toEqual(NO_DURATIONS);
    histogram.record(7e3);
    expect(histogram.percentiles()).toMatchObject({ count: 1, p50: 7 });
  });

  it('tells what was recorded since it was cut last', () => {
    const histogram = new DurationHistogram();
    histogram.record(5e3);
    expect(histogram.cut()).toMatchObject({ count: 1, min: 5 });
    histogram.record(7e3);
    expect(histogram.cut()).toMatchObject({ count: 1, min: 7 });
    expect(histogram.cut()).toEqual(NO_DURATIONS);
    expect(histogram.percentiles().count).toBe(2);
  });

  it('has a class for each power of two, and bars from the first that has some', () => {
    const histogram = new DurationHistogram();
    for (const us of [3, 5, 5, 16]) histogram.record(us * 1e3);
    expect(histogram.classes()).toEqual([0, 0, 1, 2, 0, 1]);
    expect(barsOf(histogram.classes())).toEqual([
      [4, 1],
      [8, 2],
      [16, 0],
      [32, 1],
    ]);
    expect(barsOf([])).toEqual([]);
  });

  it('is empty at first', () => {
    const histogram = new DurationHistogram();
    expect(histogram.percentiles()).toEqual(NO_DURATIONS);
  });

  it('takes what is out of range as the nearest value within it', () => {
    const histogram = new DurationHistogram();
    for (const durationNs of [-5, 0, 3, 1e18, Number.POSITIVE_INFINITY]) histogram.record(durationNs);
    const { min, max, count } = histogram.percentiles();
    expect([min, count]).toEqual([0, 5]);
    expect(max).toBeCloseTo(21.47e6, -4);
  });

  it('counts a million of one value', () => {
    const histogram = new DurationHistogram();
    for (let time = 0; time < 1_000_000; time++) histogram.record(7e3);
    const { p50, max, count } = histogram.percentiles();
    expect([p50, max, count]).toEqual([7, 7, 1_000_000]);
  });

  it('puts every duration where an HDR histogram would', () => {
    const direct = build({ bitBucketSize: 64, autoResize: false, highestTrackableValue: 2 ** 31 - 1 });
    const ours = new DurationHistogram();
    for (let units = 1; units < 2 ** 31; units = Math.ceil(units * 1.01)) {
      direct.recordValue(units);
      ours.record(units * 10);
    }
    const { min, p50, p90, p99, p999, max, count } = ours.percentiles();
    const of = (percentile: number) => direct.getValueAtPercentile(percentile) / 100;
    expect([min, p50, p90, p99, p999, max]).toEqual([0, 50, 90, 99, 99.9, 100].map(of));
    expect(count).toBe(direct.totalCount);
  });
});
