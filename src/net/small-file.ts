import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from '../base/config-error.js';
import { failureOf } from '../base/failure.js';

/** What is read of a file that an option names. */
export interface SmallFile {
  readonly text: string;
  /** Of the file that is read, not of one that takes its place meanwhile. */
  readonly mode: number;
}

/**
 * Reads a regular file of at most `maxBytes`. Anything else, such as a FIFO, may never end. Throws a ConfigError or a Failure whose sentence begins with
 * `what`.
 */
export async function readSmallFile(path: string, what: string, maxBytes: number): Promise<SmallFile> {
  let file: FileHandle | null = null;
  try {
    // Without O_NONBLOCK a FIFO is not even opened until somebody writes; Windows has neither.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const status = await file.stat();
    if (!status.isFile()) throw new ConfigError(`${what} is no regular file; allowed: a regular file`);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw new ConfigError(`${what} is too long; allowed: up to ${maxBytes} bytes`);
    return { text: buffer.toString('utf8', 0, bytesRead), mode: status.mode };
  } catch (error) {
    throw failureOf(error, what) ?? error;
  } finally {
    await file?.close();
  }
}
