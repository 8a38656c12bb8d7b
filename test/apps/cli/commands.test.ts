import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/apps/cli/command-line.js';
import { COMMANDS } from '../../../src/apps/cli/commands.js';
import { commandHelp } from '../../../src/apps/cli/help.js';
import { loadCommands, type NamedCommand } from '../../../src/apps/shared/command-tree.js';
import { allOptions } from '../../../src/apps/shared/common-options.js';
import { meaningOf, namesOf, optionGroups } from '../../../src/apps/shared/option-words.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { longName } from '../../../src/base/value-kind.js';

/** What is wrong with how a command presents itself. */
function complaints({ name, command }: NamedCommand): string[] {
  const found: string[] = [];
  const specs = Object.entries(allOptions(command));
  const aliases = specs.map(([, { alias }]) => alias).filter((alias) => alias !== undefined);
  if (new Set([...aliases, 'h']).size !== aliases.length + 1) found.push(`${name}: a one-letter name is used twice`);
  for (const [key, spec] of specs) {
    if (/[.\n]$/.test(spec.describe)) found.push(`${name}: --${longName(key)} describes itself with a full stop`);
    if (spec.defaultText !== undefined) spec.resolve({ texts: [spec.defaultText], label: `--${longName(key)}` });
  }
  if (command.examples.length === 0) found.push(`${name}: has no examples`);
  for (const { line } of command.examples) {
    const words = line.split(' ');
    if (!line.startsWith(`xpass ${name}`)) found.push(`${name}: the example "${line}" is of another command`);
    const { given } = parseCommandLine(command, words.slice(1 + name.split(' ').length));
    resolveOptions(command.options, given);
  }
  return [...found, ...helpComplaints({ name, command })];
}

/** Help shows ten options of every day and fits a terminal; --help-all has every option with all that is said of it. */
function helpComplaints({ name, command }: Pick<NamedCommand, 'name' | 'command'>): string[] {
  const found: string[] = [];
  const { everyday, others } = optionGroups(command);
  if (everyday.length > 10) found.push(`${name}: ${everyday.length} options of every day`);
  if (everyday.length < Math.min(10, command.everyday?.length ?? 0)) found.push(`${name}: an everyday option is none`);
  const [short, all] = [commandHelp(name, command), commandHelp(name, command, { isAll: true })];
  for (const line of [...short.split('\n'), ...all.split('\n')]) {
    if (line.length > 80) found.push(`${name}: ${line.length} columns: ${line}`);
  }
  const words = all.replace(/\s+/g, ' ');
  for (const option of [...everyday, ...others]) {
    const text = `${namesOf(option).trim()} ${meaningOf(option)}`.replace(/\s+/g, ' ');
    if (!words.includes(text)) found.push(`${name}: --help-all lacks ${text}`);
    const isShort = new RegExp(`^ {2}(?:-., | {4})--${option.name}(?: {2}|$)`, 'm').test(short);
    if (isShort !== everyday.includes(option)) found.push(`${name}: --${option.name} of --help`);
  }
  return found;
}

describe('the commands of xpass', () => {
  it('have names of their own and a summary in one line', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, summary } of COMMANDS) {
      expect(name).toMatch(/^[a-z]+$/);
      expect(summary).toMatch(/^[^\n]{5,70}[^.\n]$/);
    }
  });

  it('all load, and each has examples that its own options accept', async () => {
    const found: string[] = [];
    for (const loaded of await loadCommands(COMMANDS)) found.push(...complaints(loaded));
    expect(found).toEqual([]);
  });
});
