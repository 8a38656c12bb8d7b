import { printable } from '../../base/display.js';
import { Fault } from './fault.js';
import { localPathProblem, MAX_NAME_BYTES, pathNameProblem } from './file-name.js';
import type { Message } from './message.js';

/** What a sender says of a file before its bytes. docs/APPLICATIONS.md, "file" */
export interface FileHeader extends Message {
  readonly kind: 'file';
  /** A relative name that this system can store. */
  readonly name: string;
  /** Infinity: nobody knows; the body is chunked. `null` on the flow, as JSON has no Infinity. */
  readonly bytes: number;
  /** Permission bits, 0 to 0o777. */
  readonly mode: number;
  /** The receiver has this many bytes already: the body begins there. */
  readonly offset: number;
  /** Of the bytes before `offset`; null at 0. */
  readonly prefixSha256: string | null;
}

/** A folder, which may be empty. docs/APPLICATIONS.md, "folder" */
export interface FolderHeader extends Message {
  readonly kind: 'folder';
  readonly name: string;
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
const DEFAULT_FOLDER_MODE = 0o755;
/** What a sender may say; setuid, setgid and sticky bits are dropped. */
const MAX_MODE = 0o7777;
const PERMISSIONS = 0o777;

export function parseFileHeader(message: Message): FileHeader | Fault {
  const { kind, name, mode = DEFAULT_MODE, offset = 0, prefixSha256 = null } = message;
  if (kind !== 'file') return new Fault('unsupported', 'the stream does not announce a file');
  const isEndless = message.bytes === null && offset === 0;
  const problem = isEndless ? nameFault(name) : nameOrSizeFault(name, message.bytes);
  if (problem !== null) return problem;
  const bytes = isEndless ? Number.POSITIVE_INFINITY : (message.bytes as number);
  const file = { name: name as string, bytes };
  if (!isCount(mode, MAX_MODE)) return new Fault('badMessage', `the mode of '${file.name}' is not from 0 to 4095`);
  if (!isCount(offset, file.bytes) || !isPrefix(offset, prefixSha256)) {
    return new Fault('badMessage', `the offset of '${file.name}', or the SHA-256 of what is before it, makes no sense`);
  }
  return {
    kind,
    ...file,
    mode: mode & PERMISSIONS,
    offset,
    prefixSha256: offset === 0 ? null : (prefixSha256 as string),
  };
}

export function parseFolderHeader({ kind, name, mode = DEFAULT_FOLDER_MODE }: Message): FolderHeader | Fault {
  if (kind !== 'folder') return new Fault('unsupported', 'the stream does not announce a folder');
  const problem = nameFault(name);
  if (problem !== null) return problem;
  if (!isCount(mode, MAX_MODE)) return new Fault('badMessage', `the mode of '${name}' is not from 0 to 4095`);
  return { kind, name: name as string, mode: mode & PERMISSIONS };
}

function isPrefix(offset: number, sha256: unknown): boolean {
  return offset === 0 || (typeof sha256 === 'string' && isSha256(sha256));
}

/** What is wrong with what a peer says of a file; null when nothing is. */
export function nameOrSizeFault(name: unknown, bytes: unknown): Fault | null {
  const problem = nameFault(name);
  if (problem !== null || isCount(bytes, Number.MAX_SAFE_INTEGER)) return problem;
  return new Fault('badMessage', `the size of '${name}' is not a whole number of bytes`);
}

function nameFault(name: unknown): Fault | null {
  if (typeof name !== 'string') return new Fault('badName', 'the file has no name');
  const problem = pathNameProblem(name) ?? localPathProblem(name);
  if (problem !== null)
    return new Fault(
      'badName',
      `the file's name '${printable(name.slice(0, MAX_NAME_BYTES))}' ${problem}, which the receiver does not take`,
    );
  return null;
}

export function isCount(value: unknown, most: number): value is number {
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
