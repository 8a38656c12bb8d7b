import { describe, expect, it } from 'vitest';
import { monotonicNs } from '../../src/udp/clock.js';

describe('monotonicNs', () => {
  it('goes forward, finer than a microsecond, from the start of the process', () => {
    let last = monotonicNs();
    let steps = 0;
    const startNs = last;
    for (let reading = 0; reading < 10_000; reading++) {
      const nowNs = monotonicNs();
      expect(nowNs).toBeGreaterThanOrEqual(last);
      if (nowNs > last) steps++;
      last = nowNs;
    }
    expect((last - startNs) / steps).toBeLessThan(100_000);
    expect(last).toBeLessThan(600e9);
  });
});
