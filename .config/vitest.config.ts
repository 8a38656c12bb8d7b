import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { builtSources } from './built-sources.mjs';

const SEEDS = 2 ** 31;
/** Of test/harness/seeds.ts: absent for that of a usual run. It is drawn here, once for all processes of a run. */
const seed = process.env.XPASS_TEST_SEED;
if (seed === 'random') {
  process.env.XPASS_TEST_SEED = `${randomInt(SEEDS)}`;
  process.stderr.write(`XPASS_TEST_SEED=${process.env.XPASS_TEST_SEED}\n`);
} else if (seed !== undefined && !(/^\d+$/.test(seed) && Number(seed) < SEEDS)) {
  throw new Error(`XPASS_TEST_SEED is "${seed}": it must be random, or a whole number from 0 to ${SEEDS - 1}`);
}

const unit = {
  extends: true as const,
  test: {
    name: 'unit',
    include: ['test/**/*.test.ts'],
    exclude: ['test/loopback/**'],
    globalSetup: ['.config/sources.setup.mjs'],
    setupFiles: ['test/harness/seeds.setup.ts'],
    // Only against a test that hangs: they run in virtual time, and the longest take seconds on cores that others use too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // They share no state but that of modules, which is none, and a process for each file took as long as the tests.
    isolate: false,
    sequence: { groupOrder: 0 },
  },
};

/** Their figures, or how much they do at once, want the cores for themselves. */
const ALONE = ['four-paths', 'lab-parity', 'metrics', 'perf-share', 'shared-link', 'tunnel-programs'].map(
  (name) => `test/loopback/${name}.test.ts`,
);

/** Real sockets and processes, which wait half of the time: three files at once on two cores, when the unit tests have left them alone. */
const loopback = {
  extends: true as const,
  test: {
    name: 'loopback',
    include: ['test/loopback/**/*.test.ts'],
    exclude: ALONE,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    globalSetup: ['.config/sources.setup.mjs', '.config/built.setup.mjs'],
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
    maxWorkers: 1,
    sequence: { groupOrder: 2 },
  },
};

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [builtSources],
  test: {
    // Traces name the lines of src/.
    execArgv: ['--enable-source-maps'],
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './.config/tally-reporter.mjs'],
    projects: [unit, loopback, alone],
  },
});
