import { describe, expect, it } from 'vitest';
import { type BenchFigure, benchTable, jsonResults, medians, progressText } from '../../../src/apps/bench/report.js';

const RESULTS: BenchFigure[] = [
  { name: 'direct/1472/1', value: 63_500.4, unit: 'frames/s', raw: 127_000, ratio: 0.5000031 },
  { name: 'pacing/20000/median', value: 50.5, unit: 'us', raw: 50, ratio: 1.01 },
  { name: 'parking-lot/naive', value: 0.8333333, unit: 'of the data share', raw: null, ratio: null },
];

describe('the report of benchmarks', () => {
  it('is a table for people', () => {
    expect(benchTable(RESULTS)).toEqual([
      'benchmark             value  unit                   raw   ratio',
      'direct/1472/1        63,500  frames/s           127,000  0.5000',
      'pacing/20000/median   50.50  us                   50.00   1.010',
      'parking-lot/naive    0.8333  of the data share',
    ]);
  });

  it('says whose figure it is that stands beside one, and what else there is to say', () => {
    const first = { name: 'sim/a/wall', value: 2, unit: 's', raw: 4, ratio: 0.5, rawIs: "the authors' code" };
    expect(benchTable([first, { ...RESULTS[2], value: Number.NaN, note: 'no switch' }])).toEqual([
      'benchmark          value  unit                 raw   ratio  raw is             note',
      "sim/a/wall         2.000  s                  4.000  0.5000  the authors' code",
      'parking-lot/naive      -  of the data share                                    no switch',
    ]);
  });

  it('is one object for programs, in which what was not measured is null', () => {
    const missing = { ...RESULTS[2], value: Number.NaN };
    expect(JSON.parse(JSON.stringify(jsonResults([RESULTS[0], missing])))).toEqual({
      results: [RESULTS[0], { ...missing, value: null }],
    });
  });

  it('tells a figure in a few words', () => {
    expect(RESULTS.map(progressText)).toEqual([
      'direct/1472/1 63,500 frames/s (ratio 0.5000)',
      'pacing/20000/median 50.50 us (ratio 1.010)',
      'parking-lot/naive 0.8333 of the data share',
    ]);
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
      // 1/9, 3/8 and 2/7: the middle one is of the same run as its parts.
      { name: 'a', value: 2, unit: 'us', raw: 8, ratio: 2 / 7 },
      { name: 'b', value: 5, unit: 'us', raw: null, ratio: null },
    ]);
    expect(medians(runs.slice(1))[0].value).toBe(2.5);
    expect(medians(runs.slice(2))[0].value).toBe(2);
  });

  it('leaves out runs in which a figure could not be measured', () => {
    const runs = [1, Number.NaN, 3].map((value) => [{ name: 'a', value, unit: 'us', raw: 2 }]);
    expect(medians(runs)[0]).toMatchObject({ value: 2, raw: 2, ratio: 1 });
    expect(medians(runs.slice(1, 2))[0].value).toBeNaN();
  });
});
