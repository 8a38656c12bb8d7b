import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from './log-level.js';
import { colorsFor, type TerminalShape } from './terminal.js';

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
export async function createLogger({ name, level, format, stream }: LoggerOptions): Promise<Logger> {
  const destination = stream === process.stderr ? pino.destination({ fd: 2, sync: true }) : stream;
  return pino({ name, level }, format === 'text' ? await prettyStream(stream, destination) : destination);
}

/** Loaded only for this: it takes 11 ms, about as long as pino itself. */
async function prettyStream(shape: TerminalShape, destination: DestinationStream): Promise<DestinationStream> {
  const { PinoPretty } = await import('pino-pretty');
  return PinoPretty({
    // A pino destination is a stream in all but its type.
    destination: destination as unknown as NodeJS.WritableStream,
    sync: true,
    colorize: colorsFor(shape).isColorSupported,
    ignore: 'pid,hostname',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  });
}
