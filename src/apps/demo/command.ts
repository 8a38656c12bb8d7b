// Tested by test/apps/cli/commands.test.ts

import { defineCommand } from '../shared/command.js';
import { runDemo } from './demo.js';
import { DEMO_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Starts a software switch, a receiver and some senders as processes of their own on this machine, has each sender send a file ' +
    "through the switch, shows what happens, and says whether every file arrived intact. The receiver's link is what they share. " +
    'Its rate is the highest of 100, 50 and 20 Mbit/s that this machine carries: idle cores choose the first one to try, and a lower one follows if the warm-up leaves more than ' +
    '5 % of the link empty or has a queue of more than 10 frames.',
  options: DEMO_OPTIONS,
  everyday: ['senders', 'linkRate', 'bytes', 'file', 'loss', 'algorithm', 'web', 'json'],
  examples: [
    { line: 'xpass demo', meaning: 'Four senders share a link' },
    {
      line: 'xpass demo --link-rate 100mbit --bytes 16MiB',
      meaning: 'Rate and length given, whatever the machine carries',
    },
    { line: 'xpass demo --senders 8 --algorithm naive', meaning: 'Eight, without credit feedback' },
    { line: 'xpass demo --algorithm ec4,dctcp', meaning: 'Credits and windows in one queue' },
    { line: 'xpass demo --web', meaning: 'A page that shows and changes it, until Ctrl-C' },
    { line: 'xpass demo --loss 1% --json', meaning: 'Links that lose frames, and one JSON object' },
  ],
  run: runDemo,
});
