import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/loopback/**', 'test/fuzz-slow/**'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          // Real sockets and processes: one file at a time, and only once the unit tests have left the cores alone.
          name: 'loopback',
          include: ['test/loopback/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          globalSetup: ['.config/built.setup.mjs'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
