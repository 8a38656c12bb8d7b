import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const unit = {
  extends: true as const,
  test: {
    name: 'unit',
    include: ['test/**/*.test.ts'],
    exclude: ['test/loopback/**', 'test/fuzz-slow/**'],
    // Only against a test that hangs: they run in virtual time, and the longest take seconds on cores that others use too.
    testTimeout: 60_000,
    // They share no state but that of modules, which is none, and a process for each file took as long as the tests.
    isolate: false,
    sequence: { groupOrder: 0 },
  },
};

/** Their figures, or how much they do at once, want the cores for themselves. */
const ALONE = ['four-paths', 'lab-parity', 'perf-share', 'shared-link', 'tunnel-programs'].map(
  (name) => `test/loopback/${name}.test.ts`,
);

/** Real sockets and processes, which mostly wait: two files at a time, once the unit tests have left the cores alone. */
const loopback = {
  extends: true as const,
  test: {
    name: 'loopback',
    include: ['test/loopback/**/*.test.ts'],
    exclude: ALONE,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    globalSetup: ['.config/built.setup.mjs'],
    sequence: { groupOrder: 1 },
  },
};

const alone = {
  extends: true as const,
  test: {
    ...loopback.test,
    name: 'loopback-alone',
    include: ALONE,
    exclude: [],
    fileParallelism: false,
    sequence: { groupOrder: 2 },
  },
};

/** Takes minutes, so it runs only when asked for: `npm test -- --project fuzz-slow`. */
const fuzzSlow = {
  extends: true as const,
  test: {
    name: 'fuzz-slow',
    include: ['test/fuzz-slow/**/*.test.ts'],
    testTimeout: 3_600_000,
    sequence: { groupOrder: 3 },
  },
};

const isSlowFuzzingAskedFor = process.argv.includes('fuzz-slow');

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './.config/tally-reporter.mjs'],
    projects: isSlowFuzzingAskedFor ? [fuzzSlow] : [unit, loopback, alone],
  },
});
