/** Size of the blocks that hold bytes beyond a hole. Ours: a few frames, so that a block with one of them is not mostly empty. */
export const BLOCK_BYTES = 16_384;

/**
 * What blocks beyond holes may take besides twice their bytes, all flows together. Ours: single frames that have overtaken others keep a block each, and
 * 16 MiB are 1,000 of those.
 */
const SLACK_BYTES = 16 * 1024 * 1024;
/** Empty blocks that are kept: 1 MiB. Ours. */
const MAX_SPARE_BLOCKS = 64;

/**
 * The memory that all receiving flows of a host hold: bytes that their readers have not released, and blocks with bytes beyond holes. Blocks take at most
 * twice their bytes and a constant: a peer cannot make a host keep a block for each byte. All together have a limit; a flow may hold as much as is free, so
 * that those that hold most are the first to get no more (as in src/services/places.ts).
 */
export class HeldMemory {
  readerBytes = 0;
  /** Bytes beyond holes. */
  storedBytes = 0;
  /** Of the blocks that they are in. */
  blockBytes = 0;
  readonly limitBytes: number;
  private readonly spareBlocks: Uint8Array[] = [];

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get totalBytes(): number {
    return this.readerBytes + this.blockBytes;
  }

  /** A flow that holds so much gets no credits for new data. One that holds nothing does: it has nothing to release that could change it. */
  isShort(ownBytes: number): boolean {
    return ownBytes > 0 && ownBytes > this.limitBytes - this.readerBytes - this.blockBytes;
  }

  /** Whether a flow whose blocks take `ownBytes` may take `newBytes` more for `bytes` bytes. */
  hasRoom(ownBytes: number, newBytes: number, bytes: number): boolean {
    if (this.blockBytes + newBytes > 2 * (this.storedBytes + bytes) + SLACK_BYTES) return false;
    return ownBytes + newBytes <= this.limitBytes - this.readerBytes - this.blockBytes;
  }

  takeBlock(): Uint8Array {
    this.blockBytes += BLOCK_BYTES;
    return this.spareBlocks.pop() ?? new Uint8Array(BLOCK_BYTES);
  }

  giveBlock(block: Uint8Array): void {
    this.blockBytes -= BLOCK_BYTES;
    if (this.spareBlocks.length < MAX_SPARE_BLOCKS) this.spareBlocks.push(block);
  }
}
