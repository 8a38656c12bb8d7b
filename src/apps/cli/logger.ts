import { styleText } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { printable } from '../../base/display.js';
import { hasColors, type TerminalShape } from '../../report/terminal.js';
import type { LogFormat, LogLevel } from '../shared/command.js';

export interface LoggerOptions {
  /** Who speaks: the command's name. */
  readonly name: string;
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Standard error, or a stream of a test. */
  readonly stream: NodeJS.WritableStream & TerminalShape;
}

/**
 * A pino logger to standard error: lines for people, coloured on a terminal, or JSON lines. It writes synchronously, so that nothing is lost
 * when the process ends; calls below the level cost one empty function call. Pass objects and constant messages (`logger.debug({ flowId }, 'opened')`), not
 * templates, which are built even when nobody listens.
 */
export function createLogger({ name, level, format, stream }: LoggerOptions): Logger {
  const destination = stream === process.stderr ? pino.destination({ fd: 2, sync: true }) : stream;
  return pino({ name, level }, format === 'text' ? linesForPeople(stream, destination) : destination);
}

function linesForPeople(shape: TerminalShape, destination: DestinationStream): DestinationStream {
  const isColoured = hasColors(shape);
  return { write: (json) => destination.write(logLine(json, isColoured)) };
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
