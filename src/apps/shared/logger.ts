import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from './log-level.js';
import { logLine } from './log-lines.js';
import { hasColors, type TerminalShape } from './terminal.js';

export type { Logger } from 'pino';

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
