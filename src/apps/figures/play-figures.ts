import { displayDuration } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import type { FigureEntry, ScaledRows } from '../../report/figures-page.js';
import { prepareDirectory, writeAll } from '../../report/output/output-file.js';
import { LiveRegion, progressBar, type TerminalShape } from '../../report/terminal.js';
import type { RunOutcome } from '../../scenario/play/run-all.js';
import { runAnywhere } from '../../scenario/queue/run-anywhere.js';
import type { FigureSelection } from './catalogue.js';
import type { Figure, FigureGroup, FigureOutcome } from './figure.js';
import { figureEntry, figureFiles, pageFiles, scenarioFiles } from './figure-files.js';
import type { DistinctRun, JobList } from './job-list.js';
import { type KeptRun, KeptRuns } from './kept-runs.js';
import type { FiguresInvocation } from './options.js';
import { readScaledRows, scaledRowsFile } from './paper-scale.js';

const OUT = 'directory of figures';

export interface PlayedFigures {
  readonly entries: readonly FigureEntry[];
  /** Runs without a result, whose figures are left out. */
  readonly failed: number;
}

/** Plays all runs, writes each figure as soon as it has its runs, and the page at the end. Throws a Failure when it is interrupted. */
export async function playFigures(selection: FigureSelection, jobs: JobList, invocation: FiguresInvocation): Promise<PlayedFigures> {
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
  /** By figure: seconds that its runs took. */
  private readonly seconds = new Map<string, number>();
  /** Of a profile that takes hours. */
  private kept: KeptRuns | null = null;
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
    if (profile === 'paper') this.kept = await KeptRuns.open(`${out}/runs`);
    for (const { name } of this.figures) if (this.jobs.jobsOf(name).length === 0) await this.finish(name);
    await this.run();
    const entries = this.figures.flatMap(({ name }) => this.entries.get(name) ?? []);
    await writeAll(out, pageFiles(this.group, entries, profile), OUT);
    if (this.failed === 0) await this.kept?.remove();
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
    const runs = await this.takeKept();
    const scenarios = runs.map(({ scenario }) => scenario);
    try {
      await runAnywhere(scenarios, {
        jobs: options.jobs,
        queue: options.queue,
        say: (line) => this.progress.print(line),
        signal: abort.signal,
        onOutcome: (outcome) => this.take(runs[outcome.index], outcome),
        onProgress: () => this.progress.draw(),
      });
    } finally {
      this.progress.clear();
      release();
    }
    if (abort.signal.aborted) {
      const onward = this.kept === null ? '' : '; the same command goes on with the runs that are done';
      throw new Failure(ExitCode.failed, `interrupted: figures that were complete have their files, the page is missing${onward}`);
    }
  }

  /** Takes the runs that are there already; returns the others. */
  private async takeKept(): Promise<DistinctRun[]> {
    const others: DistinctRun[] = [];
    for (const distinct of this.jobs.runs) {
      const found = (await this.kept?.find(distinct.key)) ?? null;
      if (found === null) others.push(distinct);
      else {
        this.progress.skip(distinct);
        await this.use(distinct, found);
      }
    }
    return others;
  }

  private async take(distinct: DistinctRun, { run, error, wallS }: RunOutcome): Promise<void> {
    this.progress.done(distinct);
    if (run === null) {
      this.fail(distinct, error?.stack || error?.message || 'no result');
      return;
    }
    await this.kept?.keep(distinct.key, { run, wallS });
    await this.use(distinct, { run, wallS });
  }

  private async use(distinct: DistinctRun, { run, wallS }: KeptRun): Promise<void> {
    for (const name of distinct.figures) this.seconds.set(name, (this.seconds.get(name) ?? 0) + wallS);
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
    const { drawChart } = await import('../../report/plot/draw.js');
    const svgs = outcome.charts.map(({ chart }) => drawChart(chart));
    await writeAll(out, figureFiles(figure, outcome, svgs), OUT);
    if (profile === 'paper') await writeAll(out, scaledRowsFile(name, this.scaled(name, outcome)), OUT);
    const scaled = profile === 'quick' ? await readScaledRows(out, name) : null;
    this.entries.set(name, { ...figureEntry(figure, outcome, profile), ...(scaled && { scaled }) });
    this.progress.figureDone(name);
  }

  private scaled(name: string, { rows }: FigureOutcome): ScaledRows {
    const runs = this.jobs.jobsOf(name).reduce((sum, { seeds }) => sum + seeds.length, 0);
    return { runs, seconds: Math.round(this.seconds.get(name) ?? 0), rows };
  }
}

const BAR_WIDTH = 30;
/** Lines of a log instead of a bar come this far apart (ours). */
const LINE_MS = 10_000;

/**
 * How far figures are, on standard error: one line on a terminal, now and then a line elsewhere. Runs count by their events, since some are a
 * thousand times longer than others.
 */
export class FiguresProgress {
  private readonly region: LiveRegion;
  private readonly jobs: JobList;
  private readonly now: () => number;
  private readonly startMs: number;
  private lineMs: number;
  private events = 0;
  private skipped = 0;
  private runs = 0;

  constructor(terminal: NodeJS.WritableStream & TerminalShape, jobs: JobList, now: () => number = () => performance.now()) {
    this.region = new LiveRegion(terminal);
    this.jobs = jobs;
    this.now = now;
    this.startMs = now();
    this.lineMs = this.startMs;
  }

  done({ events }: DistinctRun): void {
    this.events += events;
    this.runs++;
  }

  /** Done before. */
  skip(run: DistinctRun): void {
    this.done(run);
    this.skipped += run.events;
  }

  draw(): void {
    const nowMs = this.now();
    if (this.region.isLive) this.region.draw([this.line()]);
    else if (nowMs - this.lineMs >= LINE_MS) {
      this.region.print(this.line());
      this.lineMs = nowMs;
    }
  }

  figureDone(name: string): void {
    this.print(`${name}: ${this.line()}`);
  }

  /** A line that stays. */
  print(line: string): void {
    this.region.print(line);
  }

  clear(): void {
    this.region.clear();
  }

  /** `[######----]  60 %  6 of 10 runs  ETA 2:05`. */
  private line(): string {
    const part = this.jobs.events === 0 ? 1 : this.events / this.jobs.events;
    const played = this.events - this.skipped;
    const leftNs = played === 0 ? Number.NaN : ((this.now() - this.startMs) * 1e6 * (this.jobs.events - this.events)) / played;
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    return `${progressBar(part, BAR_WIDTH)} ${percent}  ${this.runs} of ${this.jobs.runs.length} runs  ETA ${displayDuration(leftNs)}`;
  }
}
