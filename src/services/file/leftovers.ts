import { hash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { temporaryName } from './file-name.js';

/** Who writes a temporary file: a process of one start of a machine. */
export interface Writer {
  readonly machine: string;
  readonly pid: number;
  /** Digest of the boot id; UNKNOWN_BOOT on systems that have none. */
  readonly boot: string;
}

export const UNKNOWN_BOOT = '00000000';

const RANDOM_BYTES = 4;
/** Hexadecimal digits of the digests that name the machine and its start. */
const DIGITS = 8;
const LEFTOVER = new RegExp(
  `^\\..+\\.(([0-9a-f]{${DIGITS}})-(\\d{1,10})-([0-9a-f]{${DIGITS}})[0-9a-f]{${2 * RANDOM_BYTES}})\\.part$`,
  's',
);

/** A live transfer writes all the time (ours): a file modified since may be that of a process that cannot be seen. */
const QUIET_MS = 60_000;
/** The first that is readable counts. The boot id names a machine until it restarts. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const MACHINE_IDS = ['/etc/machine-id', BOOT_ID];
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
  return shortDigest(parts.join('\n'));
}

/** Names one start of a machine, also where machines are copies of each other. */
export function bootOf(read: (path: string) => string = readSystem): string {
  const id = textOf(BOOT_ID, read);
  return MACHINE_ID.test(id) ? shortDigest(id) : UNKNOWN_BOOT;
}

function shortDigest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGITS);
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
const BOOT = bootOf();

/** This process. */
export function thisWriter(): Writer {
  return { machine: MACHINE, pid: process.pid, boot: BOOT };
}

/** The unique part of a temporary file's name, which says who writes it. */
export function temporaryTag({ machine, pid, boot }: Writer = thisWriter()): string {
  return `${machine}-${pid}-${boot}${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** Who wrote a file of this name; null for any other name. */
export function writerOf(name: string): Writer | null {
  const match = LEFTOVER.exec(name);
  return match === null ? null : { machine: match[2], pid: Number(match[3]), boot: match[4] };
}

/** Whether `part` is what an unfinished file `name` is called. */
export function isPartOf(part: string, name: string): boolean {
  const tag = LEFTOVER.exec(part)?.[1];
  return tag !== undefined && temporaryName(name, tag) === part;
}

/** What decides whether the writer of a file is gone. */
export interface WriterFacts {
  readonly self?: Writer;
  isRunning?(pid: number): boolean;
  /** Time since the file was modified, ms. */
  readonly ageMs: number;
}

/**
 * Whether the process that wrote an unfinished file has ended. Process numbers count within one start of one machine: there an ended process is known at once.
 * A machine that has started anew, or tells no boot id, may be a copy of another, whose processes nobody here can see: its files have to be quiet.
 */
export function isWriterGone(
  writer: Writer,
  { self = thisWriter(), isRunning = isProcess, ageMs }: WriterFacts,
): boolean {
  if (writer.machine !== self.machine) return false;
  const isQuiet = ageMs > QUIET_MS;
  if (writer.boot !== UNKNOWN_BOOT && self.boot !== UNKNOWN_BOOT && writer.boot !== self.boot) return isQuiet;
  // This process's own number belonged to one before it: LIVE_PARTS has what it writes itself.
  const isEnded = writer.pid === self.pid || !isRunning(writer.pid);
  return isEnded && (isQuiet || (writer.boot === self.boot && self.boot !== UNKNOWN_BOOT));
}

/** Paths of the unfinished files that this process writes, or is about to. */
export const LIVE_PARTS = new Set<string>();

/** EPERM: it runs, and is another user's. */
function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
