import { RangeSet } from '../base/range-set.js';
import { BLOCK_BYTES, HeldMemory } from './held-memory.js';

/** Ranges that a flow keeps at most. PROTOCOL §6.6 */
const MAX_RANGES = 1_024;

const NO_BLOCKS: never[] = [];
/** Ranges of every stream without a hole, as most are: nothing is added to it. */
const NO_RANGES = new RangeSet(MAX_RANGES);

/** Where bytes go once they are in order. */
export interface Outlet {
  /** Valid only during the call. */
  onBytes(bytes: Uint8Array): void;
  /** So many bytes of a stream of lengths. */
  onLength(length: number): void;
}

/** What became of the bytes of one data frame. */
export const Placed = {
  inOrder: 1,
  outOfOrder: 2,
  duplicate: 3,
  outsideWindow: 4,
  tooManyRanges: 5,
  noRoom: 6,
} as const;

/**
 * Puts a stream's bytes back into order. In order they pass through without a copy; ahead of a hole they are copied into blocks until the hole
 * is closed. Offsets are 53-bit. Nothing beyond `nextOffset + windowBytes` fits, nor beyond the limit that the caller sets. A stream may consist of
 * lengths instead of bytes (`Frame.phantomBytes`), the whole of it: then nothing is stored.
 */
export class Reassembly {
  private readonly windowBytes: number;
  private readonly outlet: Outlet;
  private beyond = NO_RANGES;
  /** Made for the first hole: a flow without one, or of lengths, needs none. */
  private blocks: (Uint8Array | null)[] = NO_BLOCKS;
  private blockBytes = 0;
  private readonly held: HeldMemory;
  /** Offset of the first byte that has not arrived. */
  nextOffset = 0;

  /** `held`: of all flows of a host together. */
  constructor(windowBytes: number, outlet: Outlet, held = new HeldMemory(Number.POSITIVE_INFINITY)) {
    this.windowBytes = windowBytes;
    this.outlet = outlet;
    this.held = held;
  }

  /** What arrived beyond `nextOffset`, ascending; for reading only, and another object from the first hole on. */
  get ranges(): RangeSet {
    return this.beyond;
  }

  /** Bytes held beyond a hole. */
  get heldBytes(): number {
    return this.ranges.totalBytes;
  }

  /** Highest offset that arrived. */
  get highestEnd(): number {
    return this.ranges.count > 0 ? this.ranges.end(this.ranges.count - 1) : this.nextOffset;
  }

  /**
   * Takes the bytes of one data frame that begin at `offset`, unless they end beyond `limitOffset`; returns a code of `Placed`. The outlet may look
   * at this object, and finds it whole.
   */
  insert(offset: number, bytes: Uint8Array, limitOffset: number): number {
    const end = offset + bytes.length;
    if (end <= this.nextOffset) return Placed.duplicate;
    if (end > Math.min(limitOffset, this.nextOffset + this.windowBytes)) return Placed.outsideWindow;
    if (offset > this.nextOffset) return this.store(offset, bytes);
    const fresh = offset === this.nextOffset ? bytes : bytes.subarray(this.nextOffset - offset);
    if (this.ranges.count === 0) {
      this.nextOffset = end;
      this.outlet.onBytes(fresh);
    } else this.deliverAndDrain(fresh, end);
    return Placed.inOrder;
  }

  /** The same for `length` bytes that exist as a number only. */
  insertLength(offset: number, length: number, limitOffset: number): number {
    const { nextOffset } = this;
    const end = offset + length;
    if (end <= nextOffset) return Placed.duplicate;
    if (end > Math.min(limitOffset, nextOffset + this.windowBytes)) return Placed.outsideWindow;
    if (offset > nextOffset) {
      const added = this.ownRanges().add(offset, end);
      if (added < 0) return Placed.tooManyRanges;
      return added === 0 ? Placed.duplicate : Placed.outOfOrder;
    }
    this.nextOffset = this.ranges.count === 0 ? end : this.joinRanges(end);
    this.outlet.onLength(this.nextOffset - nextOffset);
    return Placed.inOrder;
  }

