import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { selectFigures } from '../../../src/apps/figures/catalogue.js';
import type { FigureJob, Runs } from '../../../src/apps/figures/figure.js';
import { figureFiles } from '../../../src/apps/figures/figure-files.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import type { SimulationRun } from '../../../src/sim/result.js';
import { simulate } from '../../../src/sim/simulate.js';

/** On a busy machine. */
const PATIENT = { timeout: 180_000 };

/** No number here is a slowdown, and to play each flow alone as well takes longer than all else. */
const WITHOUT_SLOWDOWNS = { slowdowns: false };

/** Plays the jobs that `isPlayed` names; `standIn` names the one whose runs stand for those of another. */
function partlyPlayed(
  jobs: readonly FigureJob[],
  isPlayed: (key: string) => boolean,
  standIn: (key: string) => string,
): Runs {
  const known = new Map<string, SimulationRun[]>();
  const of = (key: string): SimulationRun[] => {
    const name = isPlayed(key) ? key : standIn(key);
    const { document, seeds } = jobs.find((job) => job.key === name) as FigureJob;
    const runs =
      known.get(name) ?? seeds.map((seed) => simulate({ ...parseScenario(document), seed }, WITHOUT_SLOWDOWNS));
    known.set(name, runs);
    return runs;
  };
  return { of };
}

/** Lines of a figure's table as made now, and as they are committed. */
function linesOf(
  name: string,
  runs: (jobs: readonly FigureJob[]) => Runs,
  directory = '',
): { made: string[]; committed: string[] } {
  const [figure] = selectFigures([name]).figures;
  const outcome = figure.evaluate(runs(figure.jobs('quick')), 'quick');
  const made = figureFiles(figure, { ...outcome, charts: [] }, []).get(`${name}.csv`) as string;
  const committed = readFileSync(new URL(`../../../docs/results/${directory}${name}.csv`, import.meta.url), 'utf8');
  return { made: made.split('\n'), committed: committed.split('\n') };
}

it('gives the committed numbers of one bottleneck', PATIENT, () => {
  const played = ['steady-2', 'expresspass-literal-2', 'expresspass-ns2-4'];
  const { made, committed } = linesOf('one-bottleneck', (jobs) =>
    partlyPlayed(
      jobs,
      (key) => played.includes(key),
      () => 'steady-2',
    ),
  );
  const isPlayed = (line: string): boolean => played.includes(line.split(',').slice(0, 2).join('-'));
  expect(made.filter(isPlayed)).toHaveLength(3);
  expect(made.filter(isPlayed)).toEqual(committed.filter(isPlayed));
});

it('gives the committed numbers of wasted credits', PATIENT, () => {
  const { made, committed } = linesOf('initial-rate', (jobs) =>
    partlyPlayed(
      jobs,
      (key) => key.includes('-waste-'),
      () => 'steady-join-1',
    ),
  );
  const wasted = (line: string): string => [...line.split(',').slice(0, 2), line.split(',')[4]].join(',');
  expect(made.map(wasted)).toEqual(committed.map(wasted));
});

it('gives the committed numbers of the synchronised model', PATIENT, () => {
  const { made, committed } = linesOf('stability', (jobs) =>
    partlyPlayed(
      jobs,
      () => false,
      () => 'steady-2',
    ),
  );
  const isModel = (line: string): boolean => line.startsWith('model,');
  expect(made.filter(isModel)).toHaveLength(5);
  expect(made.filter(isModel)).toEqual(committed.filter(isModel));
});

it('gives the committed numbers of EC4 and ExpressPass beside DCTCP', PATIENT, () => {
  const played = ['ec4-dctcp-2', 'expresspass-dctcp-2'];
  const { made, committed } = linesOf(
    'ec4-fairness',
    (jobs) =>
      partlyPlayed(
        jobs,
        (key) => played.includes(key),
        () => 'ec4-dctcp-2',
      ),
    'ec4/',
  );
  const isPlayed = (line: string): boolean => played.includes(line.split(',').slice(0, 2).join('-'));
  expect(made.filter(isPlayed)).toHaveLength(2);
  expect(made.filter(isPlayed)).toEqual(committed.filter(isPlayed));
});
