import { createHash } from 'node:crypto';
import { FaultError } from './fault.js';
import type { OpenFile } from './incoming-file.js';

export interface WriteBehindOptions {
  /** The file, perhaps still being opened. Its failure to open is for whoever opens it to report. */
  readonly file: Promise<OpenFile>;
  /** Bytes that will come in all: a small file gets a small buffer. */
  readonly expectedBytes: number;
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
  private readonly hash = createHash('sha256');
  private readonly blockBytes: number;
  private readonly full: Uint8Array[] = [];
  private readonly spare: Uint8Array[] = [];
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
    options.file.catch(() => undefined);
    this.blockBytes = Math.max(1, Math.min(WRITE_BYTES, options.expectedBytes));
  }

  /** Copies the bytes, which are valid only during the call. */
  write(bytes: Uint8Array): void {
    this.takenBytes += bytes.length;
    let at = 0;
    while (at < bytes.length && !this.isDropping) {
      this.block ??= this.spare.pop() ?? new Uint8Array(this.blockBytes);
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
    this.full.push(this.block!.subarray(0, this.filled));
    this.block = null;
    this.filled = 0;
    this.hashed = 0;
    this.writing ??= this.writeFull();
  }

  /** Writes until no full block is left. */
  private async writeFull(): Promise<void> {
    try {
      const file = await this.options.file.catch(() => null);
      for (let block = this.full.shift(); block !== undefined && file !== null; block = this.full.shift()) {
        await writeAll(file, block);
        this.writtenBytes += block.length;
        if (block.length === this.blockBytes) this.spare.push(block);
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
async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let at = 0;
  while (at < bytes.length) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at);
    if (bytesWritten === 0)
      throw new FaultError('io', 'the receiver cannot store the file: its file system writes nothing');
    at += bytesWritten;
  }
}
