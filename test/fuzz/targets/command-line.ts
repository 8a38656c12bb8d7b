import { parseCommandLine } from '../../../src/apps/cli/command-line.js';
import { bytesOf, type Target, textOf } from '../engine/target.js';
import { taken } from './config-error.js';
import { FUZZED_COMMANDS, OPTION_NAMES, resolved } from './options.js';

const EXAMPLES = FUZZED_COMMANDS.flatMap(({ examples }, at) =>
  examples.map(({ line }) => Uint8Array.from([at, ...bytesOf(line.split(' ').slice(2).join('\n'))])),
);

/** Arguments, one a line, of each of some commands: values of all options, or a sentence. */
export const commandLine: Target = {
  name: 'command-line',
  seeds: () => EXAMPLES,
  words: [
    ...OPTION_NAMES.map((name) => `\n--${name}\n`),
    '\n--no-',
    '=',
    '\n--\n',
    '\n-',
    '100mbit',
    '20us',
    ':0',
    '[::1]:7',
    '5%',
  ],
  maxBytes: 512,
  run: async (input) => {
    const command = FUZZED_COMMANDS[(input[0] ?? 0) % FUZZED_COMMANDS.length]!;
    const args = textOf(input.subarray(1)).split('\n');
    const line = await taken(() => parseCommandLine(command, args));
    if (line !== null) await taken(() => resolved(command, line.given));
  },
};
