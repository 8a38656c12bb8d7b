// Tested by test/net/compat/errors.test.ts
import { constants } from 'node:os';
import { type ErrorCode, XpassError } from '../../base/errors.js';

/** What node:net calls the failures of a stream: by the code of the XpassError, which is the `cause`. */
const NODE_CODES: Record<ErrorCode, string> = {
  refused: 'ECONNREFUSED',
  tooManyFlows: 'ECONNREFUSED',
  reset: 'ECONNRESET',
  shutdown: 'ECONNRESET',
  protocol: 'ECONNRESET',
  idle: 'ETIMEDOUT',
  unreachable: 'ETIMEDOUT',
  version: 'EPROTO',
  frameSize: 'EMSGSIZE',
  weight: 'EINVAL',
  config: 'EINVAL',
  attach: 'ENETUNREACH',
};

/** Where a call failed: `syscall` as node:net has it. */
export interface Place {
  readonly syscall: 'connect' | 'read' | 'write' | 'listen';
  readonly address?: string;
  readonly port?: number;
}

/** The error of node:net for an XpassError, which becomes its `cause`. Other errors are what they are. */
export function nodeError(error: Error, place: Place): Error {
  if (!(error instanceof XpassError)) return error;
  const code = systemCode(error) ?? NODE_CODES[error.code];
  const where = place.address === undefined ? '' : ` ${place.address}:${place.port}`;
  const made = new Error(`${place.syscall} ${code}${where}`, { cause: error });
  const errno = (constants.errno as Readonly<Record<string, number>>)[code];
  return Object.assign(made, { ...(errno !== undefined && { errno: -errno }), code, ...place });
}

/** The system's own code where a system call failed. */
function systemCode({ cause }: XpassError): string | undefined {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code !== undefined && code in constants.errno ? code : undefined;
}

/** An error with a code of Node.js (https://nodejs.org/api/errors.html#nodejs-error-codes). */
export function codedError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code });
}

export function codedTypeError(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code });
}

export function codedRangeError(code: string, message: string): RangeError {
  return Object.assign(new RangeError(message), { code });
}
