import { RangeSet } from '../base/range-set.js';

/** Size of the blocks that hold bytes beyond a hole. Ours. */
const BLOCK_BYTES = 65_536;
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
export const Placed = { inOrder: 1, outOfOrder: 2, duplicate: 3, outsideWindow: 4, tooManyRanges: 5 } as const;

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
  /** A block that was let go last, for the next hole. */
  private spare: Uint8Array | null = null;
  /** Offset of the first byte that has not arrived. */
  nextOffset = 0;

  constructor(windowBytes: number, outlet: Outlet) {
    this.windowBytes = windowBytes;
    this.outlet = outlet;
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

  private ownRanges(): RangeSet {
    if (this.beyond === NO_RANGES) this.beyond = new RangeSet(MAX_RANGES);
    return this.beyond;
  }

  private store(offset: number, bytes: Uint8Array): number {
    const added = this.ownRanges().add(offset, offset + bytes.length);
    if (added < 0) return Placed.tooManyRanges;
    if (added === 0) return Placed.duplicate;
    let done = 0;
    while (done < bytes.length) {
      const at = offset + done;
      const count = Math.min(bytes.length - done, BLOCK_BYTES - (at % BLOCK_BYTES));
      this.blockOf(at).set(bytes.subarray(done, done + count), at % BLOCK_BYTES);
      done += count;
    }
    return Placed.outOfOrder;
  }

  /** The frame at the hole's beginning, then what it joins. The ranges go first, so that nobody sees them overlap what is in order. */
  private deliverAndDrain(fresh: Uint8Array, end: number): void {
    const drainTo = this.joinRanges(end);
    this.nextOffset = drainTo;
    this.outlet.onBytes(fresh);
    for (let at = end; at < drainTo; ) {
      const from = at % BLOCK_BYTES;
      const count = Math.min(drainTo - at, BLOCK_BYTES - from);
      this.outlet.onBytes(this.blockOf(at).subarray(from, from + count));
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

  private blockOf(offset: number): Uint8Array {
    if (this.blocks === NO_BLOCKS) this.blocks = this.emptyBlocks();
    const index = Math.floor(offset / BLOCK_BYTES) % this.blocks.length;
    const present = this.blocks[index];
    if (present !== null) return present;
    const block = this.spare ?? new Uint8Array(BLOCK_BYTES);
    this.spare = null;
    this.blocks[index] = block;
    return block;
  }

  private emptyBlocks(): null[] {
    return new Array<null>(Math.ceil(this.windowBytes / BLOCK_BYTES) + 1).fill(null);
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
    this.spare = this.blocks[index] ?? this.spare;
    this.blocks[index] = null;
  }
}
