import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FIGURE_GROUPS, type FigureSelection } from '../../../src/apps/figures/catalogue.js';
import type { Figure } from '../../../src/apps/figures/figure.js';
import { runFigures } from '../../../src/apps/figures/figures.js';
import { JobList } from '../../../src/apps/figures/job-list.js';
import { playFigures } from '../../../src/apps/figures/play-figures.js';
import { readScenario } from '../../../src/scenario/scenario-file.js';
import { callOf } from './invocation.js';
import { document, TINY } from './tiny-figure.js';

/** On a busy machine. */
const PATIENT = { timeout: 60_000 };

function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'xpass-figures-'));
}

/** Every file below a directory with its text. */
function filesIn(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')] as const)
      .sort(),
  );
}

function pageOf(figures: readonly Figure[]): FigureSelection {
  return { group: { name: 'tiny', title: 'Tiny figures', figures }, figures };
}

async function play(figures: readonly Figure[], jobs: string) {
  const out = temporary();
  const call = callOf([], { out: [out], jobs: [jobs] });
  const played = await playFigures(pageOf(figures), new JobList(figures, 'quick'), call.invocation);
  return { played, files: filesIn(out), out, log: call.log() };
}

it('writes drawings, numbers, scenarios and the page, the same whatever the number of jobs', PATIENT, async () => {
  const { played, files, out, log } = await play([TINY], '1');
  expect(played.failed).toBe(0);
  expect(played.entries.map(({ rows }) => rows[0].ours)).toEqual(['1.00, 1.00, 1.00']);
  expect(Object.keys(files)).toEqual([
    'index.html',
    'results.csv',
    'results.md',
    'scenarios/tiny-one.yaml',
    'scenarios/tiny-slow.yaml',
    'tiny-numbers.csv',
    'tiny.svg',
  ]);
  expect(files['tiny-numbers.csv']).toMatch(/^seed,utilisation\n1,[\d.]+\n2,\n$/);
  expect(files['results.csv']).toContain('tiny,utilisation,1,,"1.00, 1.00, 1.00",met,Held to 1.');
  expect(files['scenarios/tiny-one.yaml']).toContain('# xpass sim tiny-one.yaml --seeds 2\n');
  expect((await readScenario(join(out, 'scenarios/tiny-slow.yaml'))).topology.links[0].port.rateBps).toBe(1e9);
  expect(log).toContain('tiny: [##############################]');
  expect((await play([TINY], '2')).files).toEqual(files);
});

it('leaves out a figure whose run failed, and says so', PATIENT, async () => {
  const impossible = {
    ...TINY,
    name: 'impossible',
    jobs: () => [{ key: 'one', document: LAST_FLOW_TOO_MANY, seeds: [7] }],
  };
  const { played, files, log } = await play([TINY, impossible], '1');
  expect([played.failed, played.entries.map(({ name }) => name)]).toEqual([1, ['tiny']]);
  expect(log).toContain('a run of impossible with seed 7 failed: ');
  expect(files['index.html']).not.toContain('impossible');
});

/** More samples than memory should hold: the simulator refuses. */
const LAST_FLOW_TOO_MANY = document('10gbit', { duration: '10s', probes: { interval: '1ns' } });

it('ends when it is interrupted', PATIENT, async () => {
  const call = callOf([], { out: [temporary()] }, true);
  await expect(playFigures(pageOf([TINY]), new JobList([TINY], 'quick'), call.invocation)).rejects.toThrow(
    'interrupted',
  );
});

it('makes a figure that needs no runs', PATIENT, async () => {
  const drawn: Figure = { ...TINY, jobs: () => [], evaluate: () => ({ charts: [], rows: [], tables: [] }) };
  const { played } = await play([drawn], '1');
  expect(played.entries.map(({ name }) => name)).toEqual(['tiny']);
});

it('lists what there is', PATIENT, async () => {
  // Of all figures it counts the work of thousands of runs, as test/apps/figures/catalogue.test.ts does.
  const [{ figures: all, ...first }, second] = FIGURE_GROUPS;
  const groups = [
    { ...first, figures: all.slice(0, 2) },
    { ...second, figures: second.figures.slice(0, 1) },
  ];
  const call = callOf(['list']);
  expect(await runFigures(call.invocation, groups)).toBe(0);
  const output = call.output();
  expect(output.trimEnd().split('\n')).toHaveLength(1 + 3);
  expect(output).toMatch(
    /^group +figure +runs +events +what\nexpresspass +one-bottleneck +\d+ +[\d,]+ +One bottleneck/,
  );
  const json = callOf(['list'], { json: ['true'], profile: ['paper'] });
  await runFigures(json.invocation, groups);
  const { profile, figures } = JSON.parse(json.output());
  expect([profile, figures[0].name, figures[2].group]).toEqual(['paper', 'one-bottleneck', second.name]);
});

it.each([
  [['list', 'convergence'], "'list' stands alone"],
  [
    ['convergance'],
    "unknown figure 'convergance'; did you mean 'convergence'?; allowed: list, expresspass, spraypass, ec4, real-networks, one-bottleneck, ",
  ],
])('%j is wrong usage', async (positionals, why) => {
  await expect(runFigures(callOf(positionals).invocation)).rejects.toThrow(why);
});
