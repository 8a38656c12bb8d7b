import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../base/failure.js';
import { FaultError } from './fault.js';
import { temporaryName } from './file-name.js';
import type { FileSystem, OpenFile } from './file-system.js';
import { directoryOf, makeFoldersAbove, syncDirectory } from './folders.js';
import { LIVE_PARTS, temporaryTag } from './leftovers.js';
import { type ClaimedPart, noPart } from './part-store.js';

export interface IncomingFileOptions {
  /** The receive directory, from checkReceiveDirectory. */
  readonly directory: string;
  /** Checked by pathNameProblem. */
  readonly name: string;
  /** Permission bits that the file has under its name. */
  readonly mode: number;
  /** Whether a regular file or a symbolic link of this name is replaced. What a link points to is never touched. */
  readonly overwrite: boolean;
  /** Whether the file is on the disk before it has its name; true by default. */
  readonly isSynced?: boolean;
  /** An unfinished file to go on with. */
  readonly part?: ClaimedPart | undefined;
  readonly fileSystem?: FileSystem;
}

/** O_EXCL and O_NOFOLLOW: a file that did not exist a moment ago, and not one that a link points to. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** An unfinished file is nobody else's to read. */
const PART_MODE = 0o600;
/** chmod(2) where files have no permissions: FAT, and some network and user-space file systems. */
const NO_MODES = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL']);

/** link(2) where there are no hard links: FAT and some network and user-space file systems. EISDIR is what libuv makes of Windows' ERROR_INVALID_FUNCTION. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EISDIR']);

/**
 * A file on its way in: written under a temporary name in the receive directory, it gets its own name only when it is complete. Each call throws a
 * FaultError or an error of the system.
 */
export class IncomingFile {
  readonly handle: OpenFile;
  private readonly options: IncomingFileOptions;
  private readonly fileSystem: FileSystem;
  private readonly temporaryPath: string;
  private readonly finalPath: string;

  private constructor(options: IncomingFileOptions, temporaryPath: string, handle: OpenFile) {
    this.options = options;
    this.fileSystem = options.fileSystem ?? fs;
    this.temporaryPath = temporaryPath;
    this.finalPath = join(options.directory, options.name);
    this.handle = handle;
  }

  /** Refuses early what `publish` would refuse in the end. */
  static async open(options: IncomingFileOptions): Promise<IncomingFile> {
    const { directory, name, part, fileSystem = fs } = options;
    const path = join(directory, temporaryName(name, temporaryTag()));
    LIVE_PARTS.add(path);
    try {
      await makeFoldersAbove(options);
      await checkTarget(options);
      const handle = await (part === undefined
        ? fileSystem.open(path, CREATE, PART_MODE)
        : takeOver(part, path, { fileSystem, name }));
      return new IncomingFile(options, path, handle);
    } catch (error) {
      LIVE_PARTS.delete(path);
      throw error;
    } finally {
      if (part !== undefined) LIVE_PARTS.delete(part.path);
    }
  }

  /** What it is called until it is complete. */
  get temporaryName(): string {
    return basename(this.temporaryPath);
  }

  /** Puts the complete file on the disk and gives it its name, atomically. */
  async publish(): Promise<void> {
    await this.handle.chmod(this.options.mode).catch((error: unknown) => {
      if (!NO_MODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    });
    const { isSynced = true } = this.options;
    if (isSynced) await this.handle.sync();
    await this.handle.close();
    if (this.options.overwrite) await this.replace();
    else await this.claimByLink();
    LIVE_PARTS.delete(this.temporaryPath);
    if (isSynced) await syncDirectory(directoryOf(this.options), this.fileSystem);
  }

  /** Closes the unfinished file and leaves it for a later transfer; returns its size. Whoever keeps it takes it from LIVE_PARTS. */
  async leave(): Promise<number> {
    const stats = await this.handle.stat().catch(() => null);
    await ignoreFailure(this.handle.close());
    return stats?.size ?? 0;
  }

  /** Closes and removes the temporary file. Safe in every state, before and after a `publish` that failed too. */
  async discard(): Promise<void> {
    await ignoreFailure(this.handle.close());
    await ignoreFailure(this.fileSystem.unlink(this.temporaryPath));
    LIVE_PARTS.delete(this.temporaryPath);
  }

  private async replace(): Promise<void> {
    await checkTarget(this.options);
    await this.fileSystem.rename(this.temporaryPath, this.finalPath);
  }

  /** link(2) fails where anything has the name already, so nothing is ever overwritten, not even by a race. rename(2) would overwrite. */
  private async claimByLink(): Promise<void> {
    try {
      await this.fileSystem.link(this.temporaryPath, this.finalPath);
    } catch (error) {
      if (!NO_HARD_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await this.claimByPlaceholder();
      return;
    }
    await this.fileSystem.unlink(this.temporaryPath);
  }

  /** Claims the name with an empty file that is replaced at once: the name shows an empty file for that moment, but nothing is overwritten. */
  private async claimByPlaceholder(): Promise<void> {
    const placeholder = await this.fileSystem.open(this.finalPath, CREATE, 0o600);
    await placeholder.close();
    try {
      await this.fileSystem.rename(this.temporaryPath, this.finalPath);
    } catch (error) {
      await ignoreFailure(this.fileSystem.unlink(this.finalPath));
      throw error;
    }
  }
}

/** Gives an unfinished file the name of this process, of whom it then is alone, and cuts off what was not offered. */
async function takeOver(
  part: ClaimedPart,
  path: string,
  { fileSystem, name }: { fileSystem: FileSystem; name: string },
): Promise<OpenFile> {
  try {
    await fileSystem.rename(part.path, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noPart(name);
    throw error;
  }
  let handle: OpenFile | null = null;
  try {
    handle = await fileSystem.open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    part.verify(await handle.stat());
    await handle.truncate(part.offset);
    return handle;
  } catch (error) {
    if (handle !== null) await ignoreFailure(handle.close());
    await ignoreFailure(fileSystem.unlink(path));
    throw error;
  }
}

async function checkTarget({ directory, name, overwrite, fileSystem = fs }: IncomingFileOptions): Promise<void> {
  let target: { isFile(): boolean; isSymbolicLink(): boolean };
  try {
    target = await fileSystem.lstat(join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (!target.isFile() && !target.isSymbolicLink()) {
    throw new FaultError(
      'notAFile',
      `'${name}' cannot be stored: what has this name at the receiver is not a regular file`,
    );
  }
  if (!overwrite)
    throw new FaultError('exists', `'${name}' exists at the receiver, which overwrites nothing without --overwrite`);
}

async function ignoreFailure(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}

/** Gives a folder its sender's permissions, never through a link. */
export async function chmodFolder(directory: string, name: string, mode: number): Promise<void> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const folder = await fs.open(join(directory, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await folder.chmod(mode);
  } catch (error) {
    if (!NO_MODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await folder.close();
  }
}

/** The real path of a directory that files can be received into; throws a usage Failure that names what is wrong with it. */
export async function checkReceiveDirectory(path: string): Promise<string> {
  const subject = `receive directory '${path}'`;
  try {
    const real = await fs.realpath(path);
    if (!(await fs.stat(real)).isDirectory()) throw usageFailure(`${subject} is not a directory: name one that is`);
    await fs.access(real, constants.W_OK | constants.X_OK);
    return real;
  } catch (error) {
    const failure = failureOf(error, subject);
    throw failure === null ? error : new Failure(ExitCode.usage, failure.message);
  }
}
