// Tested by test/apps/bench/catalogue.test.ts

import type { Workbench } from './workbench.js';

/** One figure. */
export interface BenchResult {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with: the bare program's figure, or the ideal; null for nothing. */
  readonly raw: number | null;
  /** Whose figure that is, where it is neither of these. */
  readonly rawIs?: string;
}

export interface Benchmark {
  /** Parts between slashes, each of which stands for one more choice. */
  readonly name: string;
  readonly group: string;
  /** Parts of the name with which it runs only when it is asked for by them. */
  readonly rareParts: readonly string[];
  run(bench: Workbench): Promise<BenchResult[]>;
}
