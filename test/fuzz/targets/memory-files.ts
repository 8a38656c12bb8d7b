import { basename, dirname } from 'node:path';
import type { FileSystem, OpenFile } from '../../../src/services/file/file-system.js';
import { must } from '../engine/target.js';

/** A directory in memory, which fails when it is told to. Nothing outside it can be named. */
export class MemoryFiles implements FileSystem {
  readonly files = new Map<string, Uint8Array>();
  /** Calls that still work; then each second one fails with ENOSPC. */
  callsLeft: number;
  private readonly directory: string;

  constructor(directory: string, callsLeft: number) {
    this.directory = directory;
    this.callsLeft = callsLeft;
  }

  async open(path: string, flags: number): Promise<OpenFile> {
    this.count();
    if (path === this.directory) return directoryHandle();
    const name = this.nameOf(path);
    // O_EXCL
    if ((flags & 0o200) !== 0 && this.files.has(name)) throw failure('EEXIST');
    this.files.set(name, new Uint8Array(0));
    return this.handleOf(name);
  }

  async link(from: string, to: string): Promise<void> {
    this.count();
    if (this.files.has(this.nameOf(to))) throw failure('EEXIST');
    this.files.set(this.nameOf(to), this.existing(from));
  }

  async rename(from: string, to: string): Promise<void> {
    this.count();
    this.files.set(this.nameOf(to), this.existing(from));
    this.files.delete(this.nameOf(from));
  }

  async unlink(path: string): Promise<void> {
    this.existing(path);
    this.files.delete(this.nameOf(path));
  }

  async mkdir(path: string): Promise<void> {
    this.count();
    must(path.startsWith(this.directory), `'${path}' is outside the receive directory`);
    throw failure('EROFS');
  }

  async lstat(path: string) {
    this.existing(path);
    return { isFile: () => true, isDirectory: () => false, isSymbolicLink: () => false };
  }

  private handleOf(name: string): OpenFile {
    const handle = {
      write: async (bytes: Uint8Array, at: number, length: number) => {
        this.count();
        const before = this.files.get(name) ?? new Uint8Array(0);
        const whole = new Uint8Array(before.length + length);
        whole.set(before);
        whole.set(bytes.subarray(at, at + length), before.length);
        this.files.set(name, whole);
        return { bytesWritten: length };
      },
      chmod: async () => this.count(),
      sync: async () => this.count(),
      close: async () => undefined,
    };
    return handle as unknown as OpenFile;
  }

  private existing(path: string): Uint8Array {
    const found = this.files.get(this.nameOf(path));
    if (found === undefined) throw failure('ENOENT');
    return found;
  }

  private nameOf(path: string): string {
    must(dirname(path) === this.directory, `'${path}' is outside the receive directory`);
    return basename(path);
  }

  private count(): void {
    if (--this.callsLeft < 0 && this.callsLeft % 2 === 0) throw failure('ENOSPC');
  }
}

function directoryHandle(): OpenFile {
  return { sync: async () => undefined, close: async () => undefined } as unknown as OpenFile;
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code, errno: -1, syscall: 'open' });
}
