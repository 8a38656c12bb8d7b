import { execFileSync } from 'node:child_process';
import fs, { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileSystem, OpenFile } from '../../../src/services/file/file-system.js';

/** A directory that goes with the test. */
export async function temporaryDirectory(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'xpass-files-')));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs a program of the system that has to succeed. */
export function runProgram(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}

/** An error of the system as Node makes it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'test' });
}

type Verb = 'open' | 'link' | 'rename' | 'unlink' | 'lstat' | 'write' | 'sync' | 'close';

export interface Faults {
  /** The verb fails with this code, from its `after`-th call on. */
  readonly failures?: Partial<
    Record<Verb, { readonly code: string; readonly after?: number; readonly times?: number }>
  >;
  /** Most bytes that one write takes. */
  readonly mostBytes?: number;
  /** Bytes that fit the disk; the write that would pass them fails with ENOSPC after what still fits. */
  readonly diskBytes?: number;
  /** Writes wait for this. */
  readonly gate?: () => Promise<void>;
}

/** The real file system, made to fail where a test says so. */
export function failingFileSystem({
  failures = {},
  mostBytes = Number.POSITIVE_INFINITY,
  diskBytes,
  gate,
}: Faults): FileSystem {
  const calls: Partial<Record<Verb, number>> = {};
  let roomBytes = diskBytes ?? Number.POSITIVE_INFINITY;
  const pass = (verb: Verb): void => {
    const call = (calls[verb] ?? 0) + 1;
    calls[verb] = call;
    const failure = failures[verb];
    if (failure === undefined) return;
    const first = failure.after ?? 1;
    if (call >= first && call < first + (failure.times ?? Number.POSITIVE_INFINITY)) throw systemError(failure.code);
  };
  const wrap = (handle: fs.FileHandle): OpenFile =>
    ({
      write: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
        await gate?.();
        pass('write');
        const count = Math.min(length, mostBytes, roomBytes);
        if (count === 0 && length > 0) throw systemError('ENOSPC');
        roomBytes -= count;
        return handle.write(bytes, offset, count, position);
      },
      stat: () => handle.stat(),
      truncate: (length: number) => handle.truncate(length),
      chmod: (mode: number) => handle.chmod(mode),
      sync: async () => {
        pass('sync');
        await handle.sync();
      },
      close: async () => {
        await handle.close();
        pass('close');
      },
    }) as OpenFile;
  return {
    open: async (path, flags, mode) => {
      pass('open');
      return wrap(await fs.open(path, flags, mode));
    },
    link: async (from, to) => {
      pass('link');
      await fs.link(from, to);
    },
    rename: async (from, to) => {
      pass('rename');
      await fs.rename(from, to);
    },
    unlink: async (path) => {
      pass('unlink');
      await fs.unlink(path);
    },
    mkdir: (path, mode) => fs.mkdir(path, mode),
    lstat: async (path) => {
      pass('lstat');
      return fs.lstat(path);
    },
  };
}
