import { describe, expect, it } from 'vitest';
import { loadedRows } from '../../../src/apps/bench/loaded.js';
import { DurationHistogram } from '../../../src/services/perf/histogram.js';

/** What a sink tells after 4 s with this part of 200 Mbit/s, and short flows of 300 us. */
function rowsAt(load: number) {
  const completion = new DurationHistogram();
  completion.record(300_000);
  const [rtt, rare] = [new DurationHistogram(), new DurationHistogram()];
  rtt.record(100_000);
  rare.record(400_000);
  const arrived = { completion: completion.percentiles(), bytes: (load * 200e6 * 4) / 8, seconds: 4 };
  return loadedRows(arrived, { raw: { rtt: rtt.percentiles() }, seldom: { rtt: rare.percentiles() } });
}

describe('short flows under load', () => {
  it('have a figure where the load is what was asked for, give or take what chance does', () => {
    for (const load of [0.54, 0.6, 0.66]) {
      const [p50, , seldom, arrived] = rowsAt(load);
      expect(p50.value / (p50.raw ?? 0)).toBeCloseTo(3, 1);
      expect(seldom.value / (seldom.raw ?? 0)).toBeCloseTo(0.75, 1);
      expect([arrived.value, arrived.raw]).toEqual([load, 0.6]);
    }
  });

  it('have none where it is less, or more since flows that had piled up are being worked off', () => {
    for (const load of [0.31, 0.52, 0.68]) {
      const [p50, p99, seldom, arrived] = rowsAt(load);
      expect([p50.value, p99.value, seldom.value]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
      expect(p50.note).toBe('of runs whose load was 0.53 to 0.67');
      expect(arrived.value).toBe(load);
    }
  });
});
