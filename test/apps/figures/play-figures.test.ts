import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { DistinctRun, JobList } from '../../../src/apps/figures/job-list.js';
import { FiguresProgress } from '../../../src/apps/figures/play-figures.js';
import { said } from '../../harness/said.js';

const RUNS = [{ events: 75 }, { events: 25 }] as DistinctRun[];
const JOBS = { runs: RUNS, events: 100 } as unknown as JobList;

function progressOn(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 });
  const clock = { ms: 0 };
  return {
    progress: new FiguresProgress(stream, JOBS, () => clock.ms),
    clock,
    text: () => said(stream),
  };
}

it('counts runs by their events, on one line of a terminal', () => {
  const { progress, clock, text } = progressOn(true);
  progress.draw();
  expect(text()).toContain('[------------------------------]   0 %  0 of 2 runs  ETA -');
  clock.ms = 30_000;
  progress.done(RUNS[0]);
  progress.draw();
  expect(text()).toContain('  75 %  1 of 2 runs  ETA 10.00 s');
});

it('writes a line now and then elsewhere, and one for each figure', () => {
  const { progress, clock, text } = progressOn(false);
  for (clock.ms = 1_000; clock.ms <= 25_000; clock.ms += 1_000) progress.draw();
  expect(text().trim().split('\n')).toHaveLength(2);
  progress.figureDone('one');
  expect(text()).toMatch(/^one: \[-+\] {3}0 % {2}0 of 2 runs/);
});
