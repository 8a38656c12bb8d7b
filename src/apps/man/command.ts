// Tested by test/apps/man/page.test.ts
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode } from '../../base/exit-codes.js';
import { failureOf, usageFailure } from '../../base/failure.js';
import { text } from '../../base/value-kind.js';
import { suggestion } from '../../scenario/nearest.js';
import { defineCommand } from '../shared/command.js';
import { loadCommands } from '../shared/command-tree.js';
import { optionalOption } from '../shared/options.js';
import { packageVersion } from '../shared/version.js';
import { type ManualPage, manualPages } from './page.js';

export const command = defineCommand({
  description:
    'Prints the manual page of a command, or that of xpass, as source for man(1). The pages are made from the same table as `--help`; a global installation by npm puts them where man finds them.',
  positionals: { label: '[COMMAND...]', describe: 'such as perf, or switch ctl', least: 0, most: 2 },
  options: {
    out: optionalOption(text('a directory, made when it is missing'), {
      describe: 'write the pages of all commands there instead',
    }),
  },
  examples: [
    { line: 'xpass man perf', meaning: 'Its source; `xpass man perf | man -l -` shows it' },
    { line: 'xpass man --out /usr/local/share/man/man1', meaning: 'All pages, where man looks for them' },
  ],
  run: async ({ options, positionals, results, commands }) => {
    const pages = manualPages(await loadCommands(commands), packageVersion());
    if (options.out === undefined) results.line(pageOf(positionals, pages).text.trimEnd());
    else await writePages(options.out, pages);
    return ExitCode.done;
  },
});

function pageOf(words: readonly string[], pages: readonly ManualPage[]): ManualPage {
  const file = `${['xpass', ...words].join('-')}.1`;
  const page = pages.find((each) => each.file === file);
  if (page !== undefined) return page;
  const names = pages.slice(1).map((each) => each.file.slice('xpass-'.length, -'.1'.length).replaceAll('-', ' '));
  const word = words.join(' ');
  throw usageFailure(`unknown command '${word}'${suggestion(word, names)}; allowed: ${names.join(', ')}`);
}

async function writePages(folder: string, pages: readonly ManualPage[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { file, text: source } of pages) await writeFile(join(folder, file), source);
  } catch (error) {
    throw failureOf(error, `--out '${folder}'`) ?? error;
  }
}
