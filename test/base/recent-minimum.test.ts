import { describe, expect, it } from 'vitest';
import { RecentMinimum } from '../../src/base/recent-minimum.js';
import { SECOND_NS } from '../../src/base/time.js';

describe('a recent minimum', () => {
  it('is the least value of the last 5 to 10 s', () => {
    const least = new RecentMinimum();
    expect(least.value).toBe(Number.POSITIVE_INFINITY);
    least.sample(3, 0);
    least.sample(7, 6 * SECOND_NS);
    expect(least.value).toBe(3);
    least.sample(8, 12 * SECOND_NS);
    expect(least.value).toBe(7);
  });

  it('forgets everything when told to', () => {
    const least = new RecentMinimum();
    least.sample(3, 0);
    least.sample(4, 6 * SECOND_NS);
    least.reset();
    expect(least.value).toBe(Number.POSITIVE_INFINITY);
    least.sample(9, 6 * SECOND_NS);
    expect(least.value).toBe(9);
  });
});
