import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Who writes a temporary file: a machine and a process of it. */
export interface Writer {
  readonly machine: string;
  readonly pid: number;
}

const RANDOM_BYTES = 6;
/** Hexadecimal digits of the digest that names the machine. */
const MACHINE_DIGITS = 8;
const LEFTOVER = new RegExp(
  `^\\..+\\.([0-9a-f]{${MACHINE_DIGITS}})-(\\d{1,10})-[0-9a-f]{${2 * RANDOM_BYTES}}\\.part$`,
  's',
);

/** A live transfer writes all the time (ours): a file modified since is left alone, whoever its name says wrote it. */
const QUIET_MS = 60_000;
/** The first that is readable counts. The boot id names a machine until it restarts. */
const MACHINE_IDS = ['/etc/machine-id', '/proc/sys/kernel/random/boot_id'];
/** An image that has not started yet has an empty one, or the word "uninitialized". */
const MACHINE_ID = /^[0-9a-f-]{32,36}$/;
const PID_NAMESPACE = '/proc/self/ns/pid';

/**
 * Names the machine within which process numbers are unique. A daemon of another machine or another container may use the directory too, under the same
 * host name. `read` returns the text of a file or the target of a link, and throws where there is none.
 */
export function machineOf(host: string, read: (path: string) => string = readSystem): string {
  const ids = MACHINE_IDS.map((path) => textOf(path, read)).filter((id) => MACHINE_ID.test(id));
  const parts = [host, ids[0] ?? '', textOf(PID_NAMESPACE, read)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, MACHINE_DIGITS);
}

function readSystem(path: string): string {
  return path === PID_NAMESPACE ? readlinkSync(path) : readFileSync(path, 'utf8');
}

function textOf(path: string, read: (path: string) => string): string {
  try {
    return read(path).trim();
  } catch {
    return '';
  }
}

const MACHINE = machineOf(hostname());

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
  /** Of processes that run, of other machines or containers, modified lately, or not removable. */
  readonly kept: number;
  readonly keptBytes: number;
}

export interface LeftoverSearch {
  readonly self?: Writer;
  isRunning?(pid: number): boolean;
}

/**
 * Removes the unfinished files in a receive directory whose writer was killed. Such a file has the name that this program gives, was written on this machine
 * and not lately, and its process is gone. This process's own number belonged to one before it: it has received nothing yet.
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
    const isGone = writer.machine === self.machine && (writer.pid === self.pid || !isRunning(writer.pid));
    const isQuiet = Date.now() - stats.mtimeMs > QUIET_MS;
    if (isGone && isQuiet && (await isRemoved(path))) {
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
