import { describe, expect, it } from 'vitest';
import { commandHelp, helpColumns, programHelp } from '../../../src/apps/cli/help.js';
import { defineCommand } from '../../../src/apps/shared/command.js';
import { optionalOption } from '../../../src/apps/shared/options.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { text } from '../../../src/base/value-kind.js';

const command = defineCommand({
  description: 'Does it.',
  options: { to: optionalOption(text('HOST'), { describe: 'Host', alias: 't' }) },
  examples: [{ line: 'xpass send --to lab7', meaning: 'send it there' }],
  run: async () => ExitCode.done,
});

describe('help', () => {
  it('says of each option what may be written', async () => {
    expect(await commandHelp('send', command)).toMatch(/-t, --to +Host\. Allowed: HOST/);
  });

  it('is as wide as a narrow terminal, and the same everywhere else', async () => {
    expect(helpColumns({ isTTY: true, columns: 80 })).toBe(80);
    expect(helpColumns({ isTTY: true, columns: 300 })).toBe(110);
    expect(helpColumns({ isTTY: true, columns: 8 })).toBe(50);
    expect(helpColumns({ columns: 80 })).toBe(110);
    const text = await commandHelp('send', { ...command, description: 'word '.repeat(60) }, 60);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });

  it('names the commands below a command', async () => {
    const entry = { name: 'ctl', summary: 'ask a switch', load: async () => ({ command }) };
    expect(await commandHelp('switch', { ...command, subcommands: [entry] })).toMatch(/xpass switch ctl +ask a switch/);
    expect(await programHelp([entry])).toMatch(/xpass ctl +ask a switch/);
  });
});
