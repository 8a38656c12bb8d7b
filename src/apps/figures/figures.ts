import { availableParallelism } from 'node:os';
import { displayCount, displayDuration } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { usageFailure } from '../../base/failure.js';
import type { FigureEntry, FigureRow } from '../../report/figures-page.js';
import { type Column, tableLines } from '../../report/table.js';
import { parseScenario } from '../../scenario/parse-scenario.js';
import { simulate } from '../../sim/simulate.js';
import type { Results } from '../shared/results.js';
import { FIGURE_GROUPS, selectFigures } from './catalogue.js';
import type { Figure, FigureGroup, Profile } from './figure.js';
import { JobList } from './job-list.js';
import type { FiguresInvocation } from './options.js';
import { playFigures } from './play-figures.js';

const LIST = 'list';

const LIST_COLUMNS: readonly Column[] = [
  { title: 'group' },
  { title: 'figure' },
  { title: 'runs', align: 'right' },
  { title: 'events', align: 'right' },
  { title: 'what' },
];

const SUMMARY_COLUMNS: readonly Column[] = [
  { title: 'figure' },
  { title: 'quantity' },
  { title: 'paper', align: 'right' },
  { title: "authors' code", align: 'right' },
  { title: 'ours', align: 'right' },
  { title: 'verdict' },
];

/** Makes figures, or lists those of `groups`. */
export async function runFigures(invocation: FiguresInvocation, groups = FIGURE_GROUPS): Promise<ExitCode> {
  const { options, positionals, results } = invocation;
  if (positionals.includes(LIST)) {
    if (positionals.length > 1) throw usageFailure(`'${LIST}' stands alone; allowed: ${LIST}, or a group and names of its figures`);
    list(groups, invocation);
    return ExitCode.done;
  }
  const selection = selectFigures(positionals, groups);
  const jobs = new JobList(selection.figures, options.profile);
  announce(jobs, invocation);
  const { entries, failed } = await playFigures(selection, jobs, invocation);
  if (options.json) results.json(jsonOf(options.profile, entries));
  else summary(entries, results);
  return failed === 0 ? ExitCode.done : ExitCode.failed;
}

function list(groups: readonly FigureGroup[], { options, results }: FiguresInvocation): void {
  const { profile } = options;
  const found = groups.flatMap(({ name, figures }) => figures.map((figure) => listed(name, figure, profile)));
  if (options.json) results.json({ profile, figures: found });
  else for (const line of tableLines(LIST_COLUMNS, found.map(listRow))) results.line(line);
}

function listed(group: string, figure: Figure, profile: Profile) {
  const { name, title, source } = figure;
  const jobs = new JobList([figure], profile);
  return { group, name, title, source, runs: jobs.runs.length, events: Math.round(jobs.events) };
}

function listRow({ group, name, title, source, runs, events }: ReturnType<typeof listed>): string[] {
  return [group, name, displayCount(runs), displayCount(events), `${title} (${source})`];
}

/** What takes hours says so before it begins. */
function announce(jobs: JobList, { options, terminal }: FiguresInvocation): void {
  if (options.profile === 'quick') return;
  const threads = lanes(options.jobs);
  const seconds = jobs.events / (measuredEventsPerSecond() * threads);
  const time = displayDuration(seconds * 1e9);
  const runs = `${displayCount(jobs.runs.length)} runs, ${displayCount(jobs.events)} events`;
  terminal.write(`${runs}: about ${time} with ${threads} threads of this machine\n`);
}

function summary(entries: readonly FigureEntry[], results: Results): void {
  const rows = entries.flatMap(({ name, rows: found }) => found.map((row) => summaryRow(name, row)));
  for (const line of tableLines(SUMMARY_COLUMNS, rows)) results.line(line);
}

function summaryRow(name: string, { quantity, paper, authorsCode, ours, verdict }: FigureRow): string[] {
  return [name, quantity, paper ?? '', authorsCode ?? '', ours, verdict];
}

function jsonOf(profile: Profile, entries: readonly FigureEntry[]): unknown {
  return { profile, figures: entries.map(({ name, title, rows }) => ({ name, title, rows })) };
}

/** Long enough that the compiler of the machine has seen the code (ours): some tenths of a second. */
const TRIAL = { topology: { name: 'dumbbell', pairs: 4 }, flows: ['pairs'], duration: '60ms' };

/** What one thread of this machine does, by a trial. */
export function measuredEventsPerSecond(): number {
  const startMs = performance.now();
  const { result } = simulate(parseScenario(TRIAL));
  return (result.events * 1000) / (performance.now() - startMs);
}

/** Threads that will run. */
export function lanes(jobs: number | undefined): number {
  return jobs ?? availableParallelism();
}
