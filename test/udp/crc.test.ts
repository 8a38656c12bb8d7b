import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { fastCrc32 } from '../../src/udp/crc.js';
import { holds, printSeed } from '../harness/seeds.js';

printSeed();

describe('fastCrc32', () => {
  it('sees what a buffer that it knows holds now, and tells its parts apart', () => {
    const buffers = [Buffer.alloc(1_472), Buffer.alloc(1_472)];
    for (let round = 0; round < 20; round++) {
      for (const bytes of buffers) {
        bytes.fill(round + 1, round, 700 + round);
        for (const [start, end] of [
          [1, 1_472],
          [1, 1_468],
          [1, 1_000],
          [2, 1_472],
        ] as const) {
          expect(fastCrc32(bytes, start, end)).toBe(crc32(bytes, start, end));
        }
      }
    }
  });

  it('agrees with the pure CRC for every length, start and end', () => {
    const input = fc.tuple(fc.uint8Array({ maxLength: 1500, size: 'max' }), fc.nat(40), fc.nat(40));
    holds(input, 600, ([bytes, start, rest]) => {
      const from = Math.min(start, bytes.length);
      const to = Math.max(from, bytes.length - rest);
      expect(fastCrc32(bytes, from, to)).toBe(crc32(bytes, from, to));
    });
  });
});
