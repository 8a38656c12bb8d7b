import { describe, expect, it } from 'vitest';
import { allOptions, parseCommandLine } from '../../../src/apps/cli/command-line.js';
import { COMMANDS } from '../../../src/apps/cli/commands.js';
import { commandHelp } from '../../../src/apps/cli/help.js';
import type { Command, CommandEntry } from '../../../src/apps/shared/command.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { longName } from '../../../src/base/value-kind.js';

interface Loaded {
  readonly name: string;
  readonly command: Command;
}

async function loadAll(entries: readonly CommandEntry[], prefix = ''): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  for (const { name, load } of entries) {
    const { command } = await load();
    const full = `${prefix}${name}`;
    loaded.push({ name: full, command }, ...(await loadAll(command.subcommands ?? [], `${full} `)));
  }
  return loaded;
}

/** What is wrong with how a command presents itself. */
async function complaints({ name, command }: Loaded): Promise<string[]> {
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
  await commandHelp(name, command);
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
    for (const loaded of await loadAll(COMMANDS)) found.push(...(await complaints(loaded)));
    expect(found).toEqual([]);
  });
});
