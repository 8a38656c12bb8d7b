import { describe, expect, it } from 'vitest';
import { benchTable, jsonResults, medians } from '../../../src/apps/bench/report.js';

const RESULTS = [
  { name: 'direct/1472/1', value: 63_500.4, unit: 'frames/s', raw: 127_000 },
  { name: 'pacing/20000/median', value: 50.5, unit: 'us', raw: 50 },
  { name: 'parking-lot/naive', value: 0.8333333, unit: 'of the data share', raw: null },
];

describe('the report of benchmarks', () => {
  it('is a table for people', () => {
    expect(benchTable(RESULTS)).toEqual([
      'benchmark             value  unit                   raw  ratio',
      'direct/1472/1        63,500  frames/s           127,000  0.500',
      'pacing/20000/median   50.50  us                   50.00  1.010',
      'parking-lot/naive    0.8333  of the data share',
    ]);
  });

  it('says whose figure it is that stands beside one', () => {
    const rawIs = "the authors' code";
    expect(benchTable([{ name: 'sim/a/wall', value: 2, unit: 's', raw: 4, rawIs }, RESULTS[2]])).toEqual([
      'benchmark           value  unit                 raw  ratio  raw is',
      "sim/a/wall          2.000  s                  4.000  0.500  the authors' code",
      'parking-lot/naive  0.8333  of the data share',
    ]);
  });

  it('is one object for programs', () => {
    expect(jsonResults(RESULTS)).toEqual({
      results: [
        { ...RESULTS[0], ratio: 63_500.4 / 127_000 },
        { ...RESULTS[1], ratio: 1.01 },
        { ...RESULTS[2], ratio: null },
      ],
    });
  });

  it('takes the middle of several runs, of each figure by itself', () => {
    const runs = [
      [1, 9, 5],
      [3, 8, 4],
      [2, 7, 6],
    ].map(([value, raw, other]) => [
      { name: 'a', value, unit: 'us', raw },
      { name: 'b', value: other, unit: 'us', raw: null },
    ]);
    expect(medians(runs)).toEqual([
      { name: 'a', value: 2, unit: 'us', raw: 8 },
      { name: 'b', value: 5, unit: 'us', raw: null },
    ]);
    expect(medians(runs.slice(1))[0].value).toBe(2.5);
    expect(medians(runs.slice(2))[0].value).toBe(2);
  });
});
