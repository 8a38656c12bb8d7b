import { expect, it } from 'vitest';
import { CASES, isGood } from '../../../../../src/apps/figures/catalogue/spraypass/marking.js';

it('finds the four good cases of Table I where a mark tells of one credit', () => {
  const good = CASES.filter((passes) => isGood(passes, 1)).map((passes) => passes.join(''));
  expect(CASES).toHaveLength(12);
  expect(good).toEqual(['00110', '01100', '10011', '11001']);
});
