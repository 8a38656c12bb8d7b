import { expect, it } from 'vitest';
import type { Figure } from '../../../src/apps/figures/figure.js';
import { expectedEvents, JobList } from '../../../src/apps/figures/job-list.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import type { SimulationRun } from '../../../src/sim/result.js';
import { simulate } from '../../../src/sim/simulate.js';
import { document, TINY } from './tiny-figure.js';

const OTHER: Figure = {
  ...TINY,
  name: 'other',
  jobs: () => [
    { key: 'again', document: document('1gbit'), seeds: [1] },
    { key: 'long', document: document('10gbit', { duration: '5ms' }), seeds: [1] },
  ],
};

/** Stands for the run of a scenario: only who it is matters here. */
function runOf(list: JobList, at: number): SimulationRun {
  return {
    result: { seed: list.runs[at].scenario.seed, durationNs: list.runs[at].scenario.durationNs },
    series: null,
  } as never;
}

it('has each different run once, the longest first', () => {
  const list = new JobList([TINY, OTHER], 'quick');
  expect(list.runs.map(({ scenario }) => [scenario.durationNs, scenario.seed])).toEqual([
    [5e6, 1],
    [2e6, 1],
    [2e6, 2],
    [2e6, 1],
  ]);
  expect(list.runs[3].figures).toEqual(new Set(['tiny', 'other']));
  expect(list.events).toBe(list.runs.reduce((sum, { events }) => sum + events, 0));
});

it('says which figures a run makes complete, and gives them their runs by key and seed', () => {
  const list = new JobList([TINY, OTHER], 'quick');
  const complete = list.runs.map((run, at) => list.take(run, runOf(list, at)));
  expect(complete).toEqual([[], [], [], ['tiny', 'other']]);
  expect(
    list
      .runsOf('tiny')
      .of('one')
      .map(({ result }) => result.seed),
  ).toEqual([1, 2]);
  expect(list.runsOf('other').of('long')[0].result.durationNs).toBe(5e6);
  expect(() => list.runsOf('tiny').of('nothing')).toThrow('figure tiny has a job nothing');
});

it('forgets a run once no figure needs it', () => {
  const list = new JobList([TINY, OTHER], 'quick');
  for (const [at, run] of list.runs.entries()) list.take(run, runOf(list, at));
  list.release('other');
  expect(list.runsOf('tiny').of('slow')[0].result.seed).toBe(1);
  expect(list.runsOf('other').of('long')).toEqual([undefined]);
});

it('refuses keys that would overwrite each other or are no part of a file name', () => {
  const withKeys = (...keys: string[]): Figure => ({
    ...TINY,
    jobs: () => keys.map((key) => ({ key, document: document('1gbit'), seeds: [1] })),
  });
  expect(() => new JobList([withKeys('a', 'a')], 'quick')).toThrow('jobs of figure tiny have keys of their own');
  expect(() => new JobList([withKeys('a/b')], 'quick')).toThrow('part of a file name');
});

const DUMBBELL = { edge: { delay: '10us' }, core: { delay: '30us' } };

it.each([
  ['two endless flows', { topology: { name: 'dumbbell', pairs: 2, ...DUMBBELL }, flows: ['pairs'], duration: '10ms' }],
  ['sixteen', { topology: { name: 'dumbbell', pairs: 16, ...DUMBBELL }, flows: ['pairs'], duration: '5ms' }],
  [
    'sixteen without feedback',
    { topology: { name: 'dumbbell', pairs: 16 }, flows: ['pairs'], duration: '5ms', algorithm: 'naive' },
  ],
  ['a parking lot', { topology: { name: 'parking-lot', bottlenecks: 4 }, flows: ['pairs'], duration: '5ms' }],
  [
    'flows of random sizes',
    {
      topology: { name: 'star', hosts: 8 },
      flows: [{ kind: 'poisson', workload: 'web-server', load: 0.5, flows: 300 }],
    },
  ],
  ['a shuffle', { topology: { name: 'star', hosts: 4 }, flows: [{ kind: 'shuffle', bytes: 200_000 }] }],
])('is within a factor of two for %s', (_, document) => {
  const scenario = parseScenario(document);
  const { events } = simulate(scenario).result;
  const ratio = expectedEvents(scenario) / events;
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});
