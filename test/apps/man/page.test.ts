import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/apps/cli/commands.js';
import { type ManualPage, manualPages } from '../../../src/apps/man/page.js';
import { defineCommand } from '../../../src/apps/shared/command.js';
import { loadCommands, type NamedCommand } from '../../../src/apps/shared/command-tree.js';
import { flag } from '../../../src/apps/shared/options.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { longName } from '../../../src/base/value-kind.js';
import { runLine } from '../../harness/run-line.js';
import { scratchDirectory } from '../../harness/scratch.js';

let commands: NamedCommand[];
let pages: ManualPage[];

beforeAll(async () => {
  commands = await loadCommands(COMMANDS);
  pages = manualPages(commands, '1.2.3');
});

/** What a formatter says of all pages; undefined where it is not installed. */
function complaintsOf(program: string, args: readonly string[]): string | undefined {
  const input = pages.map(({ text }) => text).join('');
  const { error, stderr, stdout } = spawnSync(program, args, { input, encoding: 'utf8' });
  return error === undefined ? `${stderr}${program === 'mandoc' ? stdout : ''}` : undefined;
}

describe('manual pages', () => {
  it('are one for xpass and one for each command, with every option', () => {
    expect(pages.map(({ file }) => file)).toEqual([
      'xpass.1',
      ...commands.map(({ name }) => `xpass-${name.replaceAll(' ', '-')}.1`),
    ]);
    for (const [at, { command }] of commands.entries()) {
      const shown = Object.entries(command.options).filter(([, { isHidden }]) => isHidden !== true);
      for (const [key] of shown) {
        expect(pages[at + 1].text).toContain(`\\fB\\-\\-${longName(key).replaceAll('-', '\\-')}\\fR`);
      }
    }
  });

  it('are those that the package installs', async () => {
    const { man } = JSON.parse(await readFile('package.json', 'utf8')) as { man: string[] };
    expect(man).toEqual(pages.map(({ file }) => `./dist/man/${file}`).sort());
  });

  it('take no word of a text as a request', () => {
    const command = defineCommand({
      description: '.SH is "text" \\n, µs',
      options: { json: flag({ describe: "'tis so" }) },
      examples: [{ line: 'xpass x', meaning: '-' }],
      run: async () => ExitCode.done,
    });
    const [, { text }] = manualPages([{ name: 'x', summary: 'does', command }], '1');
    expect(text).toContain('\n\\&.SH is \\(dqtext\\(dq \\en, \\[u00B5]s\n');
    expect(text).toContain("\n\\&'tis so\n");
  });

  it('pass the warnings of groff', ({ skip }) => {
    const said = complaintsOf('groff', ['-ww', '-man', '-Tutf8', '-z']);
    skip(said === undefined, 'groff is not installed');
    expect(said).toBe('');
  });

  it('pass mandoc', ({ skip }) => {
    // They have no date, so that the same sources make the same page.
    const said = complaintsOf('mandoc', ['-T', 'lint', '-W', 'warning'])?.replace(/^.*missing date.*\n/gm, '');
    skip(said === undefined, 'mandoc is not installed');
    expect(said).toBe('');
  });

  it('are printed one by one or written all at once', async () => {
    expect((await runLine(['man', 'switch', 'ctl'])).out).toMatch(/^\.TH XPASS-SWITCH-CTL 1/);
    expect((await runLine(['man'])).out).toMatch(/^\.TH XPASS 1/);
    const folder = await scratchDirectory();
    expect(await runLine(['man', '--out', join(folder, 'man1')])).toMatchObject({ exitCode: 0, out: '' });
    expect((await readdir(join(folder, 'man1'))).sort()).toEqual(pages.map(({ file }) => file).sort());
    const { exitCode, err } = await runLine(['man', 'pref']);
    expect([exitCode, err]).toEqual([2, expect.stringContaining("unknown command 'pref'; did you mean 'perf'?")]);
  });
});
