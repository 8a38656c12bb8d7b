import fc from 'fast-check';
import { vi } from 'vitest';

/** Seed of every random test of a run. Set XPASS_TEST_SEED to the number that a failed run printed to see the failure again. */
export const TEST_SEED = Number(process.env.XPASS_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** How much longer than usual random tests run: XPASS_TEST_RUNS=10 tries ten times as many inputs. */
const RUNS_FACTOR = Number(process.env.XPASS_TEST_RUNS ?? 1);

export function scaledRuns(runs: number): number {
  return Math.max(1, Math.round(runs * RUNS_FACTOR));
}

/** Holds a property for `runs` random inputs, times XPASS_TEST_RUNS. A failure names the seed and the smallest input that fails. */
export function holds<T>(arbitrary: fc.Arbitrary<T>, runs: number, predicate: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, predicate), { seed: TEST_SEED, numRuns: scaledRuns(runs) });
}

/** Generous for a usual run: only a hang, or a machine ten times slower, exceeds it. */
const TEST_TIMEOUT_MS = 30_000;

/** Call it before the tests of a file of random tests: prints the seed, and lets longer runs take longer. */
export function printSeed(): void {
  vi.setConfig({ testTimeout: TEST_TIMEOUT_MS * Math.max(1, RUNS_FACTOR) });
  process.stderr.write(`XPASS_TEST_SEED=${TEST_SEED}\n`);
}
