// Tested by test/apps/key/key.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { makeKey, writeKeyFile } from '../../net/key-file.js';
import { defineCommand } from '../shared/command.js';
import { flag } from '../shared/options.js';
import { NAME, printKey } from './print-key.js';

const USUAL_FILES = { secret: 'xpass.key', identity: 'xpass-identity.key' } as const;

export const command = defineCommand({
  description:
    'Writes a new key file that only its owner may read; it overwrites nothing. A shared secret is copied to all hosts that talk with each other, by a way that is safe. ' +
    'An identity stays where it is; the line that is printed goes into the peers files of the other hosts.',
  positionals: {
    label: '[FILE]',
    describe: `the file to write; ${USUAL_FILES.secret} or ${USUAL_FILES.identity} without it`,
    least: 0,
    most: 1,
  },
  options: {
    identity: flag({ describe: "make this host's identity instead of a shared secret" }),
    name: NAME,
    json: flag({ describe: 'one JSON object instead of lines' }),
  },
  examples: [
    { line: 'xpass key new lab.key', meaning: 'A secret that the hosts of a lab share' },
    { line: 'xpass key new --identity --name 192.0.2.7:28400', meaning: 'An identity, and its line for others' },
  ],
  run: async ({ options, positionals, results }) => {
    const kind = options.identity ? 'identity' : 'secret';
    const file = positionals[0] ?? USUAL_FILES[kind];
    const key = makeKey(kind);
    await writeKeyFile(file, key);
    printKey({ file, key, name: options.name }, { results, isJson: options.json });
    return ExitCode.done;
  },
});
