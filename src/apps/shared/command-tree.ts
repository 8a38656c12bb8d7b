// Tested by test/apps/cli/commands.test.ts
import type { Command, CommandEntry } from './command.js';

/** A loaded command and what the list that names it says. */
export interface NamedCommand {
  /** The full name: `switch ctl`. */
  readonly name: string;
  readonly summary: string;
  readonly command: Command;
}

/** Loads all commands, each followed by those below it. */
export async function loadCommands(entries: readonly CommandEntry[], above = ''): Promise<NamedCommand[]> {
  const loaded: NamedCommand[] = [];
  for (const { name: word, summary, load } of entries) {
    const { command } = await load();
    const name = above === '' ? word : `${above} ${word}`;
    loaded.push({ name, summary, command }, ...(await loadCommands(command.subcommands ?? [], name)));
  }
  return loaded;
}
