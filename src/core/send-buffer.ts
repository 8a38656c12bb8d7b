import { assert } from '../base/assert.js';
import { viewOf } from '../wire/bytes.js';

/** Chunks that were acknowledged stay in the arrays until they are this many and half of all, so that dropping them is O(1) amortised. */
const COMPACT_AT = 64;

/** In place of a chunk that was acknowledged: its memory goes at once. */
const NO_BYTES = new Uint8Array(0);

const NO_CHUNKS: never[] = [];
const NO_STARTS: never[] = [];

/** Chunks held at most: each costs some hundred bytes beside its own. */
const MAX_CHUNKS = 65_536;

/** A stream's bytes from the first unacknowledged to the last written, by 53-bit offset. Chunks are given away by the writer, not copied. */
export class SendBuffer {
  /** Made for the first bytes: a stream of lengths needs none. */
  private chunks: Uint8Array[] = NO_CHUNKS;
  private starts: number[] = NO_STARTS;
  private head = 0;
  /** Index of the chunk that the last `copy` ended in; new data is read in order, so the next read starts there. */
  private cursor = 0;
  private firstOffset = 0;
  private endOffset = 0;
  private readonly limitBytes: number;
  /** The stream consists of lengths (`appendLength`). */
  isLengths = false;

  /** `limitBytes`: how much it holds, but for one larger chunk alone. */
  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Offset after the last byte written. */
  get end(): number {
    return this.endOffset;
  }

  /** Bytes held. */
  get byteLength(): number {
    return this.endOffset - this.firstOffset;
  }

  get chunkCount(): number {
    return this.chunks.length - this.head;
  }

  /** Whether there is room for `bytes` more. */
  hasRoomFor(bytes: number): boolean {
    if (this.byteLength === 0) return true;
    return this.byteLength + bytes <= this.limitBytes && this.chunkCount < MAX_CHUNKS;
  }

  get isHalfEmpty(): boolean {
    return this.byteLength <= this.limitBytes / 2 && this.chunkCount <= MAX_CHUNKS / 2;
  }

  append(bytes: Uint8Array): void {
    assert(!this.isLengths, 'a stream of lengths has no bytes');
    if (bytes.length === 0) return;
    if (this.chunks === NO_CHUNKS) {
      this.chunks = [];
      this.starts = [];
    }
    this.chunks.push(bytes);
    this.starts.push(this.endOffset);
    this.endOffset += bytes.length;
  }

  /** Appends `length` bytes that exist as a number only; then the whole stream consists of such, and none can be copied. */
  appendLength(length: number): void {
    assert(this.isLengths || this.endOffset === 0, 'a stream of lengths has no bytes');
    this.isLengths = true;
    this.endOffset += length;
  }

  /** Lets go of everything before `offset`. */
  acknowledge(offset: number): void {
    assert(offset <= this.endOffset, 'acknowledged beyond what was written');
    if (offset <= this.firstOffset) return;
    this.firstOffset = offset;
    while (this.head < this.chunks.length && this.endOf(this.head) <= offset) this.chunks[this.head++] = NO_BYTES;
    if (this.head === this.chunks.length) this.clear();
    else if (this.head >= COMPACT_AT && this.head * 2 >= this.chunks.length) this.compact();
  }

  /** Copies `length` bytes, one or more, from stream offset `offset` to `target` at `at`. All of them must be held. */
  copy(offset: number, length: number, target: Uint8Array, at: number): void {
    assert(offset >= this.firstOffset && offset + length <= this.endOffset, 'copy of bytes that are not held');
    let index = this.find(offset);
    let done = 0;
    while (done < length) {
      const chunk = this.chunks[index];
      const from = offset + done - this.starts[index];
      const count = Math.min(length - done, chunk.length - from);
      target.set(viewOf(chunk, from, count), at + done);
      done += count;
      if (done < length) index++;
    }
    this.cursor = index;
  }

  /** Nothing is held: an idle flow keeps no arrays. */
  private clear(): void {
    this.chunks.length = 0;
    this.starts.length = 0;
    this.head = 0;
    this.cursor = 0;
  }

  private endOf(index: number): number {
    return this.starts[index] + this.chunks[index].length;
  }

  /** The chunk that holds `offset`: the one read last or the next, for new data; repairs look for theirs. */
  private find(offset: number): number {
    const { cursor } = this;
    if (cursor >= this.head && this.starts[cursor] <= offset) {
      if (offset < this.endOf(cursor)) return cursor;
      if (offset < this.endOf(cursor + 1)) return cursor + 1;
    }
    return this.search(offset);
  }

  private search(offset: number): number {
    let low = this.head;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.endOf(middle) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private compact(): void {
    this.chunks = this.chunks.slice(this.head);
    this.starts = this.starts.slice(this.head);
    this.cursor = Math.max(0, this.cursor - this.head);
    this.head = 0;
  }
}
