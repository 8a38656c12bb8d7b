import { expect, it } from 'vitest';
import { comparison } from '../../../../src/apps/figures/blocks/comparison.js';
import { noClaim } from '../../../../src/apps/figures/blocks/rows.js';
import { madeUpRun } from '../made-up-runs.js';

it('a comparison reads the same quantities from each run', () => {
  const figure = comparison({
    name: 'two',
    title: 'Two',
    source: 'none',
    about: () => '',
    quantities: [
      { title: 'jain', digits: 2, of: ({ result }) => result.jain },
      { title: 'nothing', digits: 0, of: () => null },
    ],
    drawn: { title: 'jain', axis: 'Jain' },
    cases: () => ['a', 'b'].map((key) => ({ key, document: { key } })),
    rows: (measured) => [
      noClaim(
        { quantity: 'ratio', ours: `${measured('a', 'jain') / measured('b', 'jain')} ${measured('c', 'jain')}` },
        '',
      ),
    ],
  });
  expect(figure.jobs('quick')).toEqual([
    { key: 'a', document: { key: 'a' }, seeds: [1] },
    { key: 'b', document: { key: 'b' }, seeds: [1] },
  ]);
  const jain: Record<string, number> = { a: 0.123, b: 0.246 };
  const one = (key: string) => madeUpRun({ jain: jain[key] });
  const { charts, rows, tables } = figure.evaluate({ one, of: (key) => [one(key)] }, 'quick');
  expect(charts[0].chart).toMatchObject({ groups: ['a', 'b'], series: [{ values: [0.123, 0.246] }] });
  expect(rows[0].ours).toBe('0.5 NaN');
  expect(tables[0]).toEqual({
    key: '',
    titles: ['run', 'jain', 'nothing'],
    rows: [
      ['a', 0.12, null],
      ['b', 0.25, null],
    ],
  });
});
