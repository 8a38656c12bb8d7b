import { createHash, hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { printable } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../base/failure.js';
import { BLOCKS } from './block-pool.js';
import type { DigestTrailer, FileHeader } from './file-header.js';
import { pathNameProblem } from './file-name.js';
import type { FileOffer } from './file-offer.js';
import type { ReadableFile } from './file-system.js';
import { encodeMessage, type Message } from './message.js';
import { type PrefixHash, prefixHashes, type ReadAt } from './prefix-hashes.js';
import { MOST_QUICK_BYTES, QUICK_FILES } from './quick-files.js';

/** Bytes to send, pulled one chunk at a time. */
export interface ByteSource {
  /** The next bytes, which from then on belong to the caller; null at the end. Throws a Failure. Never called again before it has resolved. */
  next(): Promise<Uint8Array | null>;
  /** Frees what it holds; may be called at any time, and again. */
  close(): Promise<void>;
}

export interface SendFileOptions {
  /** Bytes to send from the start of the file; all by default. */
  readonly bytes?: number;
  /** The file's name at the receiver; its own by default. */
  readonly name?: string;
  /** How often the size is looked at again while bytes are sent, ms. */
  readonly checkMs?: number;
}

/** Size of one read: a turn of the thread pool costs two busy cores 200 us, so smaller reads take longer than what they read. */
export const READ_BYTES = 262_144;
/** Handed out and hashed at once: 36 us at 1.8 GB/s, in which nothing else runs. */
const CHUNK_BYTES = 65_536;
/** Reads under way or waiting: half a megabyte covers 4 ms of a 1 Gbit/s link while the thread pool is busy. */
const READ_AHEAD = 2;

/** A receiver waits in vain for what a file has no longer: the sender notices this soon, not when it gets there (ours). */
const CHECK_MS = 100;

const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK;
const SENDABLE = 'only regular files can be sent';

/**
 * Opens a regular file for sending. Throws a usage Failure for one that does not exist, cannot be read, is a directory, a pipe or a device, has a name that
 * no receiver takes, or has fewer bytes than asked for.
 */
export async function openFileSource(path: string, options: SendFileOptions = {}): Promise<FileSource> {
  const { bytes, name = basename(path), checkMs = CHECK_MS } = options;
  const { handle, start } = await openSendable(path, name);
  if (bytes !== undefined && bytes > start.size) {
    await handle.close();
    throw usageFailure(`'${path}' has ${start.size} bytes, fewer than the ${bytes} to be sent`);
  }
  return new FileSource({ handle, path, name, start, checkMs, ...(bytes === undefined ? {} : { bytes }) });
}

async function openSendable(path: string, name: string): Promise<{ handle: ReadableFile; start: Stats }> {
  const subject = `'${path}'`;
  let handle: ReadableFile | null = null;
  try {
    // Before opening, since opening a pipe waits for its other end.
    const found = await QUICK_FILES.stat(path);
    checkKind(subject, found);
    const isSmall = found.size < MOST_QUICK_BYTES;
    handle = await (isSmall ? QUICK_FILES.open(path, READ_ONLY) : open(path, READ_ONLY));
    const start = await handle.stat();
    checkKind(subject, start);
    checkName(path, name);
    return { handle, start };
  } catch (error) {
    await handle?.close();
    throw failureOf(error, subject) ?? error;
  }
}

/** The whole stream of a small file. */
export interface SmallFile {
  readonly header: Pick<FileHeader, 'name' | 'bytes' | 'offset'>;
  readonly parts: readonly Uint8Array[];
  readonly sha256: string;
  /** Nobody needs the bytes any more. */
  release(): void;
}

/**
 * Reads and hashes a small file at once, so that one that changes or cannot be read is not begun. Null for one that has grown large. Throws as `openFileSource`
 * and its source do.
 */
export async function readSmallFile(path: string, name: string): Promise<SmallFile | null> {
  const { handle, start } = await openSendable(path, name);
  try {
    if (start.size >= MOST_QUICK_BYTES) return null;
    const block = BLOCKS.take(start.size + 1);
    const filled = await readSome(handle, block.subarray(0, start.size + 1), { path, position: 0 });
    const problem = changeOf(start, await handle.stat(), filled);
    if (problem !== null) throw changed(path, problem);
    const header = headerOf(name, start, start.size);
    const body = block.subarray(0, start.size);
    const sha256 = hash('sha256', body, 'hex');
    const trailer: DigestTrailer = { kind: 'digest', sha256 };
    const parts = [encodeMessage(headerMessage(header)), body, encodeMessage(trailer)];
    return { header, parts, sha256, release: () => BLOCKS.give(block) };
  } finally {
    await handle.close();
  }
}

function checkKind(subject: string, stats: Stats): void {
  if (stats.isDirectory()) throw usageFailure(`${subject} is a directory: ${SENDABLE}`);
  if (!stats.isFile()) throw usageFailure(`${subject} is not a regular file: ${SENDABLE}`);
}

function checkName(path: string, name: string): void {
  const problem = pathNameProblem(name);
  if (problem === null) return;
  const whose = name === basename(path) ? `the name of '${path}'` : `the name '${name}' for '${path}'`;
  throw usageFailure(`${printable(whose)} ${problem}: receivers do not take such names`);
}

/** A file from its start is announced as version 1 of the protocol did. */
function headerMessage({ offset, prefixSha256, ...header }: FileHeader): Message {
  return offset === 0 ? header : { ...header, offset, prefixSha256 };
}

function headerOf(name: string, { mode }: Stats, bytes: number): FileHeader {
  return { kind: 'file', name, bytes, mode: mode & 0o777, offset: 0, prefixSha256: null };
}

/** What a file that is being sent has become, as the end of a sentence; null: it is as it was. `readBytes` of it came, from its start on. */
function changeOf(start: Stats, now: Stats, readBytes: number): string | null {
  if (readBytes > start.size) return `grew beyond ${start.size} bytes`;
  if (readBytes < start.size) return `shrank to ${readBytes} bytes`;
  return now.mtimeMs === start.mtimeMs ? null : 'was written to';
}

function changed(path: string, what: string): Failure {
  const allowed = 'a file has to stay as it is until it is sent';
  return new Failure(ExitCode.failed, `'${path}' ${what} while it was being sent: ${allowed}`);
}

/** Fills `into`, or as much of it as there is; returns how much came. */
async function readSome(
  handle: ReadableFile,
  into: Uint8Array,
  { path, position }: { readonly path: string; readonly position: number },
): Promise<number> {
  try {
    return (await handle.read(into, 0, into.length, position)).bytesRead;
  } catch (error) {
    const failure = failureOf(error, `'${path}'`);
    throw failure === null ? error : new Failure(ExitCode.failed, failure.message);
  }
}

/** What a file and a receiver's offer have in common. */
export interface Comparison {
  /** The receiver has the whole file. */
  readonly isWhole: boolean;
  /** Of the whole file, where the receiver has it. */
  readonly sha256: string | null;
}

interface OpenedFile {
  readonly handle: ReadableFile;
  readonly path: string;
  readonly name: string;
  readonly start: Stats;
  readonly checkMs: number;
  readonly bytes?: number;
}

/** A file as an application stream: header message, bytes, digest message. docs/APPLICATIONS.md, "file" */
export class FileSource implements ByteSource {
  private announced: FileHeader;
  private readonly path: string;
  private readonly handle: ReadableFile;
  private readonly start: Stats;
  /** Whether the file is sent to its end, and so must not change meanwhile. */
  private readonly isWhole: boolean;
  private readonly checkMs: number;
  private checkedMs = performance.now();
  private hash = createHash('sha256');
  private readonly reads: Promise<Uint8Array>[] = [];
  private readOffset = 0;
  /** Read, and not handed out yet. */
  private block: Uint8Array = new Uint8Array(0);
  private stage: 'header' | 'body' | 'done' = 'header';
  private digest: string | null = null;

  constructor(opened: OpenedFile) {
    const { handle, path, name, start, checkMs, bytes = start.size } = opened;
    this.handle = handle;
    this.checkMs = checkMs;
    this.path = path;
    this.start = start;
    this.isWhole = opened.bytes === undefined;
    this.announced = headerOf(name, start, bytes);
  }

  /** What is said of the file before its bytes. */
  get header(): FileHeader {
    return this.announced;
  }

  /**
   * Compares the file with what a receiver has of it, before anything is sent: whether it has the whole file, and otherwise where the bytes begin that it
   * lacks. They are sent from there.
   */
  async compare({ existing, points }: FileOffer): Promise<Comparison> {
    const { bytes } = this.header;
    const wanted = new Map(
      points.filter(({ offset }) => offset <= bytes).map(({ offset, sha256 }) => [offset, sha256]),
    );
    const offsets = existing === null || wanted.has(bytes) ? [...wanted.keys()] : [...wanted.keys(), bytes];
    const read: ReadAt = (into, position) => this.readInto(into, 0, position);
    let isAgreed = true;
    for await (const prefix of prefixHashes(read, offsets)) {
      const { offset, sha256 } = prefix;
      if (offset === bytes && sha256 === existing) return { isWhole: true, sha256 };
      isAgreed &&= !wanted.has(offset) || wanted.get(offset) === sha256;
      if (isAgreed && wanted.has(offset)) this.beginAt(prefix);
      if (!isAgreed && existing === null) break;
    }
    return { isWhole: false, sha256: null };
  }

  private beginAt({ offset, sha256, hash }: PrefixHash): void {
    this.hash = hash;
    this.readOffset = offset;
    this.announced = { ...this.announced, offset, prefixSha256: sha256 };
  }

  /** The SHA-256 of what was sent, once `next` has said null. */
  get sha256(): string | null {
    return this.digest;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.stage === 'done') return null;
    if (this.stage === 'header') {
      this.stage = 'body';
      this.readAhead();
      return encodeMessage(headerMessage(this.header));
    }
    if (this.block.length === 0) {
      const read = this.reads.shift();
      if (read === undefined) return this.trailer();
      this.block = await read;
      await this.checkSize();
      this.readAhead();
    }
    const chunk = this.block.subarray(0, CHUNK_BYTES);
    this.block = this.block.subarray(CHUNK_BYTES);
    this.hash.update(chunk);
    return chunk;
  }

  async close(): Promise<void> {
    this.stage = 'done';
    await Promise.allSettled(this.reads);
    await this.handle.close();
  }

  private readAhead(): void {
    while (this.reads.length < READ_AHEAD && this.readOffset < this.header.bytes && this.stage === 'body') {
      const length = Math.min(READ_BYTES, this.header.bytes - this.readOffset);
      const read = this.readAt(this.readOffset, length);
      // A read that fails is reported by the `next` that waits for it; until then nobody does.
      read.catch(() => undefined);
      this.reads.push(read);
      this.readOffset += length;
    }
  }

  private async readAt(offset: number, length: number): Promise<Uint8Array> {
    const chunk = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const bytesRead = await this.readInto(chunk, filled, offset + filled);
      if (bytesRead === 0) throw changed(this.path, `shrank to ${offset + filled} bytes`);
      filled += bytesRead;
    }
    return chunk;
  }

  private readInto(chunk: Uint8Array, at: number, position: number): Promise<number> {
    return readSome(this.handle, chunk.subarray(at), { path: this.path, position });
  }

  private async checkSize(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs < this.checkedMs + this.checkMs) return;
    this.checkedMs = nowMs;
    const { size } = await this.handle.stat();
    if (size < this.header.bytes) throw changed(this.path, `shrank to ${size} bytes`);
  }

  private async trailer(): Promise<Uint8Array> {
    if (this.isWhole) await this.checkUnchanged();
    this.stage = 'done';
    this.digest = this.hash.digest('hex');
    const trailer: DigestTrailer = { kind: 'digest', sha256: this.digest };
    return encodeMessage(trailer);
  }

  /** The extra read finds what the sizes do not tell: files of /proc say that they have 0 bytes. */
  private async checkUnchanged(): Promise<void> {
    const now = await this.handle.stat();
    const beyond = await this.readInto(new Uint8Array(1), 0, this.header.bytes);
    const problem = changeOf(this.start, now, now.size < this.start.size ? now.size : this.start.size + beyond);
    if (problem !== null) throw changed(this.path, problem);
  }
}
