import { RangeSet } from '../base/range-set.js';

/** Bytes that arrive out of order are stored in blocks of this size, made when needed and let go when passed (ours). */
const BLOCK_BYTES = 65_536;
/** Ranges that a flow keeps at most. PROTOCOL §6.6 */
const MAX_RANGES = 1_024;

/** Where bytes go once they are in order; valid only during the call. */
export type Deliver = (bytes: Uint8Array) => void;

/** What became of the bytes of one data frame. */
export const Placed = { inOrder: 1, outOfOrder: 2, duplicate: 3, outsideWindow: 4, tooManyRanges: 5 } as const;

/**
 * Puts a stream's bytes back into order. In order they pass through without a copy; ahead of a hole they are copied into blocks until the hole
 * is closed. Offsets are 53-bit; nothing at or beyond `nextOffset + windowBytes` is taken, which bounds the memory.
 */
export class Reassembly {
  private readonly windowBytes: number;
  private readonly deliver: Deliver;
  /** What arrived beyond `nextOffset`, ascending; for reading only. */
  readonly ranges = new RangeSet(MAX_RANGES);
  private readonly blocks: (Uint8Array | null)[];
  /** Offset of the first byte that has not arrived. */
  nextOffset = 0;

  constructor(windowBytes: number, deliver: Deliver) {
    this.windowBytes = windowBytes;
    this.deliver = deliver;
    this.blocks = new Array<Uint8Array | null>(Math.ceil(windowBytes / BLOCK_BYTES) + 1).fill(null);
  }

  /** Bytes held beyond a hole. */
  get heldBytes(): number {
    return this.ranges.totalBytes;
  }

  /** Highest offset that arrived. */
  get highestEnd(): number {
    return this.ranges.count > 0 ? this.ranges.end(this.ranges.count - 1) : this.nextOffset;
  }

  /** Takes the bytes of one data frame that begin at `offset`; returns a code of `Placed`. */
  insert(offset: number, bytes: Uint8Array): number {
    const end = offset + bytes.length;
    if (end <= this.nextOffset) return Placed.duplicate;
    if (end > this.nextOffset + this.windowBytes) return Placed.outsideWindow;
    if (offset > this.nextOffset) return this.store(offset, bytes);
    const fresh = offset === this.nextOffset ? bytes : bytes.subarray(this.nextOffset - offset);
    this.nextOffset = end;
    this.deliver(fresh);
    if (this.ranges.count > 0) this.drain();
    return Placed.inOrder;
  }

  private store(offset: number, bytes: Uint8Array): number {
    const added = this.ranges.add(offset, offset + bytes.length);
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

  private drain(): void {
    this.ranges.remove(0, this.nextOffset);
    while (this.ranges.count > 0 && this.ranges.firstStart === this.nextOffset) {
      const end = this.ranges.firstEnd;
      while (this.nextOffset < end) {
        const at = this.nextOffset;
        const from = at % BLOCK_BYTES;
        const count = Math.min(end - at, BLOCK_BYTES - from);
        const block = this.blockOf(at);
        this.nextOffset = at + count;
        this.deliver(block.subarray(from, from + count));
      }
      this.ranges.remove(0, this.nextOffset);
    }
    this.letGoOfPassedBlocks();
  }

  private blockOf(offset: number): Uint8Array {
    const index = Math.floor(offset / BLOCK_BYTES) % this.blocks.length;
    const block = this.blocks[index] ?? new Uint8Array(BLOCK_BYTES);
    this.blocks[index] = block;
    return block;
  }

  private letGoOfPassedBlocks(): void {
    if (this.ranges.count === 0) {
      this.blocks.fill(null);
      return;
    }
    const first = Math.floor(this.ranges.firstStart / BLOCK_BYTES) % this.blocks.length;
    const last = Math.floor((this.highestEnd - 1) / BLOCK_BYTES) % this.blocks.length;
    for (let index = (last + 1) % this.blocks.length; index !== first; index = (index + 1) % this.blocks.length)
      this.blocks[index] = null;
  }
}
