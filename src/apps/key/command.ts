// Tested by test/apps/key/key.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { defineCommand } from '../shared/command.js';

export const command = defineCommand({
  description:
    'Keys for hosts that talk in secret. A shared secret is one file that all hosts have; an identity is a file that one host has, whose public key stands in the peers files of the others. ' +
    'Without `new` or `show` it says what there is.',
  options: {},
  examples: [{ line: 'xpass key', meaning: 'What it can do' }],
  subcommands: [
    { name: 'new', summary: 'make a shared secret, or an identity', load: () => import('./new.js') },
    { name: 'show', summary: 'show what others may know of a key file', load: () => import('./show.js') },
  ],
  run: async ({ results }) => {
    results.line('xpass key new [FILE]              a shared secret');
    results.line('xpass key new --identity [FILE]   an identity, and the line for the peers files of others');
    results.line('xpass key show FILE               that line again, or the fingerprint of a shared secret');
    return ExitCode.done;
  },
});
