import { crc32 as crc32OfZlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { checkSentence, chooseCheck, fastCrc32, loadFrameCheck } from '../../src/udp/crc.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

const vector = await loadFrameCheck();
const CHECKS = [
  ['zlib', fastCrc32],
  ...(vector.kind === 'vector' ? [['@node-rs/crc32', vector.check] as const] : []),
] as const;

describe.each(CHECKS)('the check by %s', (_name, check) => {
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
          expect(check(bytes, start, end)).toBe(crc32(bytes, start, end));
        }
      }
    }
  });

  it('agrees with the pure CRC for every length, start and end', () => {
    const input = fc.tuple(fc.uint8Array({ maxLength: 1500, size: 'max' }), fc.nat(40), fc.nat(40));
    holds(input, 600, ([bytes, start, rest]) => {
      const from = Math.min(start, bytes.length);
      const to = Math.max(from, bytes.length - rest);
      expect(check(bytes, from, to)).toBe(crc32(bytes, from, to));
    });
  });
});

describe('the check in vectors', () => {
  it('is that of zlib, for every length that a frame may have and wherever it begins', ({ skip }) => {
    skip(vector.kind === 'zlib', 'the optional package @node-rs/crc32 does not load');
    const memory = Buffer.allocUnsafeSlow(65_600);
    for (let at = 0; at < memory.length; at++) memory[at] = Math.imul(at, 2_654_435_761) >>> 13;
    holds(fc.tuple(fc.nat(64), fc.nat(65_507), fc.nat(16)), 400, ([offset, length, start]) => {
      const bytes = memory.subarray(offset, offset + length);
      const from = Math.min(start, length);
      expect(vector.check(bytes, from, length)).toBe(crc32OfZlib(bytes.subarray(from)));
    });
  });
});

describe('which check is used', () => {
  it('is that of the package where it loads', async () => {
    const { check, kind, warning } = await chooseCheck(() => Promise.resolve({ crc32: crc32OfZlib }));
    expect([kind, warning]).toEqual(['vector', undefined]);
    expect(check(Buffer.alloc(2_000, 7), 1, 1_900)).toBe(crc32(Buffer.alloc(2_000, 7), 1, 1_900));
  });

  it('is that of zlib where the package does not load, and a sentence says why', async () => {
    const found = await chooseCheck(() => Promise.reject(new Error('Cannot find native binding\nand more')));
    expect([found.kind, found.check]).toEqual(['zlib', fastCrc32]);
    expect(checkSentence(found)).toMatch(/@node-rs\/crc32 cannot be used \(Cannot find native binding\)$/);
  });

  it('is that of zlib where the package computes something else', async () => {
    const found = await chooseCheck(() => Promise.resolve({ crc32: () => 5 }));
    expect(found.kind).toBe('zlib');
    expect(checkSentence(found)).toContain('something else');
  });

  it('is said in either case', () => {
    expect(checkSentence({ check: fastCrc32, kind: 'vector' })).toBe('frames are checked by @node-rs/crc32');
  });
});
