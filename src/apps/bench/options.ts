// Tested by test/apps/bench/command.test.ts

import { flag, option } from '../shared/options.js';
import { decimal, integer } from '../shared/value-kind.js';

/** Longer and more than anybody waits for (ours). */
const MAX_SECONDS = 3_600;
const MAX_RUNS = 1_000;

export const BENCH_OPTIONS = {
  seconds: option(decimal({ lowest: 0.1, highest: MAX_SECONDS }), {
    describe: 'how long each measurement takes, without its warm-up',
    alias: 't',
    defaultText: '3',
  }),
  runs: option(integer({ lowest: 1, highest: MAX_RUNS }), {
    describe: 'how often each benchmark runs; the middle one of its figures counts',
    alias: 'r',
    defaultText: '1',
  }),
  json: flag({ describe: 'one JSON object at the end, and nothing else' }),
};
