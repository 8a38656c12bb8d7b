import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../src/base/assert.js';
import { SendBuffer } from '../../src/core/send-buffer.js';
import { allowLongRuns, holds } from '../harness/seeds.js';
import { pattern, patternByte } from '../harness/streams.js';

allowLongRuns();

const LIMIT = 100_000;

function read(buffer: SendBuffer, offset: number, length: number): number[] {
  const target = new Uint8Array(length + 2).fill(0xee);
  buffer.copy(offset, length, target, 1);
  expect([target[0], target[length + 1]]).toEqual([0xee, 0xee]);
  return [...target.subarray(1, length + 1)];
}

function written(...sizes: number[]): SendBuffer {
  const buffer = new SendBuffer(LIMIT);
  for (const size of sizes) buffer.append(pattern(buffer.end, size));
  return buffer;
}

describe('the send buffer', () => {
  it('copies bytes from any place, across the edges of chunks', () => {
    const buffer = written(3, 5, 1, 4);
    expect(buffer.end).toBe(13);
    expect(read(buffer, 0, 13)).toEqual([...pattern(0, 13)]);
    expect(read(buffer, 2, 2)).toEqual([...pattern(2, 2)]);
    expect(read(buffer, 12, 1)).toEqual([...pattern(12, 1)]);
    expect(read(buffer, 1, 3)).toEqual([...pattern(1, 3)]);
  });

  it('keeps the chunks that it was given, without a copy', () => {
    const buffer = new SendBuffer(LIMIT);
    const chunk = pattern(0, 4);
    buffer.append(chunk);
    chunk[2] = 0xaa;
    expect(read(buffer, 2, 1)).toEqual([0xaa]);
  });

  it('ignores an empty chunk', () => {
    const buffer = written(3, 0, 2);
    expect(buffer.chunkCount).toBe(2);
    expect(read(buffer, 0, 5)).toEqual([...pattern(0, 5)]);
  });

  it('holds what is not acknowledged and lets go of whole chunks before it', () => {
    const buffer = written(10, 10, 10);
    buffer.acknowledge(15);
    expect(buffer.byteLength).toBe(15);
    expect(buffer.chunkCount).toBe(2);
    expect(read(buffer, 15, 15)).toEqual([...pattern(15, 15)]);
    buffer.acknowledge(12);
    expect(buffer.byteLength).toBe(15);
    buffer.acknowledge(30);
    expect(buffer.byteLength).toBe(0);
    expect(buffer.chunkCount).toBe(0);
  });

  it('keeps no memory of what was acknowledged, chunk by chunk', () => {
    const buffer = new SendBuffer(1_000);
    for (let chunk = 0; chunk < 3; chunk++) buffer.append(new Uint8Array(100));
    buffer.acknowledge(150);
    const { chunks } = buffer as unknown as { chunks: Uint8Array[] };
    expect(chunks.map(({ length }) => length)).toEqual([0, 100, 100]);
    buffer.acknowledge(300);
    expect(chunks).toEqual([]);
  });

  it('takes it for our own bug to read what is gone or not written, and to acknowledge what was never written', () => {
    const buffer = written(10);
    buffer.acknowledge(4);
    const target = new Uint8Array(20);
    expect(() => buffer.copy(3, 2, target, 0)).toThrow(AssertionError);
    expect(() => buffer.copy(8, 3, target, 0)).toThrow(AssertionError);
    expect(() => buffer.acknowledge(11)).toThrow(AssertionError);
  });

  it('is of bytes or of lengths, never of both', () => {
    expect(() => written(10).appendLength(5)).toThrow(AssertionError);
    const lengths = new SendBuffer(LIMIT);
    lengths.appendLength(2 ** 50);
    expect([lengths.end, lengths.isLengths]).toEqual([2 ** 50, true]);
    expect(() => lengths.append(new Uint8Array(1))).toThrow(AssertionError);
    lengths.acknowledge(2 ** 49);
    expect(lengths.byteLength).toBe(2 ** 49);
  });

  it('has room up to its limit, for one larger chunk alone, and for 65,536 chunks at most', () => {
    const buffer = new SendBuffer(LIMIT);
    expect(buffer.hasRoomFor(2 * LIMIT)).toBe(true);
    buffer.append(pattern(0, LIMIT - 1));
    expect([buffer.hasRoomFor(1), buffer.hasRoomFor(2)]).toEqual([true, false]);
    buffer.acknowledge(LIMIT / 2 - 2);
    expect(buffer.isHalfEmpty).toBe(false);
    buffer.acknowledge(LIMIT / 2 - 1);
    expect(buffer.isHalfEmpty).toBe(true);
    const small = new SendBuffer(LIMIT);
    for (let chunk = 0; chunk < 65_536; chunk++) small.append(pattern(chunk, 1));
    expect(small.hasRoomFor(1)).toBe(false);
  });

  it('keeps up with a million one-byte chunks', () => {
    const buffer = new SendBuffer(LIMIT);
    const byte = pattern(0, 1);
    for (let count = 0; count < 1_000_000; count++) buffer.append(byte);
    const startMs = performance.now();
    const target = new Uint8Array(100);
    for (let offset = 0; offset < 1_000_000; offset += 100) {
      buffer.copy(999_900, 100, target, 0);
      buffer.copy(offset, 100, target, 0);
      buffer.acknowledge(offset + 100);
    }
    // Half a second on the machine this was written on; dropping chunks in quadratic time took minutes.
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  it('agrees with one long array', () => {
    const step = fc.record({
      kind: fc.constantFrom('append', 'acknowledge', 'copy'),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      size: fc.nat(300),
    });
    holds(fc.array(step, { maxLength: 400 }), 200, (steps) => {
      const buffer = new SendBuffer(LIMIT);
      let first = 0;
      for (const { kind, from, size } of steps) {
        const offset = first + Math.floor(from * (buffer.end - first));
        if (kind === 'append') buffer.append(pattern(buffer.end, size % 7));
        else if (kind === 'acknowledge') {
          buffer.acknowledge(offset);
          first = offset;
        } else if (offset < buffer.end) {
          const length = Math.min(1 + size, buffer.end - offset);
          const expected = Array.from({ length }, (_, index) => patternByte(offset + index));
          expect(read(buffer, offset, length)).toEqual(expected);
        }
        expect(buffer.byteLength).toBe(buffer.end - first);
      }
    });
  });
});
