// Tested by test/apps/sim/sweep-pages.test.ts
import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkWritable, prepareDirectory, writeWhole } from '../../report/output/output-file.js';
import type { SimulationRun } from '../../sim/result.js';
import type { PlannedRun, SweepPlan } from './sweep-plan.js';
import type { SweptRun } from './sweep-summary.js';

const WHAT = 'report';
const FOLDER = 'directory of the pages of runs';
/** Runs with a page (ours): some 20 kB each. Of others the page of the sweep has the command. */
const MOST_PAGES = 1_000;

/** The page of a sweep, `FILE.html`, and beside it in `FILE.runs` one for each run, by its hash. */
export class SweepPages {
  private readonly path: string;
  private readonly folder: string;
  private readonly paged: ReadonlySet<string>;

  private constructor(path: string, { runs }: SweepPlan) {
    this.path = path;
    this.folder = join(dirname(path), `${basename(path).replace(/\.html?$/i, '')}.runs`);
    this.paged = new Set([...new Set(runs.map(({ hash }) => hash))].slice(0, MOST_PAGES));
  }

  /** Throws a Failure where the pages cannot be written: before the first run. */
  static async open(path: string, plan: SweepPlan): Promise<SweepPages> {
    const pages = new SweepPages(path, plan);
    await checkWritable(path, WHAT);
    await prepareDirectory(pages.folder, FOLDER);
    return pages;
  }

  /** A run that has just been played. Its curves over time are in the report of the command that its page names. */
  async keep({ hash, command }: PlannedRun, { result }: SimulationRun): Promise<void> {
    if (!this.paged.has(hash)) return;
    const { runReport } = await import('../../report/run-report.js');
    const text = runReport({ result, series: null }, { command: `${command} --report ${hash}.html` });
    await writeWhole(this.fileOf(hash), text, WHAT);
  }

  async finish({ name, paths }: SweepPlan, runs: readonly SweptRun[]): Promise<void> {
    const { sweepReport } = await import('../../report/sweep-report.js');
    const reported = await Promise.all(
      runs.map(async ({ planned: { values, scenario, hash, command }, figures, error }) => {
        const href = figures === null ? null : await this.hrefOf(hash);
        return { values, seed: scenario.seed, figures, error, command, href };
      }),
    );
    await writeWhole(this.path, sweepReport({ title: name, paths, runs: reported }), WHAT);
  }

  /** A run that `--out` had already has a page if a report was written here before. */
  private async hrefOf(hash: string): Promise<string | null> {
    const isThere = await access(this.fileOf(hash)).then(
      () => true,
      () => false,
    );
    return isThere ? `${encodeURIComponent(basename(this.folder))}/${hash}.html` : null;
  }

  private fileOf(hash: string): string {
    return join(this.folder, `${hash}.html`);
  }
}
