import { expect, it } from 'vitest';
import { BAND, bandText, verdictOf } from '../../../src/apps/figures/verdict.js';

const FREE = { values: [] };

it.each([
  ['equal to the paper', 4, undefined, 'met'],
  ['at the edge of the band', 4 * (1 + BAND), undefined, 'met'],
  ['far above, where no side is the good one', 6, undefined, 'outside'],
  ['far below, where no side is the good one', 1, undefined, 'outside'],
  ['far above, where less is better', 6, 'less', 'missed'],
  ['far below, where less is better', 1, 'less', 'outside'],
  ['far above, where more is better', 6, 'more', 'outside'],
  ['far below, where more is better', 1, 'more', 'missed'],
  ['no number', Number.NaN, undefined, 'missed'],
] as const)('a value %s: %d, better %s, is %s', (_, value, better, verdict) => {
  expect(verdictOf(FREE, { ours: [value], paper: [4], better })).toBe(verdict);
});

it('a paper that has none of something is met by none alone', () => {
  expect(verdictOf(FREE, { ours: [0], paper: [0], better: 'less' })).toBe('met');
  expect(verdictOf(FREE, { ours: [1e-3], paper: [0], better: 'less' })).toBe('missed');
});

it('what is beyond a limit misses, wherever the paper is', () => {
  expect(verdictOf({ values: [4], most: 3 }, { ours: [4], paper: [4] })).toBe('missed');
  expect(verdictOf({ values: [4], least: 3 }, { ours: [4], paper: [14] })).toBe('outside');
  expect(verdictOf({ values: [], met: false }, { ours: [], paper: [] })).toBe('missed');
});

it('one value outside the band is enough, and the worst of them decides', () => {
  expect(verdictOf(FREE, { ours: [1, 9], paper: [1, null] })).toBe('met');
  expect(verdictOf(FREE, { ours: [1, 1], paper: [1, 3], better: 'less' })).toBe('outside');
  expect(verdictOf(FREE, { ours: [3, 1], paper: [1, 3], better: 'less' })).toBe('missed');
});

it('says how far from the paper the values outside the band are', () => {
  expect(bandText({ ours: [1, 4, 2], paper: [1, 14, 4] })).toBe("0.29 to 0.5 times the paper's value");
  expect(bandText({ ours: [3], paper: [1] })).toBe("3 times the paper's value");
  expect(bandText({ ours: [1, 5], paper: [1, 0] })).toBe('');
});
