import yargs, { type Argv } from 'yargs';
import type { Command, CommandEntry } from '../shared/command.js';
import { usageFailure } from '../shared/failure.js';
import { LOG_LEVELS } from '../shared/log-level.js';
import { suggestion } from '../shared/nearest.js';
import { longName, type OptionSpecs, optionalOption } from '../shared/options.js';
import { choice, text } from '../shared/value-kind.js';

/** Options that every command has. */
export const COMMON_OPTIONS = {
  config: optionalOption(text('a YAML file'), {
    describe: 'Read options from this file: `link-rate: 100mbit` and so on. The command line wins',
  }),
  logLevel: optionalOption(choice(LOG_LEVELS), { describe: 'How much to log on standard error' }),
} satisfies OptionSpecs;

/** What the arguments of one command say. */
export interface CommandLine {
  readonly wantsHelp: boolean;
  /** The texts given for each option, by long name. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/**
 * Splits the arguments of one command. yargs does the splitting and the help; what it found is checked here, so that each error is one sentence that says
 * what is allowed. Throws a usage Failure.
 */
export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const specs = allOptions(command);
  const names = Object.keys(specs).map(longName);
  rejectFlagValues(specs, args);
  const parsed: Record<string, unknown> = parser(specs).parseSync([...args]);
  const { _: positionals, $0: _program, help, ...found } = parsed;
  for (const name of Object.keys(found)) {
    if (names.includes(name)) continue;
    const dashes = name.length === 1 ? '-' : '--';
    throw usageFailure(`unknown option ${dashes}${name}${suggestion(name, names)}; allowed: ${listed(names)}`);
  }
  const wantsHelp = help === true;
  if (!wantsHelp) checkPositionals(command, positionals as string[]);
  const given = Object.entries(found).map(([name, value]) => [name, [value].flat().map(String)] as const);
  return { wantsHelp, given: new Map(given), positionals: positionals as string[] };
}

export function allOptions(command: Command): OptionSpecs {
  return { ...command.options, ...COMMON_OPTIONS };
}

/** The text of `xpass NAME --help`. */
export function commandHelp(name: string, command: Command): Promise<string> {
  const { positionals, subcommands = [] } = command;
  const usage = [`Usage: xpass ${name}`, positionals?.label, '[options]'].filter(Boolean).join(' ');
  const about = positionals === undefined ? '' : `\n\n${positionals.label}: ${positionals.describe}.`;
  const help = parser(allOptions(command)).scriptName('').usage(`${usage}\n\n${command.description}${about}`);
  for (const { name: below, summary } of subcommands) help.command(`xpass ${name} ${below}`, summary);
  for (const { line, meaning } of command.examples) help.example(line, meaning);
  return help.getHelp();
}

/** The text of `xpass --help`. */
export function programHelp(commands: readonly CommandEntry[]): Promise<string> {
  const help = bare()
    .scriptName('')
    .usage(
      'Usage: xpass COMMAND [options]\n\nCredit-scheduled transport over UDP: senders, receivers and a software switch.',
    )
    .option('help', {
      alias: 'h',
      type: 'boolean',
      describe: 'Show this, or the help of a command that stands before it',
    })
    .option('version', { type: 'boolean', describe: 'Show the version' })
    .epilogue('Exit status: 0 done, 1 the transfer or check failed, 2 wrong usage, 3 peer unreachable or lost.');
  for (const { name, summary } of commands) help.command(`xpass ${name}`, summary);
  return help.getHelp();
}

function parser(specs: OptionSpecs): Argv {
  const built = bare().option('help', { alias: 'h', type: 'boolean', describe: 'Show this' });
  for (const [key, spec] of Object.entries(specs)) {
    built.option(longName(key), {
      type: spec.isFlag ? 'boolean' : 'string',
      describe: spec.isFlag ? spec.describe : `${spec.describe}. Allowed: ${spec.allowed}`,
      ...(spec.alias === undefined ? {} : { alias: spec.alias }),
      ...(spec.defaultText === undefined ? {} : { defaultDescription: spec.defaultText }),
      ...(spec.isRequired ? { group: 'Required:' } : {}),
    });
  }
  return built;
}

/** yargs with everything off that guesses: no numbers out of texts, no objects out of dots, no exit, no language of the machine. */
function bare(): Argv {
  return yargs([])
    .exitProcess(false)
    .help(false)
    .version(false)
    .detectLocale(false)
    .updateStrings({ string: 'value', boolean: 'flag' })
    .wrap(HELP_COLUMNS)
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'greedy-arrays': false,
      'strip-aliased': true,
    });
}

/** A width at which descriptions fit beside their options; the same everywhere, so that help is the same everywhere. */
const HELP_COLUMNS = 110;

/** `--json=maybe` reads as false in yargs without a word; here it is an error. */
function rejectFlagValues(specs: OptionSpecs, args: readonly string[]): void {
  const flags = Object.keys(specs).filter((key) => specs[key].isFlag);
  const end = args.indexOf('--');
  for (const arg of end < 0 ? args : args.slice(0, end)) {
    const [, name, value] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
    if (name === undefined || !flags.some((key) => longName(key) === name)) continue;
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
