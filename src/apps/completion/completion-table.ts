// Tested by test/apps/completion/completion.test.ts
import type { NamedCommand } from '../shared/command-tree.js';
import { optionGroups } from '../shared/option-words.js';

/** An option at the end of a command line. */
export interface Completed {
  /** Without dashes. */
  readonly name: string;
  readonly alias: string | undefined;
  readonly meaning: string;
  readonly isFlag: boolean;
  /** All values; none where they are no list, and files are offered. */
  readonly words: readonly string[];
}

/** A word and what it stands for. */
export type Word = readonly [word: string, meaning: string];

/** What may follow `xpass` and the words of a command. */
export interface Place {
  /** `switch ctl`; '' before any command. */
  readonly name: string;
  /** Commands below, and words that may stand first. */
  readonly words: readonly Word[];
  readonly options: readonly Completed[];
}

const HELP: Completed = { name: 'help', alias: 'h', meaning: 'Show help', isFlag: true, words: [] };
const VERSION: Completed = { name: 'version', alias: undefined, meaning: 'Show the version', isFlag: true, words: [] };
const HELP_ALL: Completed = { ...HELP, name: 'help-all', alias: undefined, meaning: 'Show all options' };

export function completionTable(commands: readonly NamedCommand[]): Place[] {
  const first = commands.filter(({ name }) => !name.includes(' '));
  const program: Place = {
    name: '',
    words: first.map(({ name, summary }) => [name, summary]),
    options: [HELP, VERSION],
  };
  return [program, ...commands.map(placeOf)];
}

function placeOf({ name, command }: NamedCommand): Place {
  const { everyday, others } = optionGroups(command);
  const below = (command.subcommands ?? []).map((each): Word => [each.name, each.summary]);
  const words = (command.positionals?.words ?? []).map((word): Word => [word, '']);
  const options = [...everyday, ...others].map(({ name: long, spec }) => ({
    name: long,
    alias: spec.alias,
    meaning: spec.describe,
    isFlag: spec.isFlag,
    words: spec.words ?? [],
  }));
  return { name, words: [...below, ...words], options: [...options, HELP, HELP_ALL] };
}

/** A text between single quotes of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `-c` and `--client` */
export function spellings({ name, alias }: Completed): string[] {
  return [...(alias === undefined ? [] : [`-${alias}`]), `--${name}`];
}
