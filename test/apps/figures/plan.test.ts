import { expect, it } from 'vitest';
import { lines } from '../../../src/apps/figures/blocks/charts.js';
import {
  cross,
  figure,
  figureOfParts,
  figureRow,
  fixed,
  isNear,
  part,
  rounded,
  valueList,
} from '../../../src/apps/figures/plan.js';
import { evaluated, madeUpRun } from './made-up-runs.js';

const HEADING = { name: 'two', title: 'Two', source: 'none', about: () => '' };
const JAIN = { title: 'jain', digits: 2, of: ({ result }: ReturnType<typeof madeUpRun>) => result.jain };
const NOTHING = { title: 'nothing', digits: 0, of: () => null };

const PLAN = figure<{ rule: string; flows: number }>('two', 'Two', {
  source: 'none',
  about: () => '',
  cases: () => cross({ rule: ['a', 'b'], flows: [1, 2] }),
  document: (each) => each,
  seeds: { quick: 1, paper: 2 },
  rows: (results) => [
    {
      quantity: 'ratio',
      ours: results.ratio(JAIN, { rule: 'a', flows: 1 }, { rule: 'b', flows: 1 }),
      digits: 1,
      most: 1,
    },
    { quantity: 'a', ours: results.list(JAIN, { rule: 'a' }), digits: 3, note: '' },
  ],
  charts: (results) => ({
    bars: results.bars(JAIN, 'Jain'),
    line: lines({ x: 'flows', y: 'Jain' }, [results.line('a', 'flows', JAIN, { rule: 'a' })]),
  }),
  table: ['rule', { twice: ({ flows }) => 2 * flows }, JAIN, NOTHING],
});

it('a figure plays each of its cases with its seeds', () => {
  expect(PLAN.jobs('quick').map(({ key }) => key)).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
  expect(PLAN.jobs('paper')[1]).toEqual({ key: 'a-2', document: { rule: 'a', flows: 2 }, seeds: [1, 2] });
});

it('a figure reads the same quantities from each run', () => {
  const jain: Record<string, number> = { 'a-1': 0.123, 'a-2': 0.5, 'b-1': 0.246, 'b-2': 1 };
  const { charts, rows, tables } = evaluated(PLAN, (key) => madeUpRun({ jain: jain[key] }), 'quick');
  expect(charts.map(({ key }) => key)).toEqual(['bars', 'line']);
  expect(charts[0].chart).toMatchObject({ groups: Object.keys(jain), series: [{ values: Object.values(jain) }] });
  expect(charts[1].chart).toMatchObject({ series: [{ name: 'a', x: [1, 2], y: [0.123, 0.5] }] });
  expect(rows.map(({ ours }) => ours)).toEqual(['0.5', '0.123, 0.500']);
  expect(tables).toEqual([
    {
      key: '',
      titles: ['rule', 'twice', 'jain', 'nothing'],
      rows: [
        ['a', 2, 0.12, null],
        ['a', 4, 0.5, null],
        ['b', 2, 0.25, null],
        ['b', 4, 1, null],
      ],
    },
  ]);
});

it('takes seeds together: their mean, or what the quantity says', () => {
  const one = part<{ key: string }>({
    cases: () => [{ key: 'a' }],
    document: (each) => each,
    seeds: () => [7, 9],
    rows: (results) => [
      { quantity: 'mean', ours: results.of(JAIN, {}), digits: 2, note: '' },
      {
        quantity: 'most',
        ours: results.of({ ...JAIN, over: (values) => Math.max(...values) }, {}),
        digits: 2,
        note: '',
      },
      { quantity: 'each', ours: results.bySeed(JAIN, {}), digits: 2, note: '' },
    ],
  });
  const runs = [0.2, 0.4].map((jain) => madeUpRun({ jain }));
  const both = figureOfParts(HEADING, [one, one]);
  expect(both.jobs('quick').map(({ seeds }) => seeds)).toEqual([
    [7, 9],
    [7, 9],
  ]);
  const { rows } = both.evaluate({ of: () => runs }, 'quick');
  expect(rows.map(({ ours }) => ours)).toEqual(['0.30', '0.40', '0.20, 0.40', '0.30', '0.40', '0.20, 0.40']);
});

