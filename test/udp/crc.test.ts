import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { fastCrc32 } from '../../src/udp/crc.js';
import { holds, printSeed } from '../harness/seeds.js';

printSeed();

describe('fastCrc32', () => {
  it('agrees with the pure CRC for every length and start', () => {
    const input = fc.tuple(fc.uint8Array({ maxLength: 1500, size: 'max' }), fc.nat(40));
    holds(input, 300, ([bytes, start]) => {
      const from = Math.min(start, bytes.length);
      expect(fastCrc32(bytes, from, bytes.length)).toBe(crc32(bytes, from, bytes.length));
    });
  });
});
