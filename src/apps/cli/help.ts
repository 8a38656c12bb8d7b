import type { TerminalShape } from '../../report/terminal.js';
import type { Command, CommandEntry } from '../shared/command.js';
import { meaningOf, namesOf, optionGroups, type ShownOption, synopsis } from '../shared/option-words.js';

/** The usual width of a terminal, and one below which nothing fits. */
const MOST_COLUMNS = 80;
const LEAST_COLUMNS = 50;
/** A longer name has its meaning in the line below (ours). */
const MOST_NAME_COLUMNS = 26;
const GAP = '  ';

/** The width of help on this stream: that of a terminal that is narrower than usual. */
export function helpColumns({ isTTY = false, columns = MOST_COLUMNS }: TerminalShape): number {
  return isTTY ? Math.max(LEAST_COLUMNS, Math.min(columns, MOST_COLUMNS)) : MOST_COLUMNS;
}

export interface HelpShape {
  readonly columns?: number;
  /** `--help-all`: with the options that are not of every day. */
  readonly isAll?: boolean;
}

/** A term and what it means, in two columns. */
type Row = readonly [term: string, meaning: string];

/** The text of `xpass NAME --help`. */
export function commandHelp(
  name: string,
  command: Command,
  { columns = MOST_COLUMNS, isAll = false }: HelpShape = {},
): string {
  const { positionals, subcommands = [], notes, examples } = command;
  const { everyday, others } = optionGroups(command);
  const about = positionals === undefined ? '' : `${positionals.label}: ${positionals.describe}.`;
  const options = [...everyday.map(optionRow), ...HELP_ROWS];
  return joined([
    wrapped(`Usage: ${synopsis(name, command)}`, { columns }),
    wrapped(command.description, { columns }),
    about === '' ? [] : wrapped(about, { columns }),
    section(
      'Commands:',
      rows(
        subcommands.map((below) => [`xpass ${name} ${below.name}`, below.summary]),
        columns,
      ),
    ),
    section('Options:', rows(options, columns)),
    isAll ? section('More options:', rows(others.map(optionRow), columns)) : [],
    notes === undefined ? [] : section(`${notes.title}:`, rows(notes.rows, columns)),
    section(
      'Examples:',
      examples.flatMap(({ line, meaning }) => exampleLines(line, meaning, columns)),
    ),
  ]);
}

/** The text of `xpass --help`. */
export function programHelp(commands: readonly CommandEntry[], columns = MOST_COLUMNS): string {
  const flags: Row[] = [
    ['-h, --help', 'Show this, or the help of a command that stands before it'],
    ['    --help-all', 'Show all options of the command that stands before it'],
    ['    --version', 'Show the version'],
  ];
  return joined([
    ['Usage: xpass COMMAND [options]'],
    wrapped('Credit-scheduled transport over UDP: senders, receivers and a software switch.', { columns }),
    section(
      'Commands:',
      rows(
        commands.map(({ name, summary }) => [`xpass ${name}`, summary]),
        columns,
      ),
    ),
    section('Options:', rows(flags, columns)),
    wrapped('Exit status: 0 done, 1 the transfer or check failed, 2 wrong usage, 3 peer unreachable or lost.', {
      columns,
    }),
  ]);
}

const HELP_ROWS: readonly Row[] = [
  ['-h, --help', 'Show this'],
  ['    --help-all', 'Show all options'],
];

function optionRow(option: ShownOption): Row {
  return [namesOf(option), meaningOf(option)];
}

function joined(parts: readonly (readonly string[])[]): string {
  return parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function rows(list: readonly Row[], columns: number): string[] {
  const fitting = list.map(([term]) => term.length).filter((length) => length <= MOST_NAME_COLUMNS);
  const indent = Math.max(0, ...fitting) + 2 * GAP.length;
  return list.flatMap(([term, meaning]) => {
    const lines = wrapped(meaning, { columns, indent });
    const head = `${GAP}${term}`;
    if (head.length + GAP.length > indent) return [head, ...lines];
    return [head.padEnd(indent) + lines[0].slice(indent), ...lines.slice(1)];
  });
}

/** A command line may be copied as it stands: one that is too long goes on behind a backslash. */
function exampleLines(line: string, meaning: string, columns: number): string[] {
  const parts = wrapped(line, { columns: columns - GAP.length, indent: 2 * GAP.length });
  const commandLines = parts.map((part, at) => {
    const text = at === 0 ? GAP + part.trimStart() : GAP + part;
    return at === parts.length - 1 ? text : `${text} \\`;
  });
  return [...commandLines, ...wrapped(meaning, { columns, indent: 3 * GAP.length })];
}

/** Lines of whole words. A word that is longer than a line is not cut. */
function wrapped(text: string, { columns, indent = 0 }: { columns: number; indent?: number }): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(' '.repeat(indent) + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, ' '.repeat(indent) + line];
}
