import { describe, expect, it } from 'vitest';
import { WriteSlabs } from '../../src/net/write-slabs.js';

/** Appends all of `bytes`, taking what is pending whenever a slab is full; returns what was taken, in order. */
function writeAll(slabs: WriteSlabs, bytes: Uint8Array): Uint8Array[] {
  const taken: Uint8Array[] = [];
  const take = (): void => {
    if (slabs.pendingBytes === 0) return;
    taken.push(slabs.pending);
    slabs.taken();
  };
  for (let at = 0; at < bytes.length; ) {
    const count = slabs.append(bytes, at);
    at += count;
    if (count === 0) take();
  }
  take();
  return taken;
}

const pattern = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + seed) % 251);

describe('slabs of written bytes', () => {
  it('keep a copy, so that the program may change its bytes at once', () => {
    const slabs = new WriteSlabs();
    const bytes = pattern(100, 1);
    slabs.append(bytes, 0);
    bytes.fill(0);
    expect(Buffer.from(slabs.pending)).toEqual(Buffer.from(pattern(100, 1)));
  });

  it('give several small writes as one piece', () => {
    const slabs = new WriteSlabs();
    slabs.append(pattern(10, 1), 0);
    slabs.append(pattern(20, 2), 0);
    expect(Buffer.from(slabs.pending)).toEqual(Buffer.concat([pattern(10, 1), pattern(20, 2)]));
  });

  it.each([1, 4_095, 4_096, 4_097, 65_536, 65_537, 1_000_000])('give back %i bytes as they came', (length) => {
    const slabs = new WriteSlabs();
    const bytes = pattern(length, 7);
    expect(Buffer.concat(writeAll(slabs, bytes)).equals(bytes)).toBe(true);
  });

  it('leave bytes alone until they are acknowledged, and use their memory again afterwards', () => {
    const slabs = new WriteSlabs();
    const first = writeAll(slabs, pattern(300_000, 3));
    const kept = first.map((part) => Buffer.from(part));
    const second = writeAll(slabs, pattern(300_000, 4));
    first.forEach((part, at) => {
      expect(kept[at].equals(part)).toBe(true);
    });
    slabs.acknowledged(600_000);
    const memory = new Set([...first, ...second].map(({ buffer }) => buffer));
    const third = writeAll(slabs, pattern(200_000, 5));
    expect(third.filter(({ buffer }) => memory.has(buffer)).length).toBeGreaterThan(0);
    expect(Buffer.concat(third).equals(pattern(200_000, 5))).toBe(true);
  });
});
