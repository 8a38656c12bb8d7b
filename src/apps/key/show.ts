// Tested by test/apps/key/key.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { readKeyFile } from '../../net/key-file.js';
import { defineCommand } from '../shared/command.js';
import { flag } from '../shared/options.js';
import { NAME, printKey } from './print-key.js';

export const command = defineCommand({
  description:
    'Shows what others may know of a key file: of an identity the line for their peers files, of a shared secret a fingerprint, by which two files can be compared.',
  positionals: { label: 'FILE', describe: 'a file that xpass key new has written', least: 1, most: 1 },
  options: { name: NAME, json: flag({ describe: 'one JSON object instead of lines' }) },
  examples: [
    { line: 'xpass key show xpass-identity.key', meaning: 'The line for the peers files of other hosts' },
    { line: 'xpass key show lab.key --json', meaning: 'The fingerprint of a shared secret, for a program' },
  ],
  run: async ({ options, positionals, results }) => {
    const file = positionals[0]!;
    printKey({ file, key: await readKeyFile(file), name: options.name }, { results, isJson: options.json });
    return ExitCode.done;
  },
});
