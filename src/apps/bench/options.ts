// Tested by test/apps/bench/command.test.ts

import { decimal, integer, text } from '../../base/value-kind.js';
import { flag, type OptionValues, optionalOption } from '../shared/options.js';

/** Longer and more than anybody waits for (ours). */
const MAX_SECONDS = 3_600;
const MAX_RUNS = 1_000;

/** Five short runs say more than one long one: what disturbs a machine comes and goes within seconds (ours). */
const USUAL_EFFORT: Effort = { seconds: 1, runs: 5 };
const QUICK_EFFORT: Effort = { seconds: 0.5, runs: 1 };
/** A profile holds the start of a process too: five seconds of work are most of it (ours). */
const PROFILE_EFFORT: Effort = { seconds: 5, runs: 1 };

/** As short as a measurement that has something in it (ours). */
const SMOKE_EFFORT: Effort = { seconds: 0.2, runs: 1 };

export interface Effort {
  /** Of one measurement. */
  readonly seconds: number;
  readonly runs: number;
}

export const BENCH_OPTIONS = {
  seconds: optionalOption(decimal({ lowest: 0.1, highest: MAX_SECONDS }), {
    describe: `how long each measurement takes, without its warm-up; without it ${perEffort('seconds')}`,
    alias: 't',
  }),
  runs: optionalOption(integer({ lowest: 1, highest: MAX_RUNS }), {
    describe: `how often each benchmark runs; the middle one of its figures counts; without it ${perEffort('runs')}`,
    alias: 'r',
  }),
  quick: flag({ describe: 'one short run of each, and none of those that take long' }),
  smoke: flag({ describe: 'see that each runs, in a second or two: the figures are of code that is not compiled yet' }),
  profile: flag({ describe: 'leave a CPU profile of each process, and print what takes its time' }),
  profileDirectory: optionalOption(text('a directory'), {
    describe: 'where the profiles go; profiles-DATE below the temporary directory without it',
  }),
  json: flag({ describe: 'one JSON object at the end, and nothing else on standard output' }),
};

function perEffort(field: keyof Effort): string {
  return `${USUAL_EFFORT[field]}, ${QUICK_EFFORT[field]} with --quick, ${PROFILE_EFFORT[field]} with --profile`;
}

/** How long and how often benchmarks run. */
export function effortOf({ seconds, runs, quick, smoke, profile }: OptionValues<typeof BENCH_OPTIONS>): Effort {
  const usual = smoke ? SMOKE_EFFORT : profile ? PROFILE_EFFORT : quick ? QUICK_EFFORT : USUAL_EFFORT;
  return { seconds: seconds ?? usual.seconds, runs: runs ?? usual.runs };
}
