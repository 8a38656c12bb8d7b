// Tested by test/apps/cli/commands.test.ts

import { defineCommand } from '../shared/command.js';
import { SEND_OPTIONS } from './options.js';
import { runSend } from './send.js';

export const command = defineCommand({
  description:
    'Sends files to an `xpass daemon`, one after the other or several at a time. A file counts as sent when the receiver has it whole under its name and says that ' +
    'its SHA-256 is right.',
  positionals: { label: 'FILE...', describe: 'regular files to send', least: 1, most: Number.POSITIVE_INFINITY },
  options: SEND_OPTIONS,
  examples: [
    { line: 'xpass send big.iso --to 192.0.2.7', meaning: 'Send a file to the daemon of that host' },
    { line: 'xpass send big.iso --to 2 --switch 127.0.0.1', meaning: 'Send it to host 2 behind a switch' },
    { line: 'xpass send a.log b.log -P 2 --to 127.0.0.1:47000 --json', meaning: 'Two at a time, JSON for a program' },
    { line: 'xpass send big.iso --bytes 16MiB --as sample.bin --to 127.0.0.1', meaning: 'Its first 16 MiB only' },
  ],
  run: runSend,
});
