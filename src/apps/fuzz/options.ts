// Tested by test/apps/cli/commands.test.ts and test/apps/fuzz/fuzz.test.ts

import { choice, integer, text } from '../../base/value-kind.js';
import { ALGORITHM_NAMES } from '../../core/algorithms.js';
import { MAX_SEED } from '../../scenario/kinds.js';
import { USUAL_FRAMES } from '../../sim/fuzz/random-scenario.js';
import { flag, listOption, option, optionalOption } from '../shared/options.js';

/** More threads than this wait for each other on any machine (ours). */
const MAX_JOBS = 256;
/** A week of work on two cores (ours). */
const MAX_SEEDS = 100_000_000;
/** Worlds that take a minute each (ours). */
const MAX_FRAMES = 1_000_000;

/** A day (ours). */
const MAX_SECONDS = 86_400;

const ALGORITHM = choice(ALGORITHM_NAMES);

export const FUZZ_OPTIONS = {
  seeds: optionalOption(integer({ lowest: 1, highest: MAX_SEEDS }), {
    describe: 'how many worlds; 300 without it, and one where --seed is given',
  }),
  seed: optionalOption(integer({ highest: MAX_SEED }), { describe: 'of the first world; a random one without it' }),
  frames: option(integer({ lowest: 1, highest: MAX_FRAMES }), {
    describe: 'full data frames that the flows of a world have together, about',
    defaultText: String(USUAL_FRAMES),
  }),
  jobs: optionalOption(integer({ lowest: 1, highest: MAX_JOBS }), {
    describe: 'worlds at a time; as many as there are cores without it',
    alias: 'j',
  }),
  hostile: flag({ describe: 'hosts prove themselves in all worlds, and one or two of them break every rule' }),
  seconds: option(integer({ highest: MAX_SECONDS }), {
    describe: 'seconds over which hostile hosts go on lying, and honest ones sending, after the usual beginning',
    defaultText: '0',
  }),
  judge: optionalOption(ALGORITHM, {
    describe:
      'play random networks under this algorithm instead, and say what part of its max-min share each flow has over their second halves',
  }),
  set: listOption(text('NAME=VALUE'), { describe: 'a constant of the algorithm that is judged; may be repeated' }),
  out: optionalOption(text('a directory'), {
    describe: "where the smallest worlds that break are written; the system's directory for temporary files without it",
  }),
  replay: optionalOption(text('a file'), { describe: 'play the world of this file, which a run before has written' }),
  json: flag({ describe: 'one JSON object at the end instead of the summary' }),
};
