import { styleText } from 'node:util';
import { type LogFn, type Logger, pino } from 'pino';
import { printable } from '../../base/display.js';
import { hasColors, type TerminalShape } from '../../report/terminal.js';
import type { LogFormat, LogLevel } from '../shared/command.js';
import { LineLimit, lineKind } from './line-limit.js';
import { LogOutput } from './log-output.js';

export interface LoggerOptions {
  /** Who speaks: the command's name. */
  readonly name: string;
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Standard error, or a stream of a test. */
  readonly stream: NodeJS.WritableStream & TerminalShape;
}

/** A logger and its end. */
export interface Log {
  readonly logger: Logger;
  /** Says what was left out, and waits a moment for whoever reads the log. */
  close(): Promise<void>;
}

/**
 * A pino logger to standard error: lines for people, coloured on a terminal, or JSON lines. It never waits for a reader (log-output.ts), and writes some
 * lines of each kind a second (line-limit.ts). Calls below the level cost one empty function call. Pass objects and constant messages
 * (`logger.debug({ flowId }, 'opened')`), not templates, which are built even when nobody listens.
 */
export function openLog({ name, level, format, stream }: LoggerOptions): Log {
  const isStandardError = stream === process.stderr;
  const isColoured = hasColors(stream);
  const lineOf = (json: string): string => (format === 'text' ? logLine(json, isColoured) : json);
  const output = new LogOutput({
    stream,
    fd: isStandardError ? STANDARD_ERROR : null,
    droppedLine: (count) => lineOf(droppedRecord(name, count)),
  });
  // Whatever ends the process: its last line, a second signal, a bug.
  if (isStandardError) process.once('exit', () => output.flushSync());
  const limit = new LineLimit();
  const logger = pino(
    { name, level, hooks: { logMethod: limited(limit) } },
    { write: (json) => output.write(lineOf(json)) },
  );
  const close = (): Promise<void> => {
    limit.endWindow();
    return output.flush();
  };
  return { logger, close };
}

const STANDARD_ERROR = 2;
const WARN_LEVEL = 40;

function limited(limit: LineLimit): (this: Logger, args: unknown[], method: LogFn, level: number) => void {
  return function (args, method, level) {
    const sayLeftOut = (count: number): void => {
      const [first] = args;
      const { code } = (typeof first === 'object' && first !== null ? first : {}) as { code?: unknown };
      method.call(this, { ...(code !== undefined && { code }), leftOut: count }, LEFT_OUT);
    };
    if (limit.passes(lineKind(args), level, sayLeftOut)) method.apply(this, args as Parameters<LogFn>);
  };
}

const LEFT_OUT = 'more lines of this kind were left out';

function droppedRecord(name: string, count: number): string {
  const record = { level: WARN_LEVEL, time: Date.now(), name, leftOut: count, msg: 'nobody read this log for a while' };
  return `${JSON.stringify(record)}\n`;
}

/** Pino's numbers; what it writes beside a message, and what is left out here. */
const LEVELS: Readonly<Record<number, string>> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR' };
const COLOURS = { TRACE: 'gray', DEBUG: 'gray', INFO: 'green', WARN: 'yellow', ERROR: 'red' } as const;

interface LogRecord {
  readonly level: number;
  /** Ms since 1970. */
  readonly time: number;
  readonly name: string;
  readonly msg?: string;
  message?: unknown;
  readonly [field: string]: unknown;
}

/** One line, with its end. Characters that could move the cursor stand as escapes, whoever wrote them. */
export function logLine(json: string, hasColors: boolean): string {
  const { level, time, name, pid, hostname, msg = '', ...fields } = JSON.parse(json) as LogRecord;
  if (fields.message === msg) delete fields.message;
  const details = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  const label = LEVELS[level] ?? String(level);
  const text = printable(` (${name}): ${msg}${details}`);
  return `[${clockTime(new Date(time))}] ${hasColors ? coloured(label) : label}${text}\n`;
}

/** Local time of day to a millisecond. */
function clockTime(time: Date): string {
  const ms = String(time.getMilliseconds()).padStart(3, '0');
  return `${time.toTimeString().slice(0, 8)}.${ms}`;
}

function coloured(label: string): string {
  // Whoever calls knows the stream; without the option, Node.js 22 looks at standard output.
  return styleText(COLOURS[label as keyof typeof COLOURS] ?? 'reset', label, { validateStream: false });
}
