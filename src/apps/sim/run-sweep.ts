// Tested by test/apps/sim/sweep.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { resultJson } from '../../report/output/result-json.js';
import type { RunOutcome } from '../../scenario/play/run-all.js';
import { runAnywhere } from '../../scenario/queue/run-anywhere.js';
import type { ScenarioText } from '../../scenario/scenario-text.js';
import type { SimInvocation } from './options.js';
import { ProgressBar } from './progress-bar.js';
import { SweepDirectory } from './sweep-directory.js';
import { SweepPages } from './sweep-pages.js';
import { type PlannedRun, planSweep, type SweepPlan } from './sweep-plan.js';
import { runFigures, type SweptRun, summaryCsv, summaryJson, summaryLines } from './sweep-summary.js';

/** Plays every run of a sweep that has no result yet, and prints a table of all in the order of the plan. */
export async function runSweep(file: ScenarioText, invocation: SimInvocation): Promise<ExitCode> {
  const { set: sets, sweep: sweeps, seed, seeds, out, report } = invocation.options;
  const plan = await planSweep(file, { sets, sweeps, seed, seeds });
  const directory = out === undefined ? null : await SweepDirectory.open(out, plan);
  const pages = report === undefined ? null : await SweepPages.open(report, plan);
  const sweep = new Sweep({ plan, directory, pages }, invocation);
  await sweep.loadDone();
  await sweep.play();
  return sweep.finish();
}

interface SweepFiles {
  readonly plan: SweepPlan;
  readonly directory: SweepDirectory | null;
  readonly pages: SweepPages | null;
}

class Sweep {
  private readonly plan: SweepPlan;
  private readonly directory: SweepDirectory | null;
  private readonly pages: SweepPages | null;
  private readonly invocation: SimInvocation;
  private readonly bar: ProgressBar;
  private readonly results = new Map<string, SweptRun>();
  private isInterrupted = false;

  constructor({ plan, directory, pages }: SweepFiles, invocation: SimInvocation) {
    this.plan = plan;
    this.directory = directory;
    this.pages = pages;
    this.invocation = invocation;
    this.bar = new ProgressBar(invocation.terminal, plan.name);
  }

  async loadDone(): Promise<void> {
    if (this.directory === null) return;
    for (const planned of this.plan.runs) {
      const result = await this.directory.find(planned);
      if (result !== null) this.results.set(planned.hash, { planned, figures: runFigures(result), error: null });
    }
  }

  async play(): Promise<void> {
    const missing = this.missing();
    const done = this.plan.runs.filter(({ hash }) => this.results.has(hash)).length;
    if (done > 0) this.bar.print(`${done} of ${this.plan.runs.length} runs are done already`);
    const abort = new AbortController();
    const release = this.invocation.onInterrupt(() => {
      this.isInterrupted = true;
      abort.abort();
    });
    try {
      await runAnywhere(
        missing.map(({ scenario }) => scenario),
        {
          jobs: this.invocation.options.jobs,
          queue: this.invocation.options.queue,
          say: (line) => this.bar.print(line),
          signal: abort.signal,
          onProgress: (progress) => this.bar.draw(progress),
          onOutcome: (outcome) => this.take(missing[outcome.index], outcome),
        },
      );
    } finally {
      this.bar.clear();
      release();
    }
  }

  /** Two runs of one hash, as `topology.rate=1gbit,1000mbit` has, are played once. */
  private missing(): PlannedRun[] {
    const found = new Map<string, PlannedRun>();
    for (const planned of this.plan.runs) {
      if (!this.results.has(planned.hash)) found.set(planned.hash, planned);
    }
    return [...found.values()];
  }

  private async take(planned: PlannedRun, { run, error, wallS }: RunOutcome): Promise<void> {
    if (run === null) {
      const message = error?.message ?? 'there is no result';
      this.bar.print(`failed: ${message}\n  to see it again: ${planned.command}`);
      this.results.set(planned.hash, { planned, figures: null, error: message });
      return;
    }
    const result = resultJson(run.result, wallS);
    await this.directory?.keep(planned, result);
    await this.pages?.keep(planned, run);
    this.results.set(planned.hash, { planned, figures: runFigures(result), error: null });
  }

  /** Prints and keeps the summary. Status 1 where a run failed or is missing. */
  async finish(): Promise<ExitCode> {
    const { results, options, terminal } = this.invocation;
    const runs = this.plan.runs.map((planned) => this.sweptRun(planned));
    const json = summaryJson(this.plan.name, this.plan.paths, runs);
    await this.directory?.summarise(summaryCsv(runs), json);
    await this.pages?.finish(this.plan, runs);
    if (options.json) results.json(json);
    else for (const line of summaryLines(this.plan.paths, runs, results.columnsWide)) results.line(line);
    const missing = runs.filter(({ figures }) => figures === null).length;
    if (this.isInterrupted) {
      const hint = this.directory === null ? '' : '; start it again to go on';
      terminal.write(`interrupted with ${runs.length - missing} of ${runs.length} runs done${hint}\n`);
    }
    return missing === 0 && !this.isInterrupted ? ExitCode.done : ExitCode.failed;
  }

  private sweptRun(planned: PlannedRun): SweptRun {
    const found = this.results.get(planned.hash);
    return found === undefined ? { planned, figures: null, error: 'not run' } : { ...found, planned };
  }
}
