import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs/promises';
import { BLOCKS } from './block-pool.js';
import { Fault, type FaultCode, FaultError, faultOf } from './fault.js';
import { type FileHeader, parseDigest } from './file-header.js';
import type { FileSystem, OpenFile } from './file-system.js';
import { IncomingFile } from './incoming-file.js';
import type { Message } from './message.js';
import type { ClaimedPart, PartStore } from './part-store.js';
import { MOST_QUICK_BYTES, QUICK_FILES } from './quick-files.js';
import type { Reservation, SpaceBook } from './space.js';
import type { TransferBody } from './transfer-reader.js';
import { badVerdict, goodVerdict, type Verdict } from './verdict.js';

interface WriteBehindOptions {
  /** The file, perhaps still being opened. Its failure to open is for whoever opens it to report. */
  readonly file: Promise<OpenFile>;
  /** Bytes that will come in all: a small file gets a small buffer. */
  readonly expectedBytes: number;
  /** Where the bytes go, and the hash of what is before them; from the start without it. */
  readonly prefix?: { readonly offset: number; readonly hash: Hash } | undefined;
  /** So many more bytes are on the file; throws to end it. */
  onWritten?(bytes: number): Promise<void>;
  /** So many more bytes are done with. Called from inside `write` too. */
  onDrained(bytes: number): void;
  /** A write failed. Called once; everything is dropped and drained from then on. */
  onError(error: unknown): void;
}

/** Size of one write; larger ones are no faster on local disks, and smaller ones cost more turns of Node's thread pool. */
export const WRITE_BYTES = 262_144;

/**
 * Bytes that are taken without being on the file: two blocks being written or waiting while a third fills, and one to spare. Beyond, bytes are drained only as
 * writes end, so a slow disk holds the sender back; at most a receive window more than this is ever held.
 */
export const BUFFER_BYTES = 4 * WRITE_BYTES;

/** Hashed at once: 9 us at the 1.8 GB/s that OpenSSL reaches here. A whole block would hold up everything else for 150 us. */
const HASH_BYTES = 16_384;

/** A file that is written behind its back: chunks are copied and hashed as they come, and written in large blocks. */
export class WriteBehind {
  private readonly options: WriteBehindOptions;
  private readonly hash: Hash;
  private readonly blockBytes: number;
  private readonly full: { readonly block: Uint8Array; readonly bytes: number }[] = [];
  private block: Uint8Array | null = null;
  private filled = 0;
  private hashed = 0;
  private takenBytes = 0;
  private writtenBytes = 0;
  private drainedBytes = 0;
  private isDropping = false;
  private writing: Promise<void> | null = null;

  constructor(options: WriteBehindOptions) {
    this.options = options;
    this.hash = options.prefix?.hash.copy() ?? createHash('sha256');
    options.file.catch(() => undefined);
    this.blockBytes = Math.max(1, Math.min(WRITE_BYTES, options.expectedBytes));
  }

  /** Copies the bytes, which are valid only during the call. */
  write(bytes: Uint8Array): void {
    this.takenBytes += bytes.length;
    let at = 0;
    while (at < bytes.length && !this.isDropping) {
      // What is not filled is not written.
      this.block ??= BLOCKS.take(this.blockBytes);
      const count = Math.min(this.blockBytes - this.filled, bytes.length - at);
      this.block.set(at === 0 && count === bytes.length ? bytes : bytes.subarray(at, at + count), this.filled);
      this.filled += count;
      at += count;
      if (this.filled - this.hashed >= HASH_BYTES) this.hashFilled();
      if (this.filled === this.blockBytes) this.sealBlock();
    }
    this.drain();
  }

  /** Resolves with the SHA-256 of everything once it is written; after an error, with null. */
  async end(): Promise<string | null> {
    if (this.block !== null) this.sealBlock();
    await this.writing;
    return this.isDropping ? null : this.hash.digest('hex');
  }

  /** Forgets what is not written yet and drains whatever comes. Resolves when no write is under way any more. */
  async drop(): Promise<void> {
    this.isDropping = true;
    this.block = null;
    this.full.length = 0;
    this.drain();
    await this.writing;
  }

  private hashFilled(): void {
    this.hash.update(this.block!.subarray(this.hashed, this.filled));
    this.hashed = this.filled;
  }

