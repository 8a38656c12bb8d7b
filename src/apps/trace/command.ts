// Tested by test/apps/trace/trace.test.ts and test/apps/cli/commands.test.ts
import { ExitCode } from '../../base/exit-codes.js';
import { defineCommand } from '../shared/command.js';
import { flag } from '../shared/options.js';
import { readTrace } from './read-trace.js';
import { summarize, summaryLines } from './summary.js';

export const command = defineCommand({
  description:
    'Sums up the qlog file of a flow, which --qlog has written, and plots its rate, credits and RTT over time. ' +
    'docs/CAPTURES.md has the events.',
  positionals: { label: 'FILE', describe: 'a .sqlog file', least: 1, most: 1 },
  options: { json: flag({ describe: 'one JSON object instead of lines' }) },
  examples: [
    { line: 'xpass trace flows/host-1-receiver-0000beef-peer-2.sqlog', meaning: 'What became of a flow' },
    { line: 'xpass trace flow.sqlog --json', meaning: 'The same for a program' },
  ],
  run: async ({ options, positionals, results }) => {
    const summary = summarize(readTrace(positionals[0]!));
    if (options.json) results.json(summary);
    else for (const line of summaryLines(summary)) results.line(line);
    return ExitCode.done;
  },
});
