import fc from 'fast-check';
import { vi } from 'vitest';

/** Of a usual run (ours): all runs try the same inputs, so a test that fails has been broken by the last change. */
const USUAL_SEED = 20_170_821;

/** Seed of every random test of a run. XPASS_TEST_SEED sets another; .config/vitest.config.ts makes a number of `random` before it starts the tests. */
export const TEST_SEED = Number(process.env.XPASS_TEST_SEED ?? USUAL_SEED);

/** How much longer than usual random tests run: XPASS_TEST_RUNS=10 tries ten times as many inputs. */
const RUNS_FACTOR = Number(process.env.XPASS_TEST_RUNS ?? 1);

export function scaledRuns(runs: number): number {
  return Math.max(1, Math.round(runs * RUNS_FACTOR));
}

/** Holds a property for `runs` random inputs, times XPASS_TEST_RUNS. A failure names the seed and the smallest input that fails. */
export function holds<T>(arbitrary: fc.Arbitrary<T>, runs: number, predicate: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, predicate), { numRuns: scaledRuns(runs) });
}

/** Generous for a usual run: only a hang, or a machine ten times slower, exceeds it. */
const TEST_TIMEOUT_MS = 30_000;

/** Call it before the tests of a file of random tests: longer runs may take longer. */
export function allowLongRuns(): void {
  vi.setConfig({ testTimeout: TEST_TIMEOUT_MS * Math.max(1, RUNS_FACTOR) });
}
