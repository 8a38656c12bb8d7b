import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dumbbell, ruleFields } from '../../../src/apps/figures/blocks/dumbbell.js';
import { BOTTLENECK } from '../../../src/apps/figures/blocks/quantities.js';
import { FIGURE_GROUPS, selectFigures } from '../../../src/apps/figures/catalogue.js';
import type { Figure } from '../../../src/apps/figures/figure.js';
import { scenarioFiles } from '../../../src/apps/figures/figure-files.js';
import { JobList } from '../../../src/apps/figures/job-list.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';

const FIGURES = FIGURE_GROUPS.flatMap(({ figures }) => figures);

function chosen(words: readonly string[]): string[] {
  return selectFigures(words).figures.map(({ name }) => name);
}

/**
 * Jobs of a figure differ by rule, load and seed. At the scale of the papers, and of a figure with over a thousand of them, every seventh is tried, which are
 * of all rules in turn: all of them take 20 s to read (`xpass figures` does).
 */
const EVERY = 7;
const MANY_JOBS = 1_000;
const someJobs = (figure: Figure): Figure => ({
  ...figure,
  jobs: (profile) => figure.jobs(profile).filter((_, at) => at % EVERY === 0),
});
const hasMany = (figure: Figure): boolean => figure.jobs('quick').length > MANY_JOBS;

describe('the catalogue', { timeout: 60_000 }, () => {
  it('has figures with names that are anchors, each once', () => {
    const names = FIGURES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  });

  it('has scenarios that can be played, and less work in the quick profile than in that of the papers', () => {
    const quick = new JobList(
      FIGURES.filter((figure) => !hasMany(figure)),
      'quick',
    );
    const quickOfMany = new JobList(FIGURES.filter(hasMany).map(someJobs), 'quick');
    const paper = new JobList(FIGURES.map(someJobs), 'paper');
    expect(quick.runs.length).toBeGreaterThan(100);
    expect(quickOfMany.runs.length).toBeGreaterThan(100);
    for (const { events } of [...quick.runs, ...quickOfMany.runs, ...paper.runs]) expect(events).toBeGreaterThan(0);
    expect(quick.events + EVERY * quickOfMany.events).toBeLessThan((EVERY * paper.events) / 2);
  });

  it('writes no file of one figure over that of another', async () => {
    const names: string[] = [];
    for (const figure of FIGURES) {
      const jobs = figure.jobs('quick').map((job) => ({ ...job, document: {} }));
      names.push(...(await scenarioFiles(figure, jobs)).keys());
    }
    expect(new Set(names).size).toBe(names.length);
  });

  it('finds figures by name, in its own order', () => {
    expect(chosen(['convergence', 'one-bottleneck'])).toEqual(['one-bottleneck', 'convergence']);
    expect(chosen(['expresspass', 'jitter'])).toEqual(['jitter']);
    expect(selectFigures([])).toEqual({ group: FIGURE_GROUPS[0], figures: FIGURE_GROUPS[0].figures });
  });

  it('finds figures of another group by the group, with or without its name in theirs', () => {
    const [jitter, pacing] = selectFigures(['jitter', 'pacing']).figures;
    const other = {
      name: 'other',
      title: 'Others',
      figures: [
        { ...jitter, name: 'other-jitter' },
        { ...pacing, name: 'other-pacing' },
      ],
    };
    const groups = [FIGURE_GROUPS[0], other];
    expect(selectFigures(['other'], groups)).toEqual({ group: other, figures: other.figures });
    for (const words of [['other', 'jitter'], ['other', 'other-jitter'], ['other-jitter']])
      expect(selectFigures(words, groups)).toEqual({ group: other, figures: [other.figures[0]] });
    expect(() => selectFigures(['other', 'convergence'], groups)).toThrow(
      "unknown figure 'convergence'; allowed: list, expresspass, other, other-jitter, other-pacing",
    );
    expect(() => selectFigures(['others-jitter'], groups)).toThrow(
      /did you mean 'other-jitter'\?; allowed: .* frontier, other-jitter, other-pacing$/,
    );
  });
});

/** Pages by their folder under docs/results. */
const PAGES = ['real-networks', 'ec4', 'spraypass'];

describe('the committed pages', () => {
  it.each(PAGES)('claim something of each row that has a value of the paper: %s', (folder) => {
    const rows = readFileSync(new URL(`../../../docs/results/${folder}/results.md`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split(' | '));
    const verdicts = rows.map(([, paper, , , verdict]) => ({ paper, verdict }));
    expect(verdicts.length).toBeGreaterThan(50);
    expect(rows.filter((_, at) => verdicts[at].paper !== '' && verdicts[at].verdict === 'no claim')).toEqual([]);
  });
});

describe('the building blocks', () => {
  it('set only constants that a rule has', () => {
    expect(ruleFields('naive')).toEqual({ algorithm: 'naive' });
    expect(ruleFields('expresspass-2016')).toEqual({
      algorithm: 'expresspass-2016',
      parameters: { initial_rate: 0.5 },
    });
    expect(ruleFields('steady', { initialRate: 1, wInit: 0.25 }).parameters).toEqual({ initial_rate: 1 });
  });

  it('have the dumbbell of the authors: 100 us there and back', () => {
    const { topology, bottlenecks, durationNs, warmUpNs } = parseScenario(dumbbell({ rule: 'steady', pairs: 3 }));
    const [edge, , , core] = [...topology.links].sort((a, b) => a.port.delayNs - b.port.delayNs).slice(3);
    expect(2 * (2 * edge.port.delayNs + core.port.delayNs)).toBe(100e3);
    expect([bottlenecks, durationNs, warmUpNs]).toEqual([[BOTTLENECK], 60e6, 20e6]);
    expect(topology.links.every(({ port }) => port.rateBps === 10e9)).toBe(true);
  });
});
