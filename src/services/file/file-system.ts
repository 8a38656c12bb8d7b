import type { Stats } from 'node:fs';

/** What is used of an open file that is written. */
export interface OpenFile {
  write(bytes: Uint8Array, at: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  stat(): Promise<Stats>;
  truncate(length: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  close(): Promise<void>;
}

/** What is used of one that is read. */
export interface ReadableFile {
  read(into: Uint8Array, at: number, length: number, position: number): Promise<{ bytesRead: number }>;
  stat(): Promise<Stats>;
  close(): Promise<void>;
}

/** What is used of the file system; tests put their own in its place to make it fail. */
export interface FileSystem {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string, mode: number): Promise<unknown>;
  lstat(path: string): Promise<{ isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }>;
}
