import { describe, expect, it } from 'vitest';
import { commandHelp, helpColumns, programHelp } from '../../../src/apps/cli/help.js';
import { defineCommand } from '../../../src/apps/shared/command.js';
import { flag, optionalOption } from '../../../src/apps/shared/options.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { text } from '../../../src/base/value-kind.js';

const command = defineCommand({
  description: 'Does it.',
  options: { to: optionalOption(text('HOST'), { describe: 'Host', alias: 't' }) },
  examples: [{ line: 'xpass send --to lab7', meaning: 'send it there' }],
  run: async () => ExitCode.done,
});

describe('help', () => {
  it('says of each option what may be written', () => {
    expect(commandHelp('send', command)).toMatch(/-t, --to +Host\. Allowed: HOST/);
  });

  it('is as wide as a narrow terminal, and the same everywhere else', () => {
    expect(helpColumns({ isTTY: true, columns: 72 })).toBe(72);
    expect(helpColumns({ isTTY: true, columns: 300 })).toBe(80);
    expect(helpColumns({ isTTY: true, columns: 8 })).toBe(50);
    expect(helpColumns({ columns: 60 })).toBe(80);
    const text = commandHelp('send', { ...command, description: 'word '.repeat(60) }, { columns: 60 });
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });

  it('names the commands below a command', () => {
    const entry = { name: 'ctl', summary: 'ask a switch', load: async () => ({ command }) };
    expect(commandHelp('switch', { ...command, subcommands: [entry] })).toMatch(/xpass switch ctl +ask a switch/);
    expect(programHelp([entry])).toMatch(/xpass ctl +ask a switch/);
  });

  it('shows the options of every day in their order, and the others with --help-all', () => {
    const options = { rare: flag({ describe: 'seldom' }), to: command.options.to, often: flag({ describe: 'often' }) };
    const text = commandHelp('send', { ...command, options, everyday: ['often', 'to'] });
    expect(text).toMatch(
      /Options:\n +--often +often\n +-t, --to .*\n +-h, --help .*\n +--help-all +Show all options\n/,
    );
    expect(text).not.toContain('--rare');
    const all = commandHelp('send', { ...command, options, everyday: ['often', 'to'] }, { isAll: true });
    expect(all).toMatch(/More options:\n +--rare +seldom\n +--config /);
  });

  it('breaks a long example where a shell goes on', () => {
    const line = `xpass send ${'file '.repeat(20)}--to lab7`;
    const text = commandHelp('send', { ...command, examples: [{ line, meaning: 'send it there' }] });
    const [, shown] = text.split('Examples:\n');
    expect(shown.replace(/ \\\n +/g, ' ')).toContain(line);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});
