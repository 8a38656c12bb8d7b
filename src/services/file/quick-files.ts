import fs from 'node:fs';
import patient from 'node:fs/promises';
import { promisify } from 'node:util';
import type { FileSystem, OpenFile, ReadableFile } from './file-system.js';

/** When calls take longer on average, they hold up everything else for too long (ours): a local disk's take 5 to 50 us, a network's 1 ms and more. */
const SLOW_MS = 2;
/** Of the newest call in the average (ours): one that was slow because others had the cores decides nothing. */
const WEIGHT = 1 / 32;
/** What a call counts at most (ours): on busy cores some wait long for their turn, on a slow disk many do. A quarter of all decides. */
const MOST_MS = 4 * SLOW_MS;
/** How long calls go through the thread pool then (ours). */
const PATIENT_MS = 2_000;

const fsync = promisify(fs.fsync);

/** Of each new file there is nothing yet: an error with a stack of its own would cost more than the call. */
const NOT_THERE: NodeJS.ErrnoException = Object.assign(new Error('ENOENT: no such file or directory, lstat'), {
  code: 'ENOENT',
  syscall: 'lstat',
});

/**
 * The file system of small files: calls return when they are done. One by the thread pool costs 100 to 300 us of two busy cores, ten times the call itself,
 * and a small file needs ten (docs/decisions/0031-folders-and-pipes.md). Syncs, which wait for the disk, take the pool, and so does everything for a while
 * where calls are slow, as on a network's disk.
 */
export class QuickFiles implements FileSystem {
  private readonly now: () => number;
  private patientUntilMs = Number.NEGATIVE_INFINITY;
  private averageMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Calls do not wait for the pool. */
  get isQuick(): boolean {
    return this.now() >= this.patientUntilMs;
  }

  async open(path: string, flags: number, mode?: number): Promise<OpenFile & ReadableFile> {
    return this.isQuick
      ? new QuickFile(
          this,
          this.timed(() => fs.openSync(path, flags, mode)),
        )
      : patient.open(path, flags, mode);
  }

  async link(from: string, to: string): Promise<void> {
    return this.isQuick ? this.timed(() => fs.linkSync(from, to)) : patient.link(from, to);
  }

  async rename(from: string, to: string): Promise<void> {
    return this.isQuick ? this.timed(() => fs.renameSync(from, to)) : patient.rename(from, to);
  }

  async unlink(path: string): Promise<void> {
    return this.isQuick ? this.timed(() => fs.unlinkSync(path)) : patient.unlink(path);
  }

  async mkdir(path: string, mode: number): Promise<unknown> {
    return this.isQuick ? this.timed(() => fs.mkdirSync(path, mode)) : patient.mkdir(path, mode);
  }

  async lstat(path: string): Promise<fs.Stats> {
    if (!this.isQuick) return patient.lstat(path);
    const found = this.timed(() => fs.lstatSync(path, { throwIfNoEntry: false }));
    if (found === undefined) throw NOT_THERE;
    return found;
  }

  async stat(path: string): Promise<fs.Stats> {
    return this.isQuick ? this.timed(() => fs.statSync(path)) : patient.stat(path);
  }

  /** Does it at once, and remembers how long that took. */
  timed<T>(call: () => T): T {
    const startMs = this.now();
    try {
      return call();
    } finally {
      const endMs = this.now();
      this.averageMs += (Math.min(endMs - startMs, MOST_MS) - this.averageMs) * WEIGHT;
      if (this.averageMs > SLOW_MS) {
        this.averageMs = 0;
        this.patientUntilMs = endMs + PATIENT_MS;
      }
    }
  }
}

/** A small file that is open: what is left of it is a few calls. */
class QuickFile implements OpenFile, ReadableFile {
  private readonly files: QuickFiles;
  private fd: number;

  constructor(files: QuickFiles, fd: number) {
    this.files = files;
    this.fd = fd;
  }

  async write(bytes: Uint8Array, at: number, length: number, position: number): Promise<{ bytesWritten: number }> {
    return { bytesWritten: this.files.timed(() => fs.writeSync(this.fd, bytes, at, length, position)) };
  }

  async read(into: Uint8Array, at: number, length: number, position: number): Promise<{ bytesRead: number }> {
    return { bytesRead: this.files.timed(() => fs.readSync(this.fd, into, at, length, position)) };
  }

  async stat(): Promise<fs.Stats> {
    return this.files.timed(() => fs.fstatSync(this.fd));
  }

  async truncate(length: number): Promise<void> {
    this.files.timed(() => fs.ftruncateSync(this.fd, length));
  }

  async chmod(mode: number): Promise<void> {
    this.files.timed(() => fs.fchmodSync(this.fd, mode));
  }

  sync(): Promise<void> {
    return fsync(this.fd);
  }

  /** Once: the system gives the number to another file. */
  async close(): Promise<void> {
    const { fd } = this;
    this.fd = -1;
    if (fd >= 0) this.files.timed(() => fs.closeSync(fd));
  }
}

/** Of this process. */
export const QUICK_FILES = new QuickFiles();

/** Files that are read and written by QUICK_FILES (ours): below the bytes from which files are asked about and gone on with. */
export const MOST_QUICK_BYTES = 1_048_576;
