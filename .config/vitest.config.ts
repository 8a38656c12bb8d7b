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

const loopbackFiles = (...names: string[]): string[] => names.map((name) => `test/loopback/${name}.test.ts`);

/** Their figures, or how much they do at once, want the cores for themselves. */
const ALONE = loopbackFiles('metrics');

/** Of `npm run test:slow`: other programs and other lines of Node.js, the installed package, pages in a browser, and benchmarks. */
const SLOW = [
  ...loopbackFiles('bench', 'containers', 'node-versions', 'package', 'perf-iperf3', 'queue'),
  ...loopbackFiles('lab-page', 'live-page', 'playground', 'report-page'),
];
const SLOW_ALONE = loopbackFiles('four-paths', 'lab-parity', 'perf-share', 'shared-link', 'tunnel-programs');

/** Real sockets and processes, which wait half of the time: three files at once on two cores, when the unit tests have left them alone. */
const loopback = {
  extends: true as const,
  test: {
    name: 'loopback',
    include: ['test/loopback/**/*.test.ts'],
    exclude: [...ALONE, ...SLOW, ...SLOW_ALONE],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    globalSetup: ['.config/sources.setup.mjs', '.config/built.setup.mjs'],
    sequence: { groupOrder: 1 },
  },
};

/** Some files of those tests. */
const some = (name: string, include: string[]) => ({
  extends: true as const,
  test: { ...loopback.test, name, include, exclude: [] },
});

/** The same, one file at a time when the others are done. */
const someAlone = (name: string, include: string[]) => ({
  extends: true as const,
  test: {
    ...some(name, include).test,
    fileParallelism: false,
    maxWorkers: 1,
    sequence: { groupOrder: 2 },
  },
});

/** What all runs of tests have in common. */
const common = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [builtSources],
  test: {
    // Traces name the lines of src/.
    execArgv: ['--enable-source-maps'],
    pool: 'forks' as const,
    maxWorkers: 2,
    reporters: ['default', './.config/tally-reporter.mjs'],
  },
};

/** `npm run test:slow`: .config/vitest.slow.config.ts */
export const slow = defineConfig({
  ...common,
  test: { ...common.test, projects: [some('slow', SLOW), someAlone('slow-alone', SLOW_ALONE)] },
});

export default defineConfig({
  ...common,
  test: { ...common.test, projects: [unit, loopback, someAlone('loopback-alone', ALONE)] },
});
