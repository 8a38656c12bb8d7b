// Tested by test/apps/figures/command.test.ts

import { choice, integer, text } from '../../base/value-kind.js';
import type { Invocation } from '../shared/command.js';
import { flag, option, optionalOption } from '../shared/options.js';
import { QUEUE_OPTION } from '../shared/queue-option.js';
import { PROFILES } from './figure.js';

/** More threads than this wait for each other on any machine (ours). */
const MAX_JOBS = 256;

export const FIGURES_OPTIONS = {
  profile: option(choice(PROFILES), { describe: 'quick: all figures in minutes; paper: at the scale of the papers, which takes hours', defaultText: 'quick' }),
  out: option(text('a directory'), { describe: 'where the files go', defaultText: 'figures' }),
  jobs: optionalOption(integer({ lowest: 1, highest: MAX_JOBS }), { describe: 'runs at a time; as many as there are cores without it', alias: 'j' }),
  queue: QUEUE_OPTION,
  json: flag({ describe: 'one JSON object with the rows of all figures, and nothing else' }),
};

export type FiguresInvocation = Invocation<typeof FIGURES_OPTIONS>;
