// Tested by test/apps/cli/logger.test.ts
import { Parser } from 'yargs/helpers';
import { usageFailure } from '../../base/failure.js';
import { longName } from '../../base/value-kind.js';
import { suggestion } from '../../scenario/nearest.js';
import type { Command } from '../shared/command.js';
import { allOptions } from '../shared/common-options.js';
import type { OptionSpecs } from '../shared/options.js';

/** What the arguments of one command say. */
export interface CommandLine {
  /** `--help` and `--help-all`. */
  readonly help: 'none' | 'everyday' | 'all';
  /** The texts given for each option, by long name. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/**
 * Splits the arguments of one command. Throws a usage Failure that names the argument and what is allowed.
 *
 * Only the parser inside yargs is used for this: yargs' own checks fail with a stack on `--constructor`, and its sentences do not say what is allowed.
 */
export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const specs = allOptions(command);
  const keys = Object.keys(specs);
  const names = keys.map(longName);
  const flags = names.filter((_, at) => specs[keys[at]].isFlag);
  rejectFlagValues(flags, args);
  const { _: positionals, help: isHelp, 'help-all': isHelpAll, ...parsed } = split(specs, flags, spread(specs, args));
  const found = withDeclaredNegations(parsed, names);
  for (const [name, value] of Object.entries(found)) {
    const isNegated = value === false && !flags.includes(name);
    if (isNegated || !names.includes(name)) throw unknownOption(isNegated ? `no-${name}` : name, names);
  }
  const help = isHelpAll === true ? 'all' : isHelp === true ? 'everyday' : 'none';
  const words = positionals.map(String);
  if (help === 'none') checkPositionals(command, words);
  const given = Object.entries(found).map(([name, value]) => [name, [value].flat().map(String)] as const);
  return { help, given: new Map(given), positionals: words };
}

/** As getopt has it: what stands behind the letter of an option that takes a value is the value, as in `-b1G` and `-RP4`. */
function spread(specs: OptionSpecs, args: readonly string[]): string[] {
  const valued = new Set(
    Object.values(specs).flatMap(({ alias, isFlag }) => (alias === undefined || isFlag ? [] : [alias])),
  );
  const end = args.indexOf('--');
  return args.flatMap((arg, at) => {
    if (!/^-[^-]./.test(arg) || (end >= 0 && at > end)) return [arg];
    const letter = [...arg].findIndex((each, place) => place > 0 && valued.has(each));
    if (letter < 1 || letter === arg.length - 1 || arg[letter + 1] === '=') return [arg];
    return [arg.slice(0, letter + 1), arg.slice(letter + 1)];
  });
}

/** The parser takes `--no-delay` for `delay` turned off, although an option has this name. */
function withDeclaredNegations(
  parsed: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parsed).map(([name, value]) => {
    const negated = `no-${name}`;
    const isDeclared = value === false && !names.includes(name) && names.includes(negated);
    return isDeclared ? [negated, true] : [name, value];
  });
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

function split(specs: OptionSpecs, flags: readonly string[], args: readonly string[]) {
  const entries = Object.entries(specs);
  const aliases = entries.flatMap(([key, { alias }]) =>
    alias === undefined ? [] : [[longName(key), [alias]] as const],
  );
  const { argv } = Parser.detailed([...args], {
    string: entries.filter(([, { isFlag }]) => !isFlag).map(([key]) => longName(key)),
    boolean: [...flags, 'help', 'help-all'],
    alias: { ...Object.fromEntries(aliases), help: ['h'] },
    configuration: PARSING,
  });
  return argv;
}

/** Everything off that guesses: no numbers out of texts, no objects out of dots, no names swallowed by an option before them. */
const PARSING = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'greedy-arrays': false,
  'strip-aliased': true,
};

function unknownOption(name: string, names: readonly string[]): Error {
  const dashes = name.length === 1 ? '-' : '--';
  return usageFailure(`unknown option ${dashes}${name}${suggestion(name, names)}; allowed: ${listed(names)}`);
}

/** `--json=maybe` reads as false in the parser without a word; here it is an error. */
function rejectFlagValues(flags: readonly string[], args: readonly string[]): void {
  const end = args.indexOf('--');
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const [, name, value] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
    if (name === undefined || !flags.includes(name)) continue;
    if (value !== 'true' && value !== 'false') {
      throw usageFailure(`--${name} '${value}' is not allowed; allowed: --${name}, --no-${name}`);
    }
  }
}

function checkPositionals({ positionals, subcommands = [] }: Command, found: readonly string[]): void {
  const { label, least, most } = positionals ?? { label: '', least: 0, most: 0 };
  if (found.length < least) {
    throw usageFailure(`${label} is missing: ${found.length === 0 ? 'none' : found.length} given, ${least} needed`);
  }
  if (found.length > most) {
    const extra = found[most];
    const meant = suggestion(
      extra,
      subcommands.map(({ name }) => name),
    );
    throw usageFailure(
      `unexpected argument '${extra}'${meant}; allowed: ${most === 0 ? 'options only' : `${most} ${label}`}`,
    );
  }
}

function listed(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(', ');
}
