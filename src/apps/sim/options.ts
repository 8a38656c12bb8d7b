// Tested by test/apps/cli/commands.test.ts and test/apps/sim/sim.test.ts

import { integer, text } from '../../base/value-kind.js';
import { MAX_SEED } from '../../scenario/kinds.js';
import { CAPTURE_OPTIONS, QLOG_OPTIONS } from '../shared/capture-options.js';
import type { Invocation } from '../shared/command.js';
import { flag, listOption, optionalOption } from '../shared/options.js';
import { QUEUE_OPTION } from '../shared/queue-option.js';

/** More threads than this wait for each other on any machine (ours). */
const MAX_JOBS = 256;
/** Ours: with more parts most frames cross between them. */
const MAX_THREADS = 16;
/** Runs of one seed each (ours): files of a directory that can still be listed. */
const MAX_SEEDS = 100_000;

export const SIM_OPTIONS = {
  seed: optionalOption(integer({ highest: MAX_SEED }), {
    describe: "in place of the scenario's own; with --seeds the first",
  }),
  set: listOption(text('PATH=VALUE, as topology.pairs=64 or hosts.0.parameters.initial_rate=0.3'), {
    describe: 'change a value of the scenario',
  }),
  json: flag({ describe: 'one JSON object with everything instead of the summary' }),
  csv: optionalOption(text('a directory'), { describe: 'write flows, links and samples over time as CSV files there' }),
  report: optionalOption(text('an HTML file'), {
    describe: 'write a page with figures there; of a sweep, one of all runs',
  }),
  sweep: listOption(text('PATH=VALUE,VALUE..., as algorithm=naive,steady'), {
    describe: 'run with each of these values; several: with each combination',
  }),
  seeds: optionalOption(integer({ lowest: 1, highest: MAX_SEEDS }), {
    describe: 'run with this many seeds, one after the other',
  }),
  jobs: optionalOption(integer({ lowest: 1, highest: MAX_JOBS }), {
    describe: 'runs at a time; as many as there are cores without it',
    alias: 'j',
  }),
  threads: optionalOption(integer({ lowest: 1, highest: MAX_THREADS }), {
    describe: 'threads for one run; the result is the same. The scenario needs ties: places',
  }),
  queue: QUEUE_OPTION,
  out: optionalOption(text('a directory'), {
    describe: 'keep the results of a sweep there; a second start runs only what is missing',
  }),
  ...CAPTURE_OPTIONS,
  ...QLOG_OPTIONS,
  schema: flag({ describe: 'print the JSON Schema of scenario files' }),
};

export type SimInvocation = Invocation<typeof SIM_OPTIONS>;
