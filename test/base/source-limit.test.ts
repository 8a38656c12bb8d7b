import { describe, expect, it } from 'vitest';
import { SourceLimit } from '../../src/base/source-limit.js';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { TEST_SEED } from '../harness/seeds.js';

const limitOf = (perSecond: number, perSecondInAll: number) =>
  new SourceLimit({ perSecond, perSecondInAll, seed: TEST_SEED });

/** How many of `tries` at one time are allowed. */
function allowed(limit: SourceLimit, source: number, at: { nowNs: number; tries: number }): number {
  let count = 0;
  for (let step = 0; step < at.tries; step++) if (limit.allow(source, at.nowNs)) count++;
  return count;
}

describe('a limit by source', () => {
  it('gives one source its rate, with what it left in the second before', () => {
    const limit = limitOf(100, 10_000);
    expect(allowed(limit, 7, { nowNs: 0, tries: 1_000 })).toBe(100);
    expect(allowed(limit, 7, { nowNs: 100 * MILLISECOND_NS, tries: 1_000 })).toBe(10);
    expect(allowed(limit, 7, { nowNs: 5 * SECOND_NS, tries: 1_000 })).toBe(100);
  });

  it('lets an honest source through while a hundred others flood', () => {
    const limit = limitOf(10, 100_000);
    let honest = 0;
    for (let step = 0; step < 1_000; step++) {
      const nowNs = step * MILLISECOND_NS;
      for (let source = 1; source <= 100; source++) limit.allow(source, nowNs);
      if (step % 200 === 0 && limit.allow(1_000 + step, nowNs)) honest++;
    }
    expect(honest, `seed ${TEST_SEED}`).toBeGreaterThanOrEqual(4);
  });

  it('gives all sources together no more than their rate, however many there are', () => {
    const limit = limitOf(100, 1_000);
    let count = 0;
    for (let source = 0; source < 50_000; source++) if (limit.allow(source, source * 20_000)) count++;
    expect(count).toBeLessThanOrEqual(1_251);
    expect(count).toBeGreaterThanOrEqual(1_200);
  });

  it('counts nothing against a source that all others together kept out', () => {
    const limit = limitOf(2, 20);
    for (let source = 0; source < 100; source++) limit.allow(source, 0);
    expect(allowed(limit, 500, { nowNs: 0, tries: 5 })).toBe(0);
    expect(allowed(limit, 500, { nowNs: SECOND_NS, tries: 5 })).toBe(2);
  });
});
