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
    sequence: { groupOrder: 0 },
  },
};

/** Real sockets and processes: one file at a time, and only once the unit tests have left the cores alone. */
const loopback = {
  extends: true as const,
  test: {
    name: 'loopback',
    include: ['test/loopback/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    globalSetup: ['.config/built.setup.mjs'],
    sequence: { groupOrder: 1 },
  },
};

/** Takes minutes, so it runs only when asked for: `npm test -- --project fuzz-slow`. */
const fuzzSlow = {
  extends: true as const,
  test: {
    name: 'fuzz-slow',
    include: ['test/fuzz-slow/**/*.test.ts'],
    testTimeout: 3_600_000,
    sequence: { groupOrder: 2 },
  },
};

const isSlowFuzzingAskedFor = process.argv.includes('fuzz-slow');

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: isSlowFuzzingAskedFor ? [fuzzSlow] : [unit, loopback],
  },
});
