import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, crc32Before, crc32Bits } from '../../src/base/crc32.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

describe('crc32', () => {
  it('gives the check value of the catalogue of CRCs for "123456789"', () => {
    expect(crc32(new TextEncoder().encode('123456789'), 0, 9)).toBe(0xcbf43926);
  });

  it('is zero for no bytes', () => {
    expect(crc32(new Uint8Array(4), 2, 2)).toBe(0);
  });

  it('agrees with zlib at every length and alignment around the steps of its loop', () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, index) => (index * 89 + 200) & 0xff);
    for (let start = 0; start <= 16; start++) {
      for (let end = start; end <= 64; end++) {
        expect(crc32(bytes, start, end)).toBe(zlib.crc32(bytes.subarray(start, end)));
      }
    }
  });

  it('agrees with zlib on random bytes', () => {
    holds(fc.uint8Array({ maxLength: 3000, size: 'max' }), 300, (bytes) => {
      expect(crc32(bytes, 0, bytes.length)).toBe(zlib.crc32(bytes));
      expect(crc32Bits(bytes, 0, bytes.length)).toBe(zlib.crc32(bytes) | 0);
    });
  });
});

describe('crc32Before', () => {
  it('takes bytes back from the end of a CRC', () => {
    const input = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 12 }));
    holds(input, 300, ([first, second]) => {
      const whole = Uint8Array.from([...first, ...second]);
      const crc = crc32(whole, 0, whole.length);
      expect(crc32Before(crc, whole, first.length, whole.length)).toBe(crc32(whole, 0, first.length));
    });
  });
});
