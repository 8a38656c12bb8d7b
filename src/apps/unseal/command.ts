// Tested by test/apps/unseal/unseal.test.ts and test/loopback/capture.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { text } from '../../base/value-kind.js';
import { readKeyLog } from '../../net/key-log.js';
import { loadFrameCiphers } from '../../udp/seal/gcm.js';
import { defineCommand } from '../shared/command.js';
import { flag, option } from '../shared/options.js';
import { FrameUnsealer } from './frame-unsealer.js';
import { unsealFile } from './unseal.js';

export const command = defineCommand({
  description:
    'Copies a capture with its sealed frames opened, by the secrets that --keylog of a host has written. Frames that it cannot open stay as they are, with a comment. ' +
    'docs/CAPTURES.md shows how.',
  positionals: { label: 'IN OUT', describe: 'a capture, and the file to write', least: 2, most: 2 },
  options: {
    keylog: option(text('a file'), { describe: 'what --keylog of a host has written', defaultText: 'xpass.keylog' }),
    json: flag({ describe: 'one JSON object instead of a line' }),
  },
  examples: [
    {
      line: 'xpass unseal sealed.pcapng open.pcapng --keylog xpass.keylog',
      meaning: 'What was in the frames, for Wireshark',
    },
  ],
  run: async ({ options, positionals, results }) => {
    const [from, to] = positionals as readonly [string, string];
    const unsealer = new FrameUnsealer(readKeyLog(options.keylog), (await loadFrameCiphers()).make);
    try {
      const summary = unsealFile(from, to, unsealer);
      const { opened, plain, refused, cut } = summary;
      if (options.json) results.json(summary);
      else results.line(`opened ${opened} datagrams; ${plain} were not sealed, ${refused} refused, ${cut} cut short`);
    } finally {
      unsealer.close();
    }
    return ExitCode.done;
  },
});
