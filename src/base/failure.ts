import { type ErrorCode, XpassError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { describeSystemError, isSystemError } from './system-errors.js';

/** A failure that is not a bug of ours: the sentence for standard error and the status to exit with. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;

  /** `sentence` names the thing, its value and what is allowed; it neither starts with a capital for show nor ends with a full stop. */
  constructor(exitCode: ExitCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.exitCode = exitCode;
  }
}

/** Wrong usage or configuration. */
export function usageFailure(sentence: string): Failure {
  return new Failure(ExitCode.usage, sentence);
}

/** The Failure that an error means; null for our own bug. `subject`: file or address, for errors of the system that name none. */
export function failureOf(error: unknown, subject?: string): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof XpassError) return new Failure(EXIT_OF_CODE[error.code], error.message, { cause: error });
  if (!isSystemError(error)) return null;
  const { exitCode, sentence } = describeSystemError(error, subject);
  return new Failure(exitCode, sentence, { cause: error });
}

/** `shutdown` is a peer that is gone like one that fell silent; `reset` is one that is there and gave up. */
const EXIT_OF_CODE: Readonly<Record<ErrorCode, ExitCode>> = {
  refused: ExitCode.failed,
  reset: ExitCode.failed,
  idle: ExitCode.peer,
  unreachable: ExitCode.peer,
  version: ExitCode.failed,
  frameSize: ExitCode.usage,
  protocol: ExitCode.failed,
  shutdown: ExitCode.peer,
  tooManyFlows: ExitCode.failed,
  weight: ExitCode.usage,
  attach: ExitCode.usage,
  config: ExitCode.usage,
};