  private sealBlock(): void {
    if (this.hashed < this.filled) this.hashFilled();
    this.full.push({ block: this.block!, bytes: this.filled });
    this.block = null;
    this.filled = 0;
    this.hashed = 0;
    this.writing ??= this.writeFull();
  }

  /** Writes until no full block is left. */
  private async writeFull(): Promise<void> {
    try {
      const file = await this.options.file.catch(() => null);
      for (let next = this.full.shift(); next !== undefined && file !== null; next = this.full.shift()) {
        const { block, bytes } = next;
        await writeAll(file, block.subarray(0, bytes), (this.options.prefix?.offset ?? 0) + this.writtenBytes);
        BLOCKS.give(block);
        this.writtenBytes += bytes;
        await this.options.onWritten?.(bytes);
        this.drain();
      }
    } catch (error) {
      void this.drop();
      this.options.onError(error);
    } finally {
      this.writing = null;
    }
  }

  private drain(): void {
    const upTo = this.isDropping ? this.takenBytes : Math.min(this.takenBytes, this.writtenBytes + BUFFER_BYTES);
    const bytes = upTo - this.drainedBytes;
    if (bytes === 0) return;
    this.drainedBytes = upTo;
    this.options.onDrained(bytes);
  }
}

/** write(2) may take less than it is given: on a disk that is nearly full, or interrupted. */
async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let at = 0;
  while (at < bytes.length) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    if (bytesWritten === 0)
      throw new FaultError('io', 'the receiver cannot store the file: its file system writes nothing');
    at += bytesWritten;
  }
}

export interface FileReceiverOptions {
  /** The receive directory, from checkReceiveDirectory. */
  readonly directory: string;
  readonly overwrite: boolean;
  /** Whether the file gets the sender's permissions; 0644 less the umask without it. */
  readonly keepMode?: boolean;
  /** Whether a file is on the disk before its verdict; true by default. */
  readonly isSynced?: boolean;
  /** Where unfinished files stay for a later transfer; without it nothing of them is left. */
  readonly parts?: PartStore | undefined;
  readonly space?: SpaceBook | undefined;
  /** So many bytes of the body are done with, and the flow may release them. Called from inside `onBody` too. */
  onDrained(bytes: number): void;
  /** Called exactly once, when the file has its name or was given up. A bad verdict may come long before the body's end. */
  onVerdict(verdict: Verdict): void;
  readonly fileSystem?: FileSystem;
}

/** rw-r--r--: nobody but the daemon's user changes what a peer has sent, and nothing of it runs. */
const PUBLISHED_MODE = 0o644;

/** Faults of the way here, after which the bytes that have come are good. */
const RESUMABLE: ReadonlySet<FaultCode> = new Set<FaultCode>(['aborted', 'truncated']);

/**
 * Receives one file: takes its bytes as they come, and gives it its name only when every byte is on the disk and the digest is right. What a broken
 * transfer leaves is a part in the store, or nothing. Memory: WriteBehind's.
 */
export class FileReceiver implements TransferBody {
  readonly bodyBytes: number;
  readonly hasTrailer = true;
  readonly isChunked: boolean;
  /** With the bytes that came, of a file whose length nobody knew. */
  header: FileHeader;
  /** Bytes that are kept for a later transfer, once the verdict is there. */
  keptBytes = 0;
  private readonly options: FileReceiverOptions;
  private readonly opening: Promise<IncomingFile>;
  private readonly writer: WriteBehind;
  private reservation: Reservation | null = null;
  private isSettled = false;
  private resolveDone: () => void = () => undefined;
  private readonly done: Promise<void>;

  /** `header` comes from parseFileHeader, `part` from a claim where the header has an offset. The file is opened at once, in the background. */
  constructor(header: FileHeader, options: FileReceiverOptions, part?: ClaimedPart) {
    const { name } = header;
    this.header = header;
    this.isChunked = header.bytes === Number.POSITIVE_INFINITY;
    this.bodyBytes = this.isChunked ? 0 : header.bytes - header.offset;
    if (this.isChunked) this.header = { ...header, bytes: 0 };
    this.options = options;
    this.done = new Promise((resolve) => {
      this.resolveDone = resolve;
    });
    this.opening = this.open(part);
    this.opening.catch((error: unknown) => this.settle(faultOf(error, name)));
    this.writer = new WriteBehind({
      file: this.opening.then(({ handle }) => handle),
      expectedBytes: this.isChunked ? WRITE_BYTES : this.bodyBytes,
      prefix: part,
      onWritten: (bytes) => this.reservation?.wrote(bytes) ?? Promise.resolve(),
      onDrained: (bytes) => options.onDrained(bytes),
      onError: (error) => this.settle(faultOf(error, name)),
    });
  }

