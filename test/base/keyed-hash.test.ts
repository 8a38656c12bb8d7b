import { describe, expect, it } from 'vitest';
import { keyedHash } from '../../src/base/keyed-hash.js';

describe('the hash with a key', () => {
  it('is the same for the same key, and another for another', () => {
    expect(keyedHash(7, 1)).toBe(keyedHash(7, 1));
    const values = [...Array(64).keys()];
    const differing = values.filter((value) => keyedHash(value, 1) !== keyedHash(value, 2));
    expect(differing.length).toBeGreaterThan(60);
  });

  it('spreads counted values over the low bits whatever the key', () => {
    for (const seed of [0, 1, 0xffff_ffff, 0x8000_0000]) {
      const places = new Set([...Array(1_000).keys()].map((value) => keyedHash(value, seed) & 0xfff));
      // 1,000 values thrown into 4,096 places by chance take 888 on average.
      expect(places.size, `seed ${seed}`).toBeGreaterThan(780);
    }
  });
});
