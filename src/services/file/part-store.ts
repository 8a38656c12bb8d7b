import type { Hash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError } from './fault.js';
import type { FileOffer, PrefixPoint } from './file-offer.js';
import { NO_OFFER } from './file-offer.js';
import { hasFoldersAbove } from './folders.js';
import { isPartOf, isWriterGone, LIVE_PARTS, type WriterFacts, writerOf } from './leftovers.js';
import { LEAST_RESUMED_BYTES, type PrefixHash, pointsOf, prefixHashes, type ReadAt } from './prefix-hashes.js';

export interface PartStoreOptions {
  /** The receive directory, from checkReceiveDirectory. */
  readonly directory: string;
  /** How long an unfinished file is kept after its last byte, ms; 0: not at all. */
  readonly keepMs: number;
  /** For tests. */
  readonly writers?: Pick<WriterFacts, 'self' | 'isRunning'>;
}

/** Unfinished files that a start has found. */
export interface Leftovers {
  /** Of processes that are gone: ready to be gone on with. */
  readonly taken: number;
  readonly takenBytes: number;
  /** Too old or too short, or complete under their name: removed. */
  readonly removed: number;
  readonly removedBytes: number;
  /** Of processes that run, of other machines or containers, or not removable: left alone. */
  readonly kept: number;
  readonly keptBytes: number;
}

/** An unfinished file that a transfer goes on with. */
export interface ClaimedPart {
  readonly path: string;
  /** Bytes on the disk, the ones behind `offset` included. */
  readonly sizeBytes: number;
  readonly offset: number;
  /** Of the bytes before `offset`. */
  readonly hash: Hash;
  /** Throws a FaultError `noPart` unless the file is still the one that was hashed, and nobody else's. */
  verify(stats: Stats): void;
  /** It was not used: others may claim it. */
  giveBack(): void;
}

interface Part {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** A part whose prefixes have been hashed. */
interface HashedPart extends Part {
  readonly inode: number;
  readonly prefixes: readonly PrefixHash[];
}

/** Parts in the index; beyond, the oldest are removed (ours: as many as files may be under way). */
const MAX_PARTS = 1_000;
/** Parts whose hashes are remembered between the question and the file (ours: 64 states of a hash each). */
const MAX_HASHED = 64;
/** Files hashed at a time: reading more of them at once is no faster (ours). */
const MAX_HASHING = 2;
/** Unfinished files whose writer cannot be seen are left alone this long at least (ours). */
const FOREIGN_MS = 24 * 3_600_000;
const LONGEST_SCAN_MS = 60_000;
const SHORTEST_SCAN_MS = 1_000;

/**
 * The unfinished files of dead transfers in a receive directory. Their bytes are never believed: a part is read and hashed before it is offered, so
 * whatever a kill or a crash has left is gone on with correctly or not at all.
 */
export class PartStore {
  private readonly options: PartStoreOptions;
  private parts = new Map<string, Part>();
  private readonly hashed = new Map<string, HashedPart>();
  private readonly waiting: (() => void)[] = [];
  private hashing = 0;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: PartStoreOptions) {
    this.options = options;
  }

