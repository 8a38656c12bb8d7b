import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runFigures } from '../../../src/apps/figures/figures.js';
import { JobList } from '../../../src/apps/figures/job-list.js';
import { KeptRuns } from '../../../src/apps/figures/kept-runs.js';
import { simulate } from '../../../src/sim/simulate.js';
import { scratchDirectory } from '../../harness/scratch.js';
import { callOf } from './invocation.js';
import { TINY } from './tiny-figure.js';

const GROUPS = [{ name: 'all', title: 'All', figures: [TINY] }];

it('keeps runs of the program that played them, and takes nothing else for one', async () => {
  const directory = await scratchDirectory();
  const [{ key, scenario }] = new JobList([TINY], 'paper').runs;
  const run = simulate(scenario);
  const kept = await KeptRuns.open(directory);
  expect(await kept.find(key)).toBeNull();
  await kept.keep(key, { run, wallS: 3 });
  expect(await (await KeptRuns.open(directory)).find(key)).toEqual({ run, wallS: 3 });
  expect(await kept.find(`${key} `)).toBeNull();
  const [name] = await readdir(directory);
  await writeFile(join(directory, name), 'half of a fi');
  expect(await kept.find(key)).toBeNull();
  await kept.remove();
  await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('plays what is not kept, says how long all took, and leaves no runs where none failed', async () => {
  const out = await scratchDirectory();
  const runs = new JobList([TINY], 'paper').runs;
  const kept = await KeptRuns.open(join(out, 'runs'));
  for (const { key, scenario } of runs.slice(1)) await kept.keep(key, { run: simulate(scenario), wallS: 1000 });
  const { invocation, log } = callOf(['tiny'], { profile: ['paper'], out: [out] });
  expect(await runFigures(invocation, GROUPS)).toBe(0);
  expect(log()).toContain('3 of 3 runs');
  const { seconds } = JSON.parse(await readFile(join(out, 'tiny.json'), 'utf8'));
  expect(seconds).toBe(2000);
  expect(await readdir(out)).not.toContain('runs');
});
