import { constants, type Dirent } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { failureOf, usageFailure } from '../../base/failure.js';
import { QUICK_FILES } from './quick-files.js';

/** Something to send, by its path here and its name at the receiver. */
export interface Entry {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly bytes: number;
  readonly mode: number;
}

/** What a folder has that is not sent. */
export interface LeftOut {
  links: number;
  devices: number;
  sockets: number;
  pipes: number;
}

export interface Listing {
  readonly entries: Entry[];
  readonly leftOut: LeftOut;
  /** Sentences about what cannot be read. */
  readonly problems: { readonly name: string; readonly message: string }[];
}

/** Entries of one command (ours): a million of them take some 300 MB of memory here. */
const MOST_ENTRIES = 1_000_000;
/** Permissions. */
const MODE = 0o777;

export function emptyListing(): Listing {
  return { entries: [], leftOut: { links: 0, devices: 0, sockets: 0, pipes: 0 }, problems: [] };
}

/**
 * Adds a folder with all that is below it: `photos` under its name, `photos/` without. Links below it are not followed. Throws a usage Failure when there are
 * too many entries, or the folder itself cannot be read.
 */
export async function listFolder(path: string, listing: Listing): Promise<void> {
  const isContents = /[/\\]$/.test(path);
  const name = basename(path);
  if (!isContents && (name === '.' || name === '..')) {
    throw usageFailure(`'${path}' has no name of its own: write '${path}/' to send what is in it`);
  }
  const prefix = isContents ? '' : name;
  if (prefix !== '') await addEntry({ path, name: prefix, isFolder: true }, listing);
  const below = [{ path, name: prefix }];
  for (let folder = below.pop(); folder !== undefined; folder = below.pop()) {
    const entries = await entriesOf(folder, listing);
    for (const entry of entries) {
      const child = { path: `${folder.path.replace(/\/$/, '')}/${entry.name}`, name: under(folder.name, entry.name) };
      if (entry.isDirectory()) below.push(child);
      if (entry.isDirectory() || entry.isFile()) {
        await addEntry({ ...child, isFolder: entry.isDirectory() }, listing);
      } else leaveOut(entry, listing.leftOut);
    }
  }
}

/** Whether a path names a folder; what a link given by name leads to counts. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** In the order of their names, so that two runs send in one order. */
async function entriesOf({ path, name }: { path: string; name: string }, { problems }: Listing): Promise<Dirent[]> {
  try {
    await access(path, constants.R_OK | constants.X_OK);
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const failure = failureOf(error, `'${path}'`);
    if (failure === null) throw error;
    problems.push({ name: name === '' ? path : name, message: failure.message });
    return [];
  }
}

async function addEntry(entry: Omit<Entry, 'bytes' | 'mode'>, { entries, problems }: Listing): Promise<void> {
  if (entries.length >= MOST_ENTRIES)
    throw usageFailure(`more than ${MOST_ENTRIES} files and folders: send fewer at a time`);
  try {
    const { size, mode } = await (entry.isFolder ? QUICK_FILES.stat(entry.path) : QUICK_FILES.lstat(entry.path));
    entries.push({ ...entry, bytes: entry.isFolder ? 0 : size, mode: mode & MODE });
  } catch (error) {
    const failure = failureOf(error, `'${entry.path}'`);
    if (failure === null) throw error;
    problems.push({ name: entry.name, message: failure.message });
  }
}

function leaveOut(entry: Dirent, counts: LeftOut): void {
  if (entry.isSymbolicLink()) counts.links++;
  else if (entry.isSocket()) counts.sockets++;
  else if (entry.isFIFO()) counts.pipes++;
  else counts.devices++;
}

function under(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
