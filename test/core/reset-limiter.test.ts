import { describe, expect, it } from 'vitest';
import { SECOND_NS } from '../../src/base/time.js';
import { ResetLimiter } from '../../src/core/reset-limiter.js';

function allowed(limiter: ResetLimiter, nowNs: number, tries: number): number {
  let count = 0;
  for (let turn = 0; turn < tries; turn++) if (limiter.allow(nowNs)) count++;
  return count;
}

describe('answers to strangers', () => {
  it('are a hundred at once at most', () => {
    expect(allowed(new ResetLimiter(), 0, 500)).toBe(100);
  });

  it('come back at a hundred a second, and are not saved up', () => {
    const limiter = new ResetLimiter();
    allowed(limiter, 0, 500);
    expect(allowed(limiter, 0.25 * SECOND_NS, 500)).toBe(25);
    expect(allowed(limiter, 60 * SECOND_NS, 500)).toBe(100);
  });

  it('are never more than a hundred in a second and as many from before, however they are spread', () => {
    const limiter = new ResetLimiter();
    let count = 0;
    for (let nowNs = 0; nowNs < 10 * SECOND_NS; nowNs += SECOND_NS / 1_000) count += allowed(limiter, nowNs, 3);
    expect(count).toBeGreaterThan(1_090);
    expect(count).toBeLessThanOrEqual(1_100);
  });
});
