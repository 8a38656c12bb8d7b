import fs from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError } from './fault.js';
import { LIVE_PARTS } from './leftovers.js';

export interface SpaceLimits {
  /** Most bytes that the files of the directory may take, unfinished ones included; Infinity for no bound. */
  readonly quotaBytes: number;
  /** Least bytes that stay free on the disk; 0 for no bound. */
  readonly minFreeBytes: number;
}

export const NO_LIMITS: SpaceLimits = { quotaBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0 };

export interface SpaceOptions {
  readonly directory: string;
  readonly limits: SpaceLimits;
  /** Bytes that this user may still write on the disk. */
  freeBytes?(): Promise<number>;
}

/** How long a sum of the directory is believed (ours): others may add and remove files. One that would refuse a file is always fresh. */
const MEASURED_FOR_MS = 10_000;

/** Who takes how much of a receive directory. */
export class SpaceBook {
  private readonly options: SpaceOptions;
  private readonly reservations = new Set<Reservation>();
  /** Of the files that nobody writes. */
  private storedBytes = 0;
  private measuredMs = Number.NEGATIVE_INFINITY;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(options: SpaceOptions) {
    this.options = options;
  }

  /** For metrics; null for no quota, and before the first file has had the directory measured. */
  get usage(): { readonly quotaBytes: number | null; readonly storedBytes: number | null } {
    const { quotaBytes } = this.options.limits;
    const isMeasured = Number.isFinite(this.measuredMs);
    return {
      quotaBytes: Number.isFinite(quotaBytes) ? quotaBytes : null,
      storedBytes: isMeasured ? this.takenBytes : null,
    };
  }

  get isLimited(): boolean {
    const { quotaBytes, minFreeBytes } = this.options.limits;
    return quotaBytes !== Number.POSITIVE_INFINITY || minFreeBytes > 0;
  }

  /** Throws a FaultError `quota` or `minFree` when a file of `bytes` has no room; `heldBytes` of it are on the disk already. */
  check(name: string, bytes: number, heldBytes = 0): Promise<void> {
    const checked = this.turn.then(() => this.checkNow(name, bytes, heldBytes));
    this.turn = checked.catch(() => undefined);
    return checked;
  }

  /** The same, and sets the room aside. */
  reserve(name: string, bytes: number, heldBytes = 0): Promise<Reservation> {
    const reserved = this.turn.then(async () => {
      await this.checkNow(name, bytes, heldBytes);
      const reservation = new Reservation(this, name, { bytes, writtenBytes: heldBytes });
      this.reservations.add(reservation);
      this.storedBytes -= heldBytes;
      return reservation;
    });
    this.turn = reserved.catch(() => undefined);
    return reserved;
  }

  /** Throws a FaultError when the disk has got fuller than it may. */
  async checkFree(name: string): Promise<void> {
    const { minFreeBytes } = this.options.limits;
    if (minFreeBytes > 0 && (await this.freeBytes()) < minFreeBytes) throw minFreeFault(name);
  }

  /** Throws a FaultError `quota` when a file of unknown length has grown beyond it. */
  async checkGrown(name: string): Promise<void> {
    if (this.takenBytes > this.options.limits.quotaBytes) throw quotaFault(name);
  }

  /** For reservations: `storedBytes` are left on the disk. */
  settle(reservation: Reservation, storedBytes: number): void {
    if (this.reservations.delete(reservation)) this.storedBytes += storedBytes;
  }

  private async checkNow(name: string, bytes: number, heldBytes: number): Promise<void> {
    if (!this.isLimited) return;
    const { quotaBytes, minFreeBytes } = this.options.limits;
    const newBytes = bytes - heldBytes;
    if (quotaBytes !== Number.POSITIVE_INFINITY) {
      if (performance.now() - this.measuredMs > MEASURED_FOR_MS) await this.measure();
      if (this.takenBytes + newBytes > quotaBytes) await this.measure();
      if (this.takenBytes + newBytes > quotaBytes) {
        throw quotaFault(name);
      }
    }
    if (minFreeBytes > 0 && (await this.freeBytes()) - this.awaitedBytes - newBytes < minFreeBytes)
      throw minFreeFault(name);
  }

  private get takenBytes(): number {
    let sum = this.storedBytes;
    for (const { bytes } of this.reservations) sum += bytes;
    return sum;
  }

  /** Announced, and not on the disk yet. */
  private get awaitedBytes(): number {
    let sum = 0;
    for (const { bytes, writtenBytes } of this.reservations) sum += bytes - writtenBytes;
    return sum;
  }

  private async measure(): Promise<void> {
    this.storedBytes = await bytesBelow(this.options.directory);
    this.measuredMs = performance.now();
  }

  private freeBytes(): Promise<number> {
    return this.options.freeBytes?.() ?? freeBytesOf(this.options.directory);
  }
}

/** Room that is set aside for one file. */
export class Reservation {
  bytes: number;
  writtenBytes: number;
  private readonly book: SpaceBook;
  private readonly name: string;
  private checkedBytes = 0;

  constructor(book: SpaceBook, name: string, { bytes, writtenBytes }: { bytes: number; writtenBytes: number }) {
    this.book = book;
    this.name = name;
    this.bytes = bytes;
    this.writtenBytes = writtenBytes;
  }

  /** So many more bytes are on the disk. Throws a FaultError when it has got too full meanwhile. */
  async wrote(bytes: number): Promise<void> {
    this.writtenBytes += bytes;
    if (this.writtenBytes > this.bytes) {
      this.bytes = this.writtenBytes;
      await this.book.checkGrown(this.name);
    }
    if (this.writtenBytes - this.checkedBytes < CHECK_BYTES) return;
    this.checkedBytes = this.writtenBytes;
    await this.book.checkFree(this.name);
  }

  /** The transfer is over; `storedBytes` of it are on the disk. */
  settle(storedBytes: number): void {
    this.book.settle(this, storedBytes);
  }
}

/** How often a transfer looks at the disk (ours): each 8 MiB, 70 ms at 1 Gbit/s. */
const CHECK_BYTES = 8 * 1_048_576;

/** Of all regular files below a directory; links are not followed. */
async function bytesBelow(directory: string): Promise<number> {
  const folders = [directory];
  let sum = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // One that has gone meanwhile, or cannot be read, counts as empty; the receive directory itself has to be readable.
    const reading = fs.readdir(folder, { withFileTypes: true });
    for (const entry of await (folder === directory ? reading : reading.catch(() => []))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && !LIVE_PARTS.has(path)) sum += (await fs.lstat(path).catch(() => null))?.size ?? 0;
    }
  }
  return sum;
}

function quotaFault(name: string): FaultError {
  return new FaultError('quota', `'${name}' cannot be stored: with it, the receiver's files would exceed their quota`);
}

function minFreeFault(name: string): FaultError {
  return new FaultError(
    'minFree',
    `'${name}' cannot be stored: the receiver's disk would have less free space than it keeps`,
  );
}

/** Infinity where the system does not say. */
async function freeBytesOf(directory: string): Promise<number> {
  const stats = await fs.statfs(directory).catch(() => null);
  return stats === null ? Number.POSITIVE_INFINITY : stats.bavail * stats.bsize;
}
