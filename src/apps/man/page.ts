// Tested by test/apps/man/page.test.ts
import type { NamedCommand } from '../shared/command-tree.js';
import { meaningOf, optionGroups, type ShownOption, synopsis } from '../shared/option-words.js';

/** A manual page: the name of its file, and its text for groff(1) and mandoc(1). */
export interface ManualPage {
  readonly file: string;
  readonly text: string;
}

/** Of the user's commands. https://man7.org/linux/man-pages/man7/man-pages.7.html */
const SECTION = 1;

const EXIT_STATUS: readonly (readonly [status: string, meaning: string])[] = [
  ['0', 'Done.'],
  ['1', 'The transfer or check failed.'],
  ['2', 'Wrong usage or configuration.'],
  ['3', 'Peer unreachable or lost.'],
];

/** The page of `xpass`, and one for each command, named as those of git are: `xpass-switch-ctl.1`. */
export function manualPages(commands: readonly NamedCommand[], version: string): ManualPage[] {
  const pages = commands.map((each) => page(each.name, commandText(each, commands), version));
  return [page('', programText(commands), version), ...pages];
}

/** Without a date: the same sources make the same page. */
function page(name: string, body: readonly string[], version: string): ManualPage {
  const title = pageName(name);
  const head = `.TH ${title.toUpperCase()} ${SECTION} "" "xpass ${version}" "xpass manual"`;
  return { file: `${title}.${SECTION}`, text: `${[head, '.nh', ...body].join('\n')}\n` };
}

function pageName(name: string): string {
  return ['xpass', ...name.split(' ')].filter(Boolean).join('-');
}

function programText(commands: readonly NamedCommand[]): string[] {
  return [
    ...named('', 'credit-scheduled transport over UDP'),
    '.SH SYNOPSIS',
    '.B xpass',
    '\\fICOMMAND\\fR [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'Senders, receivers and a software switch under credit-scheduled congestion control, and a simulator of the same code.',
    'Each command has a page of its own.',
    '.SH COMMANDS',
    ...commands.flatMap(({ name, summary }) => ['.TP', `.BR ${dashed(pageName(name))} (${SECTION})`, roff(summary)]),
    ...exitStatus(),
  ];
}

function commandText({ name, summary, command }: NamedCommand, commands: readonly NamedCommand[]): string[] {
  const { everyday, others } = optionGroups(command);
  const { positionals, notes, examples } = command;
  const about = positionals === undefined ? [] : ['.PP', roff(`${positionals.label}: ${positionals.describe}.`)];
  const above = ['', ...name.split(' ').slice(0, -1)].slice(-1);
  const below = commands.map((each) => each.name).filter((each) => each.startsWith(`${name} `));
  return [
    ...named(name, summary),
    '.SH SYNOPSIS',
    `.B ${roff(synopsis(name, command))}`,
    '.SH DESCRIPTION',
    roff(command.description),
    ...about,
    '.SH OPTIONS',
    ...everyday.flatMap(optionText),
    '.SS More options',
    ...others.flatMap(optionText),
    ...(notes === undefined
      ? []
      : [
          `.SS ${roff(notes.title)}`,
          ...notes.rows.flatMap(([term, meaning]) => ['.TP', `.B ${roff(term)}`, roff(meaning)]),
        ]),
    '.SH EXAMPLES',
    ...examples.flatMap(({ line, meaning }) => ['.TP', `.B ${roff(line)}`, roff(meaning)]),
    ...exitStatus(),
    '.SH SEE ALSO',
    [...above, ...below].map((each) => `.BR ${dashed(pageName(each))} (${SECTION})`).join(' ,\n'),
  ];
}

function named(name: string, summary: string): string[] {
  return ['.SH NAME', `${dashed(pageName(name))} \\- ${roff(summary)}`];
}

function exitStatus(): string[] {
  return ['.SH EXIT STATUS', ...EXIT_STATUS.flatMap(([status, meaning]) => ['.TP', `.B ${status}`, meaning])];
}

function optionText(option: ShownOption): string[] {
  const { name, spec } = option;
  const names = [...(spec.alias === undefined ? [] : [`-${spec.alias}`]), `--${name}`];
  const shown = names.map((each) => `\\fB${roff(each)}\\fR`).join(', ');
  return ['.TP', spec.isFlag ? shown : `${shown} \\fIVALUE\\fR`, roff(meaningOf(option))];
}

/** Dashes that are copied as such. */
function dashed(text: string): string {
  return text.replaceAll('-', '\\-');
}

/** Text in which nothing is a request or an escape, and that needs no encoding. */
function roff(text: string): string {
  return dashed(text.replaceAll('\\', '\\e').replace(/\s*\n\s*/g, ' '))
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^[.']/, '\\&$&')
    .replaceAll('"', '\\(dq');
}