  /** The flow is over: what was held beyond holes is let go. */
  clear(): void {
    if (this.blocks === NO_BLOCKS) return;
    this.held.storedBytes -= this.heldBytes;
    this.beyond = NO_RANGES;
    for (let index = 0; index < this.blocks.length; index++) this.letGo(index);
  }

  private ownRanges(): RangeSet {
    if (this.beyond === NO_RANGES) this.beyond = new RangeSet(MAX_RANGES);
    return this.beyond;
  }

  private store(offset: number, bytes: Uint8Array): number {
    if (this.blocks === NO_BLOCKS) this.makeBlocks();
    if (!this.hasRoom(offset, bytes.length)) return Placed.noRoom;
    const added = this.ownRanges().add(offset, offset + bytes.length);
    if (added < 0) return Placed.tooManyRanges;
    if (added === 0) return Placed.duplicate;
    this.held.storedBytes += added;
    let done = 0;
    while (done < bytes.length) {
      const at = offset + done;
      const count = Math.min(bytes.length - done, BLOCK_BYTES - (at % BLOCK_BYTES));
      this.blockFor(at).set(bytes.subarray(done, done + count), at % BLOCK_BYTES);
      done += count;
    }
    return Placed.outOfOrder;
  }

  /** The frame at the hole's beginning, then what it joins. The ranges go first, so that nobody sees them overlap what is in order. */
  private deliverAndDrain(fresh: Uint8Array, end: number): void {
    const storedBytes = this.heldBytes;
    const drainTo = this.joinRanges(end);
    this.held.storedBytes -= storedBytes - this.heldBytes;
    this.nextOffset = drainTo;
    this.outlet.onBytes(fresh);
    for (let at = end; at < drainTo; ) {
      const from = at % BLOCK_BYTES;
      const count = Math.min(drainTo - at, BLOCK_BYTES - from);
      const block = this.blocks[this.indexOf(at)];
      // The outlet may have closed the flow.
      if (block === null) return;
      this.outlet.onBytes(block.subarray(from, from + count));
      at += count;
    }
    this.letGoOfPassedBlocks();
  }

  /** Takes out what lies before `end` and the range that begins there; returns where what is in order ends then. */
  private joinRanges(end: number): number {
    const { ranges } = this;
    ranges.remove(0, end);
    const joined = ranges.firstStart === end ? ranges.firstEnd : end;
    ranges.remove(end, joined);
    return joined;
  }

  private indexOf(offset: number): number {
    return Math.floor(offset / BLOCK_BYTES) % this.blocks.length;
  }

  private makeBlocks(): void {
    this.blocks = new Array<null>(Math.ceil(this.windowBytes / BLOCK_BYTES) + 1).fill(null);
  }

  /** Whether the blocks that these bytes would be the first in may be taken. */
  private hasRoom(offset: number, length: number): boolean {
    let newBytes = 0;
    for (let at = offset - (offset % BLOCK_BYTES); at < offset + length; at += BLOCK_BYTES) {
      if (this.blocks[this.indexOf(at)] === null) newBytes += BLOCK_BYTES;
    }
    return newBytes === 0 || this.held.hasRoom(this.blockBytes, newBytes, length);
  }

  private blockFor(offset: number): Uint8Array {
    const index = this.indexOf(offset);
    const present = this.blocks[index];
    if (present !== null) return present;
    const block = this.held.takeBlock();
    this.blockBytes += BLOCK_BYTES;
    this.blocks[index] = block;
    return block;
  }

  private letGoOfPassedBlocks(): void {
    const { blocks } = this;
    if (this.ranges.count === 0) {
      for (let index = 0; index < blocks.length; index++) this.letGo(index);
      return;
    }
    const first = Math.floor(this.ranges.firstStart / BLOCK_BYTES) % blocks.length;
    const last = Math.floor((this.highestEnd - 1) / BLOCK_BYTES) % blocks.length;
    for (let index = (last + 1) % blocks.length; index !== first; index = (index + 1) % blocks.length)
      this.letGo(index);
  }

  private letGo(index: number): void {
    const block = this.blocks[index];
    if (block === null) return;
    this.held.giveBlock(block);
    this.blockBytes -= BLOCK_BYTES;
    this.blocks[index] = null;
  }
}
