/** Sizes of blocks: powers of two. Below the least of them an allocation costs less than what it holds up the collector (ours). */
const LEAST_BYTES = 4_096;
const MOST_BYTES = 1_048_576;
/** Bytes that wait to be used again (ours): what the files under way of some flows take. */
const MOST_SPARE_BYTES = 16 * MOST_BYTES;

/**
 * Memory for the bytes of files, used again and again: a new block for each small file made the collector a quarter of a transfer's processor time
 * (docs/decisions/0031-folders-and-pipes.md). What a block held before is still in it.
 */
export class BlockPool {
  private readonly spare = new Map<number, Uint8Array[]>();
  private waitingBytes = 0;

  /** For tests. */
  get spareBytes(): number {
    return this.waitingBytes;
  }

  /** A block of `bytes` or more. */
  take(bytes: number): Uint8Array {
    if (bytes < LEAST_BYTES || bytes > MOST_BYTES) return Buffer.allocUnsafe(bytes);
    const size = 2 ** Math.ceil(Math.log2(bytes));
    const block = this.spare.get(size)?.pop();
    if (block === undefined) return new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
    this.waitingBytes -= size;
    return block;
  }

  /** Whoever took the block is done with it. */
  give(block: Uint8Array): void {
    const { length } = block;
    const isOurs = length >= LEAST_BYTES && length <= MOST_BYTES && Number.isInteger(Math.log2(length));
    if (!isOurs || block.byteLength !== block.buffer.byteLength || this.waitingBytes + length > MOST_SPARE_BYTES)
      return;
    const blocks = this.spare.get(length);
    if (blocks === undefined) this.spare.set(length, [block]);
    else blocks.push(block);
    this.waitingBytes += length;
  }
}

/** Of this process. */
export const BLOCKS = new BlockPool();
