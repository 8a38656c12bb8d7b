import { expect, it } from 'vitest';
import { RateLimiter } from '../../../src/apps/send/rate-limiter.js';

it('keeps to its rate, whoever takes', () => {
  const limiter = new RateLimiter(8e6);
  let nowNs = 0;
  for (let read = 0; read < 100; read++) nowNs += limiter.take(65_536, nowNs);
  // A megabyte a second, less a burst of 131,072 bytes.
  expect(nowNs).toBeCloseTo((100 * 65_536 - 131_072) * 1_000, -3);
});

it('waits for nothing without a bound', () => {
  expect(new RateLimiter(Number.POSITIVE_INFINITY).take(1e9, 0)).toBe(0);
});
