import { expect, it } from 'vitest';
import type { HeldCredit } from '../../src/core/held-credit.js';
import { KeptCredits } from '../../src/core/held-credit.js';

function credit(sequence: number, changes: Partial<HeldCredit> = {}): HeldCredit {
  return { sequence, pathId: 7, isMarked: false, explicitRate: 0, ...changes };
}

it('kept credits come out in the order that they came in, with their path, mark and explicit rate, as many as there may be', () => {
  const kept = new KeptCredits(3);
  expect(kept.shift()).toBe(false);
  expect(kept.push(credit(0xf_ffff, { pathId: 255, isMarked: true, explicitRate: 0xffff }))).toBe(true);
  expect(kept.push(credit(0, { pathId: 1, explicitRate: 0x1234 }))).toBe(true);
  expect(kept.shift()).toBe(true);
  expect(kept).toMatchObject({ sequence: 0xf_ffff, pathId: 255, isMarked: true, explicitRate: 0xffff, length: 1 });
  expect([1, 2, 3].map((sequence) => kept.push(credit(sequence)))).toEqual([true, true, false]);
  expect([kept.shift(), kept.sequence, kept.pathId, kept.isMarked]).toEqual([true, 0, 1, false]);
  expect(kept.explicitRate).toBe(0x1234);
  expect(kept.clear()).toBe(2);
  expect(kept.shift()).toBe(false);
  expect(new KeptCredits(0).push(credit(1))).toBe(false);
});