  /** Finds what is there, and looks again from time to time. */
  async open(): Promise<Leftovers> {
    const found = await this.scan();
    this.scheduleScan();
    return found;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** Whether a part of this size is worth keeping. */
  isKept(sizeBytes: number): boolean {
    return this.options.keepMs > 0 && sizeBytes >= LEAST_RESUMED_BYTES;
  }

  /** A transfer has left this file. */
  keep(name: string, sizeBytes: number): void {
    this.parts.set(name, { sizeBytes, modifiedMs: Date.now() });
    LIVE_PARTS.delete(join(this.options.directory, name));
    void this.removeSurplus();
  }

  /** A file has its name: what is left of other tries is of no use. */
  async forget(fileName: string): Promise<void> {
    for (const name of this.partsOf(fileName)) await this.remove(name);
  }

  /** What there is of a file: hashes of a whole one, and of prefixes of the longest unfinished one. */
  async offer(fileName: string, bytes: number): Promise<FileOffer> {
    if (bytes === 0) return NO_OFFER;
    await this.enter();
    try {
      const existing = await this.hashExisting(fileName, bytes);
      return { ...NO_OFFER, existing, points: await this.offerPart(fileName, bytes) };
    } finally {
      this.leave();
    }
  }

  /** Takes the part whose first `offset` bytes have this hash, as it was offered; null when it is not there any more. */
  claim(fileName: string, { offset, sha256 }: PrefixPoint): ClaimedPart | null {
    for (const [name, part] of this.hashed) {
      const point = part.prefixes.find((prefix) => prefix.offset === offset && prefix.sha256 === sha256);
      if (point === undefined || !isPartOf(name, fileName) || !this.parts.has(name)) continue;
      const path = join(this.options.directory, name);
      this.hashed.delete(name);
      this.parts.delete(name);
      LIVE_PARTS.add(path);
      return {
        path,
        sizeBytes: part.sizeBytes,
        offset,
        hash: point.hash,
        verify: (stats) => verifyPart(stats, part, fileName),
        giveBack: () => this.keep(name, part.sizeBytes),
      };
    }
    return null;
  }

  private async offerPart(fileName: string, bytes: number): Promise<readonly PrefixPoint[]> {
    const sizeOf = (name: string): number => this.parts.get(name)?.sizeBytes ?? 0;
    const names = this.partsOf(fileName).sort((a, b) => sizeOf(b) - sizeOf(a));
    for (const name of names) {
      const part = this.hashed.get(name) ?? (await this.hashPart(name));
      const prefixes = part?.prefixes.filter(({ offset }) => offset <= bytes) ?? [];
      if (prefixes.length > 0) return prefixes.map(({ offset, sha256 }) => ({ offset, sha256 }));
    }
    return [];
  }

  /** Null when it cannot be read; then nobody asks for it again. */
  private async hashPart(name: string): Promise<HashedPart | null> {
    const opened = await openRegular(join(this.options.directory, name));
    if (opened === null || opened.stats.nlink !== 1) {
      await opened?.file.close();
      this.parts.delete(name);
      return null;
    }
    const { file, stats } = opened;
    const prefixes: PrefixHash[] = [];
    try {
      for await (const prefix of prefixHashes(readerOf(file), pointsOf(stats.size))) {
        if (this.isClosed) return null;
        prefixes.push(prefix);
      }
    } catch {
      // What the disk cannot read any more is not offered.
    } finally {
      await file.close();
    }
    const part = { sizeBytes: stats.size, modifiedMs: stats.mtimeMs, inode: stats.ino, prefixes };
    if (this.hashed.size >= MAX_HASHED) this.hashed.delete([...this.hashed.keys()][0]);
    this.hashed.set(name, part);
    return part;
  }

  /** Null unless there is a regular file of this name and size. */
  private async hashExisting(fileName: string, bytes: number): Promise<string | null> {
    const { directory } = this.options;
    if (!(await hasFoldersAbove({ directory, name: fileName }))) return null;
    const opened = await openRegular(join(directory, fileName));
    if (opened === null) return null;
    const { file, stats } = opened;
    try {
      if (stats.size !== bytes) return null;
      for await (const { sha256 } of prefixHashes(readerOf(file), [bytes])) return sha256;
      return null;
    } catch {
      return null;
    } finally {
      await file.close();
    }
  }

  private partsOf(fileName: string): string[] {
    return [...this.parts.keys()].filter((name) => isPartOf(name, fileName));
  }

  /** Waits for its turn to read. */
  private async enter(): Promise<void> {
    while (this.hashing >= MAX_HASHING && !this.isClosed) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.hashing++;
  }

  private leave(): void {
    this.hashing--;
    this.waiting.shift()?.();
  }

  private scheduleScan(): void {
    if (this.isClosed) return;
    const { keepMs } = this.options;
    const waitMs = keepMs === 0 ? LONGEST_SCAN_MS : Math.max(SHORTEST_SCAN_MS, Math.min(LONGEST_SCAN_MS, keepMs / 2));
    this.timer = setTimeout(() => {
      // A directory that cannot be read now may be there again at the next look.
      void this.scan()
        .catch(() => null)
        .then(() => this.scheduleScan());
    }, waitMs).unref();
  }

  /** Looks through the directory. */
  private async scan(): Promise<Leftovers> {
    const { directory } = this.options;
    const found = { taken: 0, takenBytes: 0, removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 };
    const parts = new Map<string, Part>();
    for (const name of await fs.readdir(directory)) {
      if (writerOf(name) === null) continue;
      const stats = await fs.lstat(join(directory, name)).catch(() => null);
      if (stats === null || !stats.isFile() || LIVE_PARTS.has(join(directory, name))) continue;
      const fate = await this.judge(name, stats);
      found[fate]++;
      found[`${fate}Bytes`] += stats.size;
      if (fate === 'taken') parts.set(name, { sizeBytes: stats.size, modifiedMs: stats.mtimeMs });
    }
    this.parts = new Map([...parts].filter(([name]) => !LIVE_PARTS.has(join(directory, name))));
    for (const name of this.hashed.keys()) if (!this.parts.has(name)) this.hashed.delete(name);
    await this.removeSurplus();
    return found;
  }

  private async judge(name: string, { size, mtimeMs, nlink }: Stats): Promise<'taken' | 'removed' | 'kept'> {
    const { keepMs, writers = {} } = this.options;
    const writer = writerOf(name);
    const ageMs = Date.now() - mtimeMs;
    if (writer === null) return 'kept';
    const isGone = isWriterGone(writer, { ...writers, ageMs }) || ageMs > Math.max(FOREIGN_MS, keepMs);
    if (!isGone) return 'kept';
    // Two names: its transfer had just published it.
    if (nlink === 1 && ageMs <= keepMs && this.isKept(size)) return 'taken';
    return (await this.remove(name)) ? 'removed' : 'kept';
  }

  private async removeSurplus(): Promise<void> {
    if (this.parts.size <= MAX_PARTS) return;
    const oldest = [...this.parts].sort(([, a], [, b]) => a.modifiedMs - b.modifiedMs);
    for (const [name] of oldest.slice(0, this.parts.size - MAX_PARTS)) await this.remove(name);
  }

  private async remove(name: string): Promise<boolean> {
    this.parts.delete(name);
    this.hashed.delete(name);
    return fs.unlink(join(this.options.directory, name)).then(
      () => true,
      () => false,
    );
  }
}

function verifyPart(stats: Stats, { sizeBytes, modifiedMs, inode }: HashedPart, fileName: string): void {
  const isSame = stats.isFile() && stats.size === sizeBytes && stats.mtimeMs === modifiedMs && stats.ino === inode;
  // A second name would be written through.
  if (!isSame || stats.nlink !== 1) throw noPart(fileName);
}

/** The sender asks again, and gets another offer. */
export function noPart(name: string): FaultError {
  return new FaultError('noPart', `the receiver has the first bytes of '${name}' no longer`);
}

function readerOf(file: fs.FileHandle): ReadAt {
  return async (into, position) => (await file.read(into, 0, into.length, position)).bytesRead;
}

/** Opened for reading, never through a link and without waiting for a pipe; null for anything else than a regular file, or none. */
async function openRegular(path: string): Promise<{ file: fs.FileHandle; stats: Stats } | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  const stats = await file.stat().catch(() => null);
  if (stats?.isFile() === true) return { file, stats };
  await file.close();
  return null;
}
