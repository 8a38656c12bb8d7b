import { describe, expect, it } from 'vitest';
import { HostClock } from '../../src/sim/host-clock.js';

describe('the clock of a host', () => {
  it('shows the time of the world while it does not drift', () => {
    const clock = new HostClock();
    expect([clock.toOwn(1 / 3), clock.toWorld(1 / 3)]).toEqual([1 / 3, 1 / 3]);
    expect(clock.toWorld(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('gains a microsecond in 10 ms at 100 ppm', () => {
    const clock = new HostClock(100);
    expect(clock.toOwn(10e6)).toBeCloseTo(10e6 + 1e3, 6);
    expect(clock.toWorld(10e6 + 1e3)).toBeCloseTo(10e6, 6);
    expect(clock.toWorld(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not jump when its speed changes', () => {
    const clock = new HostClock(200);
    const beforeNs = clock.toOwn(5e6);
    clock.setDrift(-200, 5e6);
    expect(clock.toOwn(5e6)).toBe(beforeNs);
    expect(clock.toOwn(10e6) - beforeNs).toBeCloseTo(5e6 - 1e3, 6);
    clock.setDrift(0, 10e6);
    expect(clock.toOwn(20e6) - clock.toOwn(10e6)).toBeCloseTo(10e6, 6);
  });
});
