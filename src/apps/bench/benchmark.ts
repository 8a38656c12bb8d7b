// Tested by test/apps/bench/catalogue.test.ts

import type { Workbench } from './workbench.js';

/** One figure of a benchmark. */
export interface BenchRow {
  /** What follows the benchmark's name, such as `cpu`; nothing for its main figure. */
  readonly part?: string;
  /** NaN for what could not be measured; `note` says why. */
  readonly value: number;
  readonly unit: string;
  /** What it is compared with: the bare program's figure, or the ideal; nothing by default. */
  readonly raw?: number | null;
  /** Whose figure that is, where it is neither of these. */
  readonly rawIs?: string;
  readonly note?: string;
}

/** The same with its whole name. */
export interface BenchResult extends Omit<BenchRow, 'part'> {
  readonly name: string;
  readonly raw: number | null;
}

export interface Benchmark {
  /** Parts between slashes, each of which stands for one more choice. */
  readonly name: string;
  readonly group: string;
  /** Parts of the name with which it runs only when it is asked for by them. */
  readonly rareParts?: readonly string[];
  /**
   * Benchmarks in a row with the same word take turns, so that each run of one is close to a run of the others, and share what is measured once for
   * all of them.
   */
  readonly round?: string;
  /** Upper limit of its runs, where more would say little for the time that they take. */
  readonly mostRuns?: number;
  /** Too long for a quick look: with `--quick` it runs only when asked for by name. */
  readonly isSlow?: boolean;
  run(bench: Workbench): Promise<BenchRow[]>;
}

/** The rows of a benchmark under their whole names. */
export function named(name: string, rows: readonly BenchRow[]): BenchResult[] {
  return rows.map(({ part, value, unit, raw = null, ...said }) => ({
    name: part === undefined ? name : `${name}/${part}`,
    value,
    unit,
    raw,
    ...said,
  }));
}

/** A row that says which flows failed: they are in no figure. */
export function failureNote({ failed, reasons }: { readonly failed: number; readonly reasons: readonly string[] }): {
  note?: string;
} {
  return failed === 0 ? {} : { note: `${failed} flows failed: ${reasons.join(', ')}` };
}
