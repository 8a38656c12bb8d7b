import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FaultError } from './fault.js';
import type { FileSystem } from './file-system.js';
import { QUICK_FILES } from './quick-files.js';

/** rwxr-xr-x, before the receiver's umask. */
const FOLDER_MODE = 0o755;

export interface FolderPlace {
  /** The receive directory, from checkReceiveDirectory. */
  readonly directory: string;
  /** Relative, checked by pathNameProblem. */
  readonly name: string;
  readonly fileSystem?: FileSystem | undefined;
}

/** Makes the folders above a file that are missing. Throws a FaultError `notAFolder` where one is a link or a file: a link may lead out of the directory. */
export async function makeFoldersAbove({ directory, name, fileSystem = fs }: FolderPlace): Promise<void> {
  const components = name.split('/').slice(0, -1);
  let path = directory;
  for (const component of components) {
    const above = path;
    path = join(path, component);
    if (await isFolder(path, name, fileSystem)) continue;
    await fileSystem.mkdir(path, FOLDER_MODE).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    // Another transfer may have made it meanwhile, and anything else may have its name.
    if (!(await isFolder(path, name, fileSystem))) throw notAFolder(name);
    await syncDirectory(above, fileSystem);
  }
}

/** Makes a folder and those above it; one that is there stays. */
export async function makeFolder(place: FolderPlace): Promise<void> {
  await makeFoldersAbove({ ...place, name: `${place.name}/` });
}

/** Whether the folders above a file are there and none is a link. */
export async function hasFoldersAbove({ directory, name, fileSystem = fs }: FolderPlace): Promise<boolean> {
  let path = directory;
  for (const component of name.split('/').slice(0, -1)) {
    path = join(path, component);
    const stats = await fileSystem.lstat(path).catch(() => null);
    if (stats?.isDirectory() !== true) return false;
  }
  return true;
}

/** False where there is nothing. */
async function isFolder(path: string, name: string, fileSystem: FileSystem): Promise<boolean> {
  try {
    if ((await fileSystem.lstat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  throw notAFolder(name);
}

function notAFolder(name: string): FaultError {
  return new FaultError(
    'notAFolder',
    `'${name}' cannot be stored: a file or a link at the receiver has a folder's name`,
  );
}

/** Syncs that run or wait, by path: all that ask while one runs share the next. */
const SYNCS = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

/** New names survive a power failure once their directory is on the disk; file systems that cannot sync a directory, and Windows, need not. */
export function syncDirectory(path: string, fileSystem: FileSystem = fs): Promise<void> {
  if (fileSystem !== fs && fileSystem !== QUICK_FILES) return syncNow(path, fileSystem);
  const under = SYNCS.get(path);
  if (under === undefined) return startSync(path);
  under.next ??= under.running.then(() => startSync(path));
  return under.next;
}

function startSync(path: string): Promise<void> {
  const running = syncNow(path, fs);
  const entry = { running, next: null };
  SYNCS.set(path, entry);
  void running.then(() => {
    if (SYNCS.get(path) === entry && entry.next === null) SYNCS.delete(path);
  });
  return running;
}

async function syncNow(path: string, fileSystem: FileSystem): Promise<void> {
  const handle = await fileSystem.open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}

/** The directory that holds a file of this name. */
export function directoryOf({ directory, name }: FolderPlace): string {
  return dirname(join(directory, name));
}
