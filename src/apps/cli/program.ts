import { ExitCode } from '../../base/exit-codes.js';
import { type Failure, failureOf, usageFailure } from '../../base/failure.js';
import { longName } from '../../base/value-kind.js';
import type { TerminalShape } from '../../report/terminal.js';
import { suggestion } from '../../scenario/nearest.js';
import type { Command, CommandEntry, Invocation } from '../shared/command.js';
import { Results } from '../shared/results.js';
import { packageVersion } from '../shared/version.js';
import { onInterrupt, type SignalSource } from './signals.js';

/** What the program takes from its process. */
export interface ProgramHost {
  /** Arguments after the name of the program. */
  readonly argv: readonly string[];
  readonly commands: readonly CommandEntry[];
  readonly stdout: NodeJS.WritableStream & TerminalShape;
  readonly stderr: NodeJS.WritableStream & TerminalShape;
  readonly signals: SignalSource;
}

/** A command that has been found, with the arguments that are left. */
interface Found {
  readonly name: string;
  readonly command: Command;
  readonly args: readonly string[];
}

/** In the place of a command. */
const HELP_WORDS: ReadonlySet<string | undefined> = new Set(['--help', '--help-all', '-h']);

/**
 * Runs the command that the arguments name; resolves with the exit status. Failures become one sentence on standard error; an error that is a bug of ours
 * is thrown. Start-up time counts, since scripts run many short commands: yargs, pino and the commands are loaded when they are needed.
 */
export async function runProgram(host: ProgramHost): Promise<number> {
  const results = new Results(host.stdout);
  let name = '';
  try {
    const [first] = host.argv;
    if (first === '--version') return await answer(results, packageVersion());
    if (HELP_WORDS.has(first)) return await answer(results, await helpOfProgram(host));
    const found = await findCommand(host);
    name = found.name;
    return await runCommand(found, host, results);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    await results.flush().catch(() => undefined);
    report(failure, name, host.stderr);
    return failure.exitCode;
  }
}

async function answer(results: Results, text: string): Promise<ExitCode> {
  results.line(text);
  await results.flush();
  return ExitCode.done;
}

async function helpOfProgram({ commands, stdout }: ProgramHost): Promise<string> {
  const { helpColumns, programHelp } = await import('./help.js');
  return programHelp(commands, helpColumns(stdout));
}

async function helpOfCommand({ name, command }: Found, stdout: TerminalShape, isAll: boolean): Promise<string> {
  const { commandHelp, helpColumns } = await import('./help.js');
  return commandHelp(name, command, { columns: helpColumns(stdout), isAll });
}

/** Follows the words at the front of the arguments down to a command: `switch`, then `ctl`. */
async function findCommand({ argv, commands }: ProgramHost): Promise<Found> {
  const entry = namedEntry(argv[0], commands);
  let name = entry.name;
  let { command } = await entry.load();
  let args = argv.slice(1);
  for (;;) {
    const below = command.subcommands?.find(({ name: word }) => word === args[0]);
    if (below === undefined) return { name, command, args };
    name = `${name} ${below.name}`;
    ({ command } = await below.load());
    args = args.slice(1);
  }
}

function namedEntry(word: string | undefined, commands: readonly CommandEntry[]): CommandEntry {
  const names = commands.map(({ name }) => name);
  const allowed = `allowed: ${names.join(', ')}`;
  if (word === undefined) throw usageFailure(`no command is given; ${allowed}`);
  if (word.startsWith('-')) throw usageFailure(`the command comes before '${word}'; ${allowed}`);
  const entry = commands.find(({ name }) => name === word);
  if (entry === undefined) throw usageFailure(`unknown command '${word}'${suggestion(word, names)}; ${allowed}`);
  return entry;
}

async function runCommand(found: Found, host: ProgramHost, results: Results): Promise<ExitCode> {
  const { name, command, args } = found;
  const { parseCommandLine } = await import('./command-line.js');
  const line = parseCommandLine(command, args);
  if (line.help !== 'none') return answer(results, await helpOfCommand(found, host.stdout, line.help === 'all'));
  const { logLevel, logFormat: format, options } = await readOptions(command, line.given);
  const { openLog } = await import('./logger.js');
  const level = logLevel ?? command.logLevel ?? 'warn';
  const log = openLog({ name: `xpass ${name}`, level, format, stream: host.stderr });
  const invocation: Invocation = {
    name,
    options,
    positionals: line.positionals,
    results,
    logger: log.logger,
    terminal: host.stderr,
    screen: host.stdout,
    commands: host.commands,
    onInterrupt: (handle) => onInterrupt(handle, host.signals),
  };
  try {
    const exitCode = await command.run(invocation);
    await results.flush();
    return exitCode;
  } finally {
    await log.close();
  }
}

/** The command's options, and those common to all, from the command line and the file that --config names. */
async function readOptions(command: Command, given: ReadonlyMap<string, readonly string[]>) {
  const { resolveOptions } = await import('../shared/options.js');
  const { allOptions, COMMON_OPTIONS } = await import('../shared/common-options.js');
  const { config } = resolveOptions(COMMON_OPTIONS, given);
  const allowedKeys = Object.keys(allOptions(command))
    .map(longName)
    .filter((key) => key !== 'config');
  const file = config === undefined ? undefined : await readConfig(config, allowedKeys);
  const { logLevel, logFormat } = resolveOptions(COMMON_OPTIONS, given, file);
  return { logLevel, logFormat, options: resolveOptions(command.options, given, file) };
}

async function readConfig(path: string, allowedKeys: readonly string[]) {
  const { readConfigFile } = await import('./config-file.js');
  return readConfigFile(path, allowedKeys);
}

/** One sentence, and where to read more when the usage was wrong. */
function report(failure: Failure, name: string, stderr: NodeJS.WritableStream): void {
  const program = name === '' ? 'xpass' : `xpass ${name}`;
  stderr.write(`${program}: ${failure.message}\n`);
  if (failure.exitCode === ExitCode.usage) stderr.write(`See \`${program} --help\`.\n`);
}
