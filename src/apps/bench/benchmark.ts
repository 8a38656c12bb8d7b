// Tested by test/apps/bench/catalogue.test.ts

import type { Workbench } from './workbench.js';

/** One figure. */
export interface BenchResult {
  readonly name: string;
  /** NaN for what could not be measured; `note` says why. */
  readonly value: number;
  readonly unit: string;
  /** What it is compared with: the bare program's figure, or the ideal; null for nothing. */
  readonly raw: number | null;
  /** Whose figure that is, where it is neither of these. */
  readonly rawIs?: string;
  /** What else there is to say about this figure. */
  readonly note?: string;
}

export interface Benchmark {
  /** Parts between slashes, each of which stands for one more choice. */
  readonly name: string;
  readonly group: string;
  /** Parts of the name with which it runs only when it is asked for by them. */
  readonly rareParts: readonly string[];
  /** Benchmarks in a row with the same word take turns, so that each run of one is close to a run of the others, and share what is measured once for all of them. */
  readonly round?: string;
  /** How often it runs at most, where more runs would say little for the time that they take; as often as asked for without it. */
  readonly mostRuns?: number;
  /** Too long for a quick look: with `--quick` it runs only when asked for by name. */
  readonly isSlow?: boolean;
  run(bench: Workbench): Promise<BenchResult[]>;
}
