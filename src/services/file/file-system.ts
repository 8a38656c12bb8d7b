import type fs from 'node:fs/promises';

/** What is used of an open file. */
export type OpenFile = Pick<fs.FileHandle, 'write' | 'sync' | 'close' | 'stat' | 'truncate' | 'chmod'>;

/** What is used of the file system; tests put their own in its place to make it fail. */
export interface FileSystem {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string, mode: number): Promise<unknown>;
  lstat(path: string): Promise<{ isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }>;
}
