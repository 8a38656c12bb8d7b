// Tested by test/apps/trace/trace.test.ts and test/apps/cli/commands.test.ts
import { writeFile } from 'node:fs/promises';
import { ExitCode } from '../../base/exit-codes.js';
import { failureOf } from '../../base/failure.js';
import { text } from '../../base/value-kind.js';
import { defineCommand } from '../shared/command.js';
import { flag, optionalOption } from '../shared/options.js';
import { tracePage } from './page.js';
import { readTrace } from './read-trace.js';
import { summarize, summaryLines } from './summary.js';

export const command = defineCommand({
  description:
    'Sums up the qlog file of a flow, which --qlog has written, and plots its rate, credits and RTT over time. ' +
    'docs/CAPTURES.md has the events.',
  positionals: { label: 'FILE', describe: 'a .sqlog file', least: 1, most: 1 },
  options: {
    json: flag({ describe: 'one JSON object instead of lines' }),
    html: optionalOption(text('a file'), { describe: 'write a page with charts of all events into this file' }),
  },
  examples: [
    { line: 'xpass trace flows/host-1-receiver-0000beef-peer-2.sqlog', meaning: 'What became of a flow' },
    { line: 'xpass trace flow.sqlog --html flow.html', meaning: 'The same with a page of charts' },
    { line: 'xpass trace flow.sqlog --json', meaning: 'The same for a program' },
  ],
  run: async ({ options, positionals, results }) => {
    const trace = readTrace(positionals[0]!);
    const summary = summarize(trace);
    if (options.html !== undefined) await writePage(options.html, tracePage(trace, summary));
    if (options.json) results.json(summary);
    else for (const line of summaryLines(summary)) results.line(line);
    return ExitCode.done;
  },
});

async function writePage(path: string, html: string): Promise<void> {
  try {
    await writeFile(path, html);
  } catch (error) {
    throw failureOf(error, path) ?? error;
  }
}
