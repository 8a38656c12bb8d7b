// Tested by test/apps/figures/command.test.ts
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import type { FigureEntry } from '../shared/report/figures-page.js';
import { prepareDirectory, writeAll } from '../shared/run-output/output-file.js';
import { type RunOutcome, runAll } from '../shared/simulation/run-all.js';
import type { FigureSelection } from './catalogue.js';
import type { Figure, FigureGroup } from './figure.js';
import { figureEntry, figureFiles, pageFiles, scenarioFiles } from './figure-files.js';
import type { DistinctRun, JobList } from './job-list.js';
import type { FiguresInvocation } from './options.js';
import { FiguresProgress } from './progress.js';

const OUT = 'directory of figures';

export interface PlayedFigures {
  readonly entries: readonly FigureEntry[];
  /** Runs without a result, whose figures are left out. */
  readonly failed: number;
}

/** Plays all runs, writes each figure as soon as it has its runs, and the page at the end. Throws a Failure when it is interrupted. */
export async function playFigures(
  selection: FigureSelection,
  jobs: JobList,
  invocation: FiguresInvocation,
): Promise<PlayedFigures> {
  const player = new FiguresPlayer(selection, jobs, invocation);
  return player.play();
}

class FiguresPlayer {
  private readonly group: FigureGroup;
  private readonly figures: readonly Figure[];
  private readonly jobs: JobList;
  private readonly invocation: FiguresInvocation;
  private readonly progress: FiguresProgress;
  private readonly entries = new Map<string, FigureEntry>();
  private failed = 0;

  constructor({ group, figures }: FigureSelection, jobs: JobList, invocation: FiguresInvocation) {
    this.group = group;
    this.figures = figures;
    this.jobs = jobs;
    this.invocation = invocation;
    this.progress = new FiguresProgress(invocation.terminal, jobs);
  }

  async play(): Promise<PlayedFigures> {
    const { out, profile } = this.invocation.options;
    await prepareDirectory(out, OUT);
    await this.writeScenarios();
    for (const { name } of this.figures) if (this.jobs.jobsOf(name).length === 0) await this.finish(name);
    await this.run();
    const entries = this.figures.flatMap(({ name }) => this.entries.get(name) ?? []);
    await writeAll(out, pageFiles(this.group, entries, profile), OUT);
    return { entries, failed: this.failed };
  }

  private async writeScenarios(): Promise<void> {
    const directory = `${this.invocation.options.out}/scenarios`;
    await prepareDirectory(directory, OUT);
    for (const figure of this.figures) {
      await writeAll(directory, await scenarioFiles(figure, this.jobs.jobsOf(figure.name)), OUT);
    }
  }

  private async run(): Promise<void> {
    const { options, onInterrupt } = this.invocation;
    const abort = new AbortController();
    const release = onInterrupt(() => abort.abort());
    const scenarios = this.jobs.runs.map(({ scenario }) => scenario);
    try {
      await runAll(scenarios, {
        jobs: options.jobs,
        signal: abort.signal,
        onOutcome: (outcome) => this.take(outcome),
        onProgress: () => this.progress.draw(),
      });
    } finally {
      this.progress.clear();
      release();
    }
    if (abort.signal.aborted) {
      throw new Failure(
        ExitCode.failed,
        'interrupted: figures that were complete have their files, the page is missing',
      );
    }
  }

  private async take({ index, run, error }: RunOutcome): Promise<void> {
    const distinct = this.jobs.runs[index];
    this.progress.done(distinct);
    if (run === null) {
      this.fail(distinct, error?.stack || error?.message || 'no result');
      return;
    }
    for (const name of this.jobs.take(distinct, run)) await this.finish(name);
  }

  private fail({ scenario, figures }: DistinctRun, why: string): void {
    this.failed++;
    this.progress.print(`a run of ${[...figures].join(', ')} with seed ${scenario.seed} failed: ${why}`);
  }

  private async finish(name: string): Promise<void> {
    const { out, profile } = this.invocation.options;
    const figure = this.figures.find((each) => each.name === name) as Figure;
    const outcome = figure.evaluate(this.jobs.runsOf(name), profile);
    this.jobs.release(name);
    const { drawChart } = await import('../shared/plot/draw.js');
    const svgs = outcome.charts.map(({ chart }) => drawChart(chart));
    await writeAll(out, figureFiles(figure, outcome, svgs), OUT);
    this.entries.set(name, figureEntry(figure, { outcome, svgs, profile }));
    this.progress.figureDone(name);
  }
}
