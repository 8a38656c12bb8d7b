// Tested by test/apps/cli/commands.test.ts
import { integer, text } from '../../base/value-kind.js';
import type { Invocation } from '../shared/command.js';
import { flag, optionalOption, requiredOption } from '../shared/options.js';
import { QUEUE_TEXT } from '../shared/queue-option.js';

/** More threads than this wait for each other on any machine (ours). */
const MAX_JOBS = 256;

export const WORK_OPTIONS = {
  queue: requiredOption(text(QUEUE_TEXT), { describe: 'server from which runs are taken' }),
  jobs: optionalOption(integer({ lowest: 1, highest: MAX_JOBS }), {
    describe: 'runs at a time; as many as there are cores without it',
    alias: 'j',
  }),
  json: flag({ describe: 'one JSON object a run, and a summary' }),
};

export type WorkInvocation = Invocation<typeof WORK_OPTIONS>;
