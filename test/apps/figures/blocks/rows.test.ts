import { expect, it } from 'vitest';
import { claim, fixed, noClaim, rounded, seeds, valueList } from '../../../../src/apps/figures/blocks/rows.js';

it('writes numbers, and a dash where there is none', () => {
  expect(valueList([1, null, 0.12345], 2)).toBe('1.00, -, 0.12');
  expect(fixed(Number.NaN, 1)).toBe('-');
  expect([rounded(0.12345, 3), rounded(null, 3), rounded(Number.NaN, 3)]).toEqual([0.123, null, null]);
  expect(seeds(3)).toEqual([1, 2, 3]);
});

it('says why only where it misses', () => {
  const text = { quantity: 'q', ours: '1' };
  const say = { held: 'Held to 1', why: 'Because.' };
  expect(claim(text, true, say)).toMatchObject({
    verdict: 'met',
    reason: 'Held to 1.',
    paper: null,
    authorsCode: null,
  });
  expect(claim(text, false, say)).toMatchObject({ verdict: 'missed', reason: 'Held to 1. Because.' });
  expect(claim({ ...text, paper: '3' }, false, { held: 'Held to 1' })).toMatchObject({
    paper: '3',
    reason: 'Held to 1.',
  });
  expect(noClaim(text, 'Nothing.')).toMatchObject({ verdict: 'no claim', reason: 'Nothing.' });
});
