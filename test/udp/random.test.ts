import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../../src/udp/random.js';

describe('SystemRandom', () => {
  it('gives 32-bit integers and numbers below one, and never the same block twice', () => {
    const random = new SystemRandom();
    const draws = Array.from({ length: 5_000 }, () => random.uint32());
    expect(draws.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32)).toBe(true);
    // 5,000 draws of 32 bits collide 0.003 times on average.
    expect(new Set(draws).size).toBeGreaterThan(4_995);
    const next = random.next();
    expect(next).toBeGreaterThanOrEqual(0);
    expect(next).toBeLessThan(1);
  });

  it('draws what only has to be uniform from a generator that the system seeds', () => {
    const [one, other] = [new SystemRandom(), new SystemRandom()];
    const draws = Array.from({ length: 5_000 }, () => one.next());
    expect(draws.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(Math.abs(draws.reduce((sum, value) => sum + value, 0) / 5_000 - 0.5)).toBeLessThan(0.03);
    expect(other.next()).not.toBe(draws[0]);
  });
});
