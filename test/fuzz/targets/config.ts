import { parseConfig } from '../../../src/apps/cli/config-file.js';
import { allOptions } from '../../../src/apps/shared/common-options.js';
import { longName } from '../../../src/base/value-kind.js';
import { bytesOf, type Target, textOf } from '../engine/target.js';
import { taken } from './config-error.js';
import { FUZZED_COMMANDS, OPTION_NAMES, resolved } from './options.js';

/** Text of a configuration file, for each of some commands: settings that are allowed, or a sentence. */
export const config: Target = {
  name: 'config',
  seeds: () =>
    [
      'rate: 100mbit\nidle-timeout: 2s\n',
      'set: {initial_rate: 0.5}\nalgorithm: steady\n',
      'hosts: 4\nlink-rate: 1gbit\n',
    ].map((text, at) => Uint8Array.from([at, ...bytesOf(text)])),
  words: [
    ...OPTION_NAMES.map((name) => `\n${name}: `),
    '100mbit',
    '20us',
    '5%',
    '1e9',
    '-1',
    '[',
    ']',
    '{',
    '}',
    '&a',
    '*a',
    '~',
  ],
  maxBytes: 1_024,
  run: async (input) => {
    const command = FUZZED_COMMANDS[(input[0] ?? 0) % FUZZED_COMMANDS.length]!;
    const allowedKeys = Object.keys(allOptions(command)).map(longName);
    const source = textOf(input.subarray(1));
    const entries = await taken(() => parseConfig({ path: 'fuzz.yaml', source, allowedKeys }));
    if (entries !== null) await taken(() => resolved(command, new Map(), entries));
  },
};
