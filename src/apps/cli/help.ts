import yargs, { type Argv } from 'yargs';
import { longName } from '../../base/value-kind.js';
import type { TerminalShape } from '../../report/terminal.js';
import type { Command, CommandEntry } from '../shared/command.js';
import type { OptionSpecs } from '../shared/options.js';
import { allOptions } from './command-line.js';

/** A width at which descriptions fit beside their options, and one below which nothing fits. */
const MOST_COLUMNS = 110;
const LEAST_COLUMNS = 50;

/** The width of help on this stream: that of a terminal that is narrower than usual. */
export function helpColumns({ isTTY = false, columns = MOST_COLUMNS }: TerminalShape): number {
  return isTTY ? Math.max(LEAST_COLUMNS, Math.min(columns, MOST_COLUMNS)) : MOST_COLUMNS;
}

/** The text of `xpass NAME --help`. */
export function commandHelp(name: string, command: Command, columns = MOST_COLUMNS): Promise<string> {
  const { positionals, subcommands = [] } = command;
  const usage = [`Usage: xpass ${name}`, positionals?.label, '[options]'].filter(Boolean).join(' ');
  const about = positionals === undefined ? '' : `\n\n${positionals.label}: ${positionals.describe}.`;
  const help = described(allOptions(command), columns).usage(`${usage}\n\n${command.description}${about}`);
  for (const { name: below, summary } of subcommands) help.command(`xpass ${name} ${below}`, summary);
  for (const { line, meaning } of command.examples) help.example(line, meaning);
  return help.getHelp();
}

/** The text of `xpass --help`. */
export function programHelp(commands: readonly CommandEntry[], columns = MOST_COLUMNS): Promise<string> {
  const help = bare(columns)
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

function described(specs: OptionSpecs, columns: number): Argv {
  const built = bare(columns).option('help', { alias: 'h', type: 'boolean', describe: 'Show this' });
  for (const [key, spec] of Object.entries(specs)) {
    if (spec.isHidden === true) continue;
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

/** yargs for its help alone: no words of its own, no exit, no language of the machine. */
function bare(columns: number): Argv {
  return yargs([])
    .scriptName('')
    .exitProcess(false)
    .help(false)
    .version(false)
    .detectLocale(false)
    .updateStrings({ string: 'value', boolean: 'flag' })
    .wrap(columns);
}
