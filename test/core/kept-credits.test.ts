import { expect, it } from 'vitest';
import { KeptCredits } from '../../src/core/kept-credits.js';

it('kept credits come out in the order that they came in, with their path and mark, as many as there may be', () => {
  const kept = new KeptCredits(3);
  expect(kept.shift()).toBe(false);
  expect(kept.push(0xffff_ffff, 255, true)).toBe(true);
  expect(kept.push(0, 1, false)).toBe(true);
  expect(kept.shift()).toBe(true);
  expect(kept).toMatchObject({ sequence: 0xffff_ffff, pathId: 255, isMarked: true, length: 1 });
  expect([1, 2, 3].map((sequence) => kept.push(sequence, 7, false))).toEqual([true, true, false]);
  expect([kept.shift(), kept.sequence, kept.pathId, kept.isMarked]).toEqual([true, 0, 1, false]);
  expect(kept.clear()).toBe(2);
  expect(kept.shift()).toBe(false);
  expect(new KeptCredits(0).push(1, 1, false)).toBe(false);
});