  onBody(bytes: Uint8Array): void {
    if (this.isChunked) this.header = { ...this.header, bytes: this.header.bytes + bytes.length };
    this.writer.write(bytes);
  }

  onEnd(trailer: Message | null): void {
    void this.finish(trailer);
  }

  onFault(fault: Fault): void {
    this.settle(fault);
  }

  /** Gives the file up, unless it is being given its name already; resolves when nothing is left to do. `why` ends the verdict's sentence. */
  abort(why: string): Promise<void> {
    this.settle(new Fault('aborted', `'${this.header.name}' was given up: ${why}`));
    return this.done;
  }

  /** Room first: what is refused for lack of it has not touched the disk. */
  private async open(part: ClaimedPart | undefined): Promise<IncomingFile> {
    const { directory, overwrite, keepMode = false, isSynced = true, space } = this.options;
    const { name, bytes } = this.header;
    const isSmall = !this.isChunked && bytes < MOST_QUICK_BYTES;
    const { fileSystem = isSmall ? QUICK_FILES : fs } = this.options;
    const mode = keepMode ? this.header.mode : PUBLISHED_MODE & ~process.umask();
    try {
      this.reservation = (await space?.reserve(name, bytes, part?.sizeBytes ?? 0)) ?? null;
    } catch (error) {
      part?.giveBack();
      throw error;
    }
    return IncomingFile.open({ directory, overwrite, isSynced, name, mode, part, fileSystem });
  }

  private async finish(trailer: Message | null): Promise<void> {
    const digest = parseDigest(trailer);
    if (digest instanceof Fault) {
      this.settle(digest);
      return;
    }
    const sha256 = await this.writer.end();
    if (sha256 === null || this.isSettled) return;
    if (sha256 === digest.sha256) await this.publish(sha256);
    else
      this.settle(new Fault('badDigest', `'${this.header.name}' arrived with another SHA-256 than it was sent with`));
  }

  private async publish(sha256: string): Promise<void> {
    const { name, bytes } = this.header;
    this.isSettled = true;
    let file: IncomingFile | null = null;
    try {
      file = await this.opening;
      await file.publish();
      this.reservation?.settle(bytes);
      await this.options.parts?.forget(name);
      this.tell(goodVerdict(`'${name}' is complete`, sha256));
    } catch (error) {
      const fault = faultOf(error, name);
      await file?.discard();
      this.reservation?.settle(0);
      this.tell(badVerdict(fault, sha256));
    }
  }

  /** The one place where a transfer fails; the first fault wins. */
  private settle(fault: Fault): void {
    if (this.isSettled) return;
    this.isSettled = true;
    void this.cleanUp(fault);
  }

  private async cleanUp(fault: Fault): Promise<void> {
    const { parts } = this.options;
    if (this.isResumable(fault) && parts !== undefined) await this.writer.end();
    await this.writer.drop();
    const file = await this.opening.catch(() => null);
    if (file !== null) await this.cleanUpFile(file, fault);
    this.reservation?.settle(this.keptBytes);
    this.tell(badVerdict(fault));
  }

  /** What came from a pipe does not come again. */
  private isResumable({ code }: Fault): boolean {
    return RESUMABLE.has(code) && !this.isChunked;
  }

  private async cleanUpFile(file: IncomingFile, fault: Fault): Promise<void> {
    const { parts } = this.options;
    if (this.isResumable(fault) && parts !== undefined) {
      const sizeBytes = await file.leave();
      if (parts.isKept(sizeBytes)) {
        this.keptBytes = sizeBytes;
        parts.keep(file.temporaryName, sizeBytes);
        return;
      }
    }
    await file.discard();
  }

  private tell(verdict: Verdict): void {
    this.options.onVerdict(verdict);
    this.resolveDone();
  }
}
