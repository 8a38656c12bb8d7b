import { describe, expect, it } from 'vitest';
import { RecordArena } from '../../src/base/record-arena.js';

describe('RecordArena', () => {
  it('hands out records of zeros that do not overlap', () => {
    const arena = new RecordArena(3);
    const records = Array.from({ length: 5_000 }, () => arena.take());
    for (const [index, { numbers, at }] of records.entries()) {
      expect([numbers[at], numbers[at + 1], numbers[at + 2]]).toEqual([0, 0, 0]);
      numbers.fill(index, at, at + 3);
    }
    for (const [index, { numbers, at }] of records.entries()) {
      expect([...numbers.subarray(at, at + 3)]).toEqual([index, index, index]);
    }
  });

  it('puts many side by side, and makes no room for many where there is one', () => {
    const arena = new RecordArena(8);
    expect(arena.take().numbers.length).toBe(8);
    const arrays = new Set(Array.from({ length: 4_000 }, () => arena.take().numbers));
    expect(arrays.size).toBeLessThan(15);
  });
});
