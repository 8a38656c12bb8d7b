import { describe, expect, it } from 'vitest';
import { isZero32, read16, read32, write16, write32 } from '../../src/wire/bytes.js';

describe('fields', () => {
  it('are big-endian', () => {
    const bytes = new Uint8Array(8);
    write16(bytes, 0, 0x1234);
    write32(bytes, 2, 0x89abcdef);
    expect([...bytes]).toEqual([0x12, 0x34, 0x89, 0xab, 0xcd, 0xef, 0, 0]);
  });

  it('are read unsigned, at any alignment', () => {
    const bytes = Uint8Array.of(0, 0xff, 0xfe, 0xfd, 0xfc);
    expect(read32(bytes, 1)).toBe(0xfffefdfc);
    expect(read16(bytes, 1)).toBe(0xfffe);
  });

  it('take the lower bits of wider counters', () => {
    const bytes = new Uint8Array(6);
    write32(bytes, 0, 2 ** 40 + 2 ** 32 - 1);
    write16(bytes, 4, 2 ** 16 + 5);
    expect([read32(bytes, 0), read16(bytes, 4)]).toEqual([0xffffffff, 5]);
  });

  it('are zero only when every byte is', () => {
    const bytes = new Uint8Array(6).fill(9);
    write32(bytes, 1, 0);
    expect(isZero32(bytes, 1)).toBe(true);
    for (const value of [1, 0x100, 0x10000, 0x80000000]) {
      write32(bytes, 1, value);
      expect(isZero32(bytes, 1)).toBe(false);
    }
  });
});
