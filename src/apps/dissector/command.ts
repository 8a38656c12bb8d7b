// Tested by test/telemetry/dissector/dissector.test.ts and test/apps/cli/commands.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { integer } from '../../base/value-kind.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { dissectorLua } from '../../telemetry/dissector/dissector.js';
import { defineCommand } from '../shared/command.js';
import { option } from '../shared/options.js';

export const command = defineCommand({
  description:
    'Prints a dissector for Wireshark and tshark, in Lua: fields for filters, expert information, answers linked with what they answer. ' +
    'docs/CAPTURES.md says where to put it.',
  options: {
    port: option(integer({ lowest: 1, highest: 65_535 }), {
      describe: 'UDP port whose datagrams are all taken for xpass; others are recognized by their first bytes',
      defaultText: String(DEFAULT_SWITCH_PORT),
    }),
  },
  examples: [
    { line: 'xpass dissector', meaning: 'The Lua program, to be kept as xpass.lua' },
    { line: 'xpass dissector --port 9000', meaning: 'For a switch at another port' },
  ],
  run: async ({ options, results }) => {
    results.line(dissectorLua(options));
    return ExitCode.done;
  },
});
