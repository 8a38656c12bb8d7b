// Tested by test/services/file/incoming-file.test.ts

import { isSystemError } from '../../base/system-errors.js';

/** Why a transfer is refused or failed: the word that a verdict carries, and one sentence. docs/APPLICATIONS.md lists the words. */
export type FaultCode =
  | 'aborted'
  | 'badDigest'
  | 'badMessage'
  | 'badName'
  | 'busy'
  | 'exists'
  | 'inUse'
  | 'io'
  | 'minFree'
  | 'noPart'
  | 'noSpace'
  | 'notAFile'
  | 'notAFolder'
  | 'notAllowed'
  | 'permission'
  | 'quota'
  | 'refused'
  | 'timeout'
  | 'tooLarge'
  | 'tooManyFiles'
  | 'truncated'
  | 'unknownHost'
  | 'unreachable'
  | 'unsupported';

/** A fault of the peer or of the machine, as a value: what arrives from the network is never thrown. */
export class Fault {
  readonly code: FaultCode;
  readonly message: string;

  constructor(code: FaultCode, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** A fault on its way out of an asynchronous call. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: Fault;

  constructor(code: FaultCode, message: string) {
    super(message);
    this.fault = new Fault(code, message);
  }
}

/**
 * The fault that an error means to a transfer of the file `name`; throws the error again when it is a bug of ours. The sentence goes to the peer, so it says
 * nothing about this machine's directories.
 */
export function faultOf(error: unknown, name: string): Fault {
  if (error instanceof FaultError) return error.fault;
  if (!isSystemError(error)) throw error;
  const [code, predicate] = SYSTEM_FAULTS[error.code] ?? ['io', `cannot be stored: the system reports ${error.code}`];
  return new Fault(code, `'${name}' ${predicate}`);
}

const NO_SPACE = ['noSpace', 'cannot be stored: the receiver has no space left'] as const;
const NOT_PERMITTED = ['permission', 'cannot be stored: the receiver may not write into its directory'] as const;
const EXISTS = ['exists', 'exists at the receiver, which overwrites nothing without --overwrite'] as const;
const NOT_A_FILE = ['notAFile', 'cannot be stored: what has this name at the receiver is not a regular file'] as const;

const TOO_MANY_FILES = ['tooManyFiles', 'cannot be stored: the receiver has too many files open'] as const;

const SYSTEM_FAULTS: Readonly<Record<string, readonly [FaultCode, string]>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EROFS: NOT_PERMITTED,
  EEXIST: EXISTS,
  // A file that another program has open cannot be replaced on Windows.
  EBUSY: ['io', 'cannot be stored: what has this name at the receiver is in use'],
  EISDIR: NOT_A_FILE,
  ENOTEMPTY: NOT_A_FILE,
  EPIPE: ['io', 'cannot be passed on: the reader of what the receiver writes is gone'],
  ENAMETOOLONG: ['badName', 'has a name that is too long for the receiver'],
  EFBIG: ['tooLarge', 'is larger than the receiver can store'],
};
