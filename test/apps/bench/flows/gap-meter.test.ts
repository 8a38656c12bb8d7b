import { describe, expect, it } from 'vitest';
import { GapMeter } from '../../../../src/apps/bench/flows/gap-meter.js';

/** A meter that has seen credits with these gaps, in us. */
function meterOf(idealUs: number, gapsUs: readonly number[]): GapMeter {
  const meter = new GapMeter(idealUs * 1e3);
  let nowNs = 0;
  meter.onCredit(nowNs);
  for (const gapUs of gapsUs) {
    nowNs += gapUs * 1e3;
    meter.onCredit(nowNs);
  }
  return meter;
}

describe('the meter of gaps between credits', () => {
  it('tells the deviation from their mean and the error against the ideal', () => {
    // The mean is 21.
    const { count, deviationUs, p99Us } = meterOf(20, [20, 24, 19, 21, 21]).take();
    expect(count).toBe(5);
    expect(deviationUs).toBeCloseTo(Math.sqrt((1 + 9 + 4) / 5), 6);
    expect(p99Us).toBeCloseTo(4, 2);
  });

  it('finds no deviation in even gaps that are not the ideal', () => {
    const { deviationUs, p99Us } = meterOf(20, [25, 25, 25]).take();
    expect(deviationUs).toBe(0);
    expect(p99Us).toBeCloseTo(5, 2);
  });

  it('begins anew when it was asked, with the gap after the last credit', () => {
    const meter = meterOf(20, [100]);
    meter.take();
    meter.onCredit(100e3 + 23e3);
    expect(meter.take()).toMatchObject({ count: 1, deviationUs: 0 });
    expect(meter.take().count).toBe(0);
  });

  it('forgets what came before a measurement', () => {
    const meter = meterOf(20, [100, 5]);
    meter.forget();
    meter.onCredit(105e3 + 23e3);
    expect(meter.take()).toMatchObject({ count: 1, deviationUs: 0, p99Us: expect.closeTo(3, 2) });
  });
});
