import { studentT } from '../../sim/measure/student.js';

/** Several runs of one test. */
export interface SeriesSummary {
  readonly runs: number;
  readonly meanBps: number;
  /** Half of the 95 % confidence interval of the mean; NaN for one run. */
  readonly halfWidthBps: number;
}

/** Mean and 95 % confidence interval by Student's t. */
export function summarize(goodputsBps: readonly number[]): SeriesSummary {
  const runs = goodputsBps.length;
  const meanBps = goodputsBps.reduce((sum, each) => sum + each, 0) / runs;
  const squares = goodputsBps.reduce((sum, each) => sum + (each - meanBps) ** 2, 0);
  const deviation = Math.sqrt(squares / (runs - 1));
  return { runs, meanBps, halfWidthBps: (studentT(runs - 1) * deviation) / Math.sqrt(runs) };
}
