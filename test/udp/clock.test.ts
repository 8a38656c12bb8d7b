import { describe, expect, it } from 'vitest';
import { monotonicNs } from '../../src/udp/clock.js';

describe('monotonicNs', () => {
  it('goes forward, finer than a microsecond, from the start of the process', () => {
    const readings = Float64Array.from({ length: 10_000 }, monotonicNs);
    const steps = readings.subarray(1).map((nowNs, at) => nowNs - readings[at]);
    expect(steps.every((stepNs) => stepNs >= 0)).toBe(true);
    // The least of them: between most others a busy machine may do anything.
    expect(Math.min(...steps.filter((stepNs) => stepNs > 0))).toBeLessThan(1_000);
    expect(readings[0]).toBeLessThan(600e9);
  });
});
