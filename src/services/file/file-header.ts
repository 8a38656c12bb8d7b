import { printable } from '../../base/display.js';
import { Fault } from './fault.js';
import { fileNameProblem, localNameProblem, MAX_NAME_BYTES } from './file-name.js';
import type { Message } from './message.js';

/** What a sender says of a file before its bytes. docs/APPLICATIONS.md, "file" */
export interface FileHeader extends Message {
  readonly kind: 'file';
  /** A bare name that this system can store. */
  readonly name: string;
  readonly bytes: number;
  /** Permission bits, 0 to 0o777. */
  readonly mode: number;
}

/** What follows the bytes of a file. */
export interface DigestTrailer extends Message {
  readonly kind: 'digest';
  /** 64 hexadecimal digits in small letters. */
  readonly sha256: string;
}

/** rw-rw-rw-, before the receiver's umask: what a file gets whose sender says nothing. */
const DEFAULT_MODE = 0o666;
const MAX_MODE = 0o777;

export function parseFileHeader({ kind, name, bytes, mode = DEFAULT_MODE }: Message): FileHeader | Fault {
  if (kind !== 'file') return new Fault('unsupported', 'the stream does not announce a file');
  if (typeof name !== 'string') return new Fault('badName', 'the file has no name');
  const problem = fileNameProblem(name) ?? localNameProblem(name);
  if (problem !== null)
    return new Fault(
      'badName',
      `the file's name '${printable(name.slice(0, MAX_NAME_BYTES))}' ${problem}, which the receiver does not take`,
    );
  if (!isCount(bytes, Number.MAX_SAFE_INTEGER)) {
    return new Fault('badMessage', `the size of '${name}' is not a whole number of bytes`);
  }
  if (!isCount(mode, MAX_MODE)) return new Fault('badMessage', `the mode of '${name}' is not from 0 to 511`);
  return { kind, name, bytes, mode };
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

export function parseDigest(message: Message | null): DigestTrailer | Fault {
  const sha256 = message?.sha256;
  if (message?.kind !== 'digest' || typeof sha256 !== 'string' || !isSha256(sha256)) {
    return new Fault('badMessage', 'no digest follows the bytes of the file');
  }
  return { kind: 'digest', sha256 };
}

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
