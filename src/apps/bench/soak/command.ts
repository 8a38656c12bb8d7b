import { defineCommand } from '../../shared/command.js';
import { SOAK_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Sends flows of 100 kB at random times through a switch to a receiver, for long, and watches the memory of the three processes. At the end it says whether it grew: how fast, with a ' +
    'confidence of 95 %. The exit status is 1 when it did, or when a flow failed.',
  options: SOAK_OPTIONS,
  examples: [
    { line: 'xpass bench soak', meaning: 'An hour at half of the link' },
    { line: 'xpass bench soak --duration 10min --json', meaning: 'Ten minutes, JSON for a program' },
  ],
  run: async (invocation) => (await import('./soak.js')).runSoak(invocation),
});
