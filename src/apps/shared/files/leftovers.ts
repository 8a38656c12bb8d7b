import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Who writes a temporary file: a machine and a process of it. */
export interface Writer {
  readonly machine: string;
  readonly pid: number;
}

const RANDOM_BYTES = 6;
/** Hexadecimal digits of the machine's name: a daemon on another machine may use the directory too, and process numbers mean nothing there. */
const MACHINE_DIGITS = 8;
const LEFTOVER = new RegExp(
  `^\\..+\\.([0-9a-f]{${MACHINE_DIGITS}})-(\\d{1,10})-[0-9a-f]{${2 * RANDOM_BYTES}}\\.part$`,
  's',
);

const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, MACHINE_DIGITS);

/** This process. */
export function thisWriter(): Writer {
  return { machine: MACHINE, pid: process.pid };
}

/** The unique part of a temporary file's name, which says who writes it. */
export function temporaryTag({ machine, pid }: Writer = thisWriter()): string {
  return `${machine}-${pid}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** Who wrote a file of this name; null for any other name. */
export function writerOf(name: string): Writer | null {
  const match = LEFTOVER.exec(name);
  return match === null ? null : { machine: match[1], pid: Number(match[2]) };
}

/** Unfinished files that a start has found. */
export interface Leftovers {
  /** Of processes of this machine that are gone: removed. */
  readonly removed: number;
  readonly removedBytes: number;
  /** Of processes that run, of other machines, or not to be removed. */
  readonly kept: number;
  readonly keptBytes: number;
}

export interface LeftoverSearch {
  readonly self?: Writer;
  isRunning?(pid: number): boolean;
}

/**
 * Removes the unfinished files in a receive directory whose writer was killed. A file is taken only if it surely is one: it has the name that this program gives, was written on this machine, and its process is
 * gone. A number that is this process's own belonged to one before it: it has received nothing yet.
 */
export async function removeLeftovers(directory: string, search: LeftoverSearch = {}): Promise<Leftovers> {
  const { self = thisWriter(), isRunning = isProcess } = search;
  const found = { removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 };
  for (const name of await fs.readdir(directory)) {
    const writer = writerOf(name);
    if (writer === null) continue;
    const path = join(directory, name);
    const stats = await fs.lstat(path).catch(() => null);
    if (stats === null || !stats.isFile()) continue;
    const isOver = writer.machine === self.machine && (writer.pid === self.pid || !isRunning(writer.pid));
    if (isOver && (await isRemoved(path))) {
      found.removed++;
      found.removedBytes += stats.size;
    } else {
      found.kept++;
      found.keptBytes += stats.size;
    }
  }
  return found;
}

async function isRemoved(path: string): Promise<boolean> {
  return fs.unlink(path).then(
    () => true,
    () => false,
  );
}

/** EPERM: it runs, and is another user's. */
function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
