import { type FigureEntry, type FiguresPage, figuresCsv, figuresMarkdown, figuresPage } from '../../report/figures-page.js';
import { csvText } from '../../report/table.js';
import type { Figure, FigureGroup, FigureJob, FigureOutcome, Profile } from './figure.js';
import { BAND } from './verdict.js';

/** Drawings and tables of one figure by their file names. */
export function figureFiles({ name }: Figure, { charts, tables }: FigureOutcome, svgs: readonly string[]): ReadonlyMap<string, string> {
  return new Map([
    ...charts.map(({ key }, at): [string, string] => [fileName(name, key, 'svg'), `${svgs[at]}\n`]),
    ...tables.map(({ key, titles, rows }): [string, string] => [fileName(name, key, 'csv'), csvText(titles, rows)]),
  ]);
}

/** The scenario of each job as a file that `xpass sim` plays: with its first seed, and how to play the others. */
export async function scenarioFiles({ name }: Figure, jobs: readonly FigureJob[]): Promise<ReadonlyMap<string, string>> {
  const { stringify } = await import('yaml');
  return new Map(
    jobs.map(({ key, document, seeds }) => {
      const file = fileName(name, key, 'yaml');
      const text = stringify({ name: `${name}-${key}`, seed: seeds[0], ...document }, { lineWidth: 0 });
      return [file, `# ${replay(file, seeds)}\n${text}`];
    }),
  );
}

function replay(file: string, seeds: readonly number[]): string {
  return `xpass sim ${file}${seeds.length > 1 ? ` --seeds ${seeds.length}` : ''}`;
}

/** One figure as the page has it. */
export function figureEntry(figure: Figure, outcome: FigureOutcome, profile: Profile): FigureEntry {
  const { name, title, source } = figure;
  return {
    name,
    title,
    what: `${source}.\n\n${figure.about(profile)}`,
    charts: outcome.charts.map(({ chart }) => chart),
    rows: outcome.rows,
    command: `xpass figures ${name}${profileOption(profile)}`,
  };
}

/** The page and its tables by their file names. */
export function pageFiles({ title }: FigureGroup, entries: readonly FigureEntry[], profile: Profile): ReadonlyMap<string, string> {
  const page: FiguresPage = { title, intro: intro(profile), figures: entries };
  return new Map([
    ['index.html', figuresPage(page)],
    ['results.md', figuresMarkdown(page)],
    ['results.csv', figuresCsv(page)],
  ]);
}

function intro(profile: Profile): string {
  const scale =
    profile === 'quick'
      ? 'This is the quick profile: fewer seeds, flows and seconds than in the papers; each figure says which.'
      : 'This is the paper profile: flows, seeds and seconds as in the papers.';
  return `Every figure is made by the simulator, in which the same endpoints and switches run that also run behind sockets. ${scale}

The paper's value and that of the authors' public ns-2 code on the same scenario stand beside ours, if known. A paper's value stands at the paper's own rule; steady and other rules of ours stand beside it.

"met": ours reaches what the reason says, and lies within ${BAND * 100} % of the paper's value. "missed": it is worse. "outside": it is as good as it is held to, but not within ${BAND * 100} % of the paper's value: better by far, or different where no side is the good one. Where the paper has a bound or a word instead of a value, it has one side only. "no claim": the paper has no value.`;
}

function profileOption(profile: Profile): string {
  return profile === 'quick' ? '' : ` --profile ${profile}`;
}

function fileName(figure: string, key: string, extension: string): string {
  return `${figure}${key === '' ? '' : `-${key}`}.${extension}`;
}