it('says why where it misses, and how far it is from the paper', () => {
  const row = { quantity: 'q', ours: [1, 2], held: 'Held to 1', why: 'Because.' };
  expect(figureRow({ ...row, least: 1 })).toEqual({
    quantity: 'q',
    paper: null,
    authorsCode: null,
    ours: '1, 2',
    verdict: 'met',
    reason: 'Held to 1.',
  });
  expect(figureRow({ ...row, most: 1 })).toMatchObject({ verdict: 'missed', reason: 'Held to 1. Because.' });
  expect(figureRow({ quantity: 'q', paper: 3, code: [1.5, null], ours: 2, digits: 1, most: 1 })).toMatchObject({
    paper: '3',
    authorsCode: '1.5, -',
    ours: '2.0',
    reason: "Held to 1. Ours is 0.67 times the paper's value.",
  });
  expect(figureRow({ ...row, note: 'Nothing.' })).toMatchObject({ verdict: 'no claim', reason: 'Nothing.' });
});

it.each([
  [{ least: [1, 3] }, 'missed'],
  [{ least: [1, 2], most: 2 }, 'met'],
  [{ most: 2, met: false }, 'missed'],
  [{ met: true }, 'met'],
] as const)('holds each value to its bound: %j is %s', (bounds, verdict) => {
  expect(figureRow({ quantity: 'q', ours: [1, 2], held: 'Held', ...bounds }).verdict).toBe(verdict);
});

it.each([null, Number.NaN])('is missed where there is no number: %s', (value) => {
  expect(figureRow({ quantity: 'q', ours: [value], least: 0 })).toMatchObject({ ours: '-', verdict: 'missed' });
});

it('stands beside the paper: by its numbers, or by those that the row gives for its texts', () => {
  expect(figureRow({ quantity: 'q', paper: [1, 3], ours: [1, 2], why: 'Because.' })).toMatchObject({
    verdict: 'outside',
    reason: "Held to within 25 % of the paper's value. Ours is 0.67 times the paper's value. Because.",
  });
  expect(figureRow({ quantity: 'q', paper: 2, ours: [2, 2.2] }).verdict).toBe('met');
  expect(figureRow({ quantity: 'q', paper: 'at most 9', ours: 1, most: 9 }).verdict).toBe('met');
  const texts = { quantity: 'q', paper: '2 (2.2 s)', ours: '5 (6 s)', beside: [[5], [2]] } as const;
  expect(figureRow({ ...texts, better: 'less' }).verdict).toBe('missed');
  expect(figureRow({ ...texts, better: 'more' }).verdict).toBe('outside');
  expect(() => figureRow({ quantity: 'q', paper: [1], ours: [1, 2] })).toThrow('2 values stand beside 1 of the paper');
});

it('has to be held to something, and to compare numbers', () => {
  expect(() => figureRow({ quantity: 'q', ours: 1 })).toThrow('q is held to something');
  expect(() => figureRow({ quantity: 'q', ours: '1', least: 1 })).toThrow('q has numbers to compare');
});

it('writes numbers, and a dash where there is none', () => {
  expect(valueList([1, null, 0.12345], 2)).toBe('1.00, -, 0.12');
  expect(fixed(Number.NaN, 1)).toBe('-');
  expect([rounded(0.12345, 3), rounded(null, 3), rounded(Number.NaN, 3)]).toEqual([0.123, null, null]);
});

it('compares values in pairs, all or the first', () => {
  expect(isNear([1, 2], [1.5, 2], 0.5)).toBe(true);
  expect(isNear([1, 3], [1, 2], 0.5)).toBe(false);
  expect(isNear([1, 3], [1, 2], 0.5, 1)).toBe(true);
});
