// Tested by test/apps/cli/program.test.ts

import type { Logger } from 'pino';
import type { ExitCode } from '../../base/exit-codes.js';
import type { TerminalShape } from '../../report/terminal.js';
import type { OptionSpecs, OptionValues } from './options.js';
import type { Results } from './results.js';

/** From nothing at all to everything; the names are pino's. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines for people, or one JSON object a line for programs. */
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type InterruptSignal = 'SIGINT' | 'SIGTERM' | 'SIGBREAK' | 'SIGHUP';

/**
 * One command of `xpass`. A folder of apps/ has a `command.ts` that exports `command`, made with defineCommand; apps/cli/commands.ts has its
 * name and summary in one line and loads the module only when somebody runs it.
 */
export interface Command<S extends OptionSpecs = OptionSpecs> {
  /** A few sentences under the usage line of `--help`. */
  readonly description: string;
  readonly positionals?: PositionalSpec;
  readonly options: S;
  /** What `--help` shows, in this order, ten at most; all of `options` where it is left out. `--help-all` shows the others too. */
  readonly everyday?: readonly string[];
  /** A table of words and their meanings, below the options in help. */
  readonly notes?: { readonly title: string; readonly rows: readonly (readonly [term: string, meaning: string])[] };
  /** Shown by `--help`; a test parses every one. */
  readonly examples: readonly Example[];
  /** What is logged unless --log-level says otherwise; `warn` by default, `info` for what runs unattended. */
  readonly logLevel?: LogLevel;
  /** Commands below this one: `ctl` of `xpass switch ctl`. */
  readonly subcommands?: readonly CommandEntry[];
  /**
   * Does the work and says how it ended. Throws a Failure, an XpassError or an error of the system for what is not a bug of ours (failure.ts); anything
   * else ends the process with its stack. The process exits when this resolves, whatever is still open.
   */
  run(invocation: Invocation<S>): Promise<ExitCode>;
}

export interface PositionalSpec {
  /** In the usage line: `FILE...`. */
  readonly label: string;
  readonly describe: string;
  readonly least: number;
  readonly most: number;
  /** Those of a fixed list that may stand first, for completion. */
  readonly words?: readonly string[];
}

export interface Example {
  /** The whole line, `xpass` included; without quotes, pipes and the like. */
  readonly line: string;
  readonly meaning: string;
}

/** A command in a list of commands, before it is loaded. */
export interface CommandEntry {
  readonly name: string;
  /** One line in the list of `--help`. */
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** Everything that a command is run with. */
export interface Invocation<S extends OptionSpecs = OptionSpecs> {
  /** The full name: `switch ctl`. */
  readonly name: string;
  readonly options: OptionValues<S>;
  readonly positionals: readonly string[];
  /** Standard output: results only. */
  readonly results: Results;
  /** Standard error: logs. */
  readonly logger: Logger;
  /** Standard error for what is drawn on a terminal, see terminal.ts. */
  readonly terminal: NodeJS.WritableStream & TerminalShape;
  /** Standard output for a command that draws its result there again and again. */
  readonly screen: NodeJS.WritableStream & TerminalShape;
  /** All commands of the program. */
  readonly commands: readonly CommandEntry[];
  /** Calls back once on the first SIGINT or SIGTERM; returns what takes it back. See signals.ts. */
  onInterrupt(handle: (signal: InterruptSignal) => void): () => void;
}

/** Types the options that `run` gets, and `everyday` names, by those that the command declares. */
export function defineCommand<const S extends OptionSpecs>(
  command: Command<S> & { readonly everyday?: readonly (keyof NoInfer<S> & string)[] },
): Command<S> {
  return command;
}
