/** Largest slab (ours: a frame of 1,472 B takes 45 of its bytes' parts, and a write of `pipe` fits). */
const MAX_SLAB_BYTES = 65_536;
/** First slab of a stream: most streams are short. */
const FIRST_SLAB_BYTES = 4_096;
/** Full slabs kept for reuse: as many as the send buffer holds. */
const MAX_FREE = 64;

interface Slab {
  readonly bytes: Uint8Array;
  /** Bytes of the stream up to the end of what the slab holds. */
  endOffset: number;
}

/**
 * Copies of what a program has written, so that it may use its memory again at once. The flow keeps them until they are acknowledged; then large slabs
 * serve again.
 */
export class WriteSlabs {
  private current: Uint8Array = new Uint8Array(0);
  private usedBytes = 0;
  private takenBytes = 0;
  private offset = 0;
  private readonly busy: Slab[] = [];
  private readonly free: Uint8Array[] = [];

  /** Bytes that were copied and not taken. */
  get pendingBytes(): number {
    return this.usedBytes - this.takenBytes;
  }

  /** Copies as much of `bytes` from `at` as the slab has room for, and returns how much; 0: the slab is full and `take` must come first. */
  append(bytes: Uint8Array, at: number): number {
    if (this.usedBytes === this.current.length && !this.renew(bytes.length - at)) return 0;
    const count = Math.min(bytes.length - at, this.current.length - this.usedBytes);
    this.current.set(count === bytes.length ? bytes : bytes.subarray(at, at + count), this.usedBytes);
    this.usedBytes += count;
    return count;
  }

  /** What was copied since it was last taken; the flow's from now on, if it takes it (`taken`). */
  get pending(): Uint8Array {
    return this.current.subarray(this.takenBytes, this.usedBytes);
  }

  /** The flow has taken what was pending. */
  taken(): void {
    this.offset += this.pendingBytes;
    this.takenBytes = this.usedBytes;
  }

  /** The peer's host has this many bytes of the stream: slabs before that may be written again. */
  acknowledged(bytes: number): void {
    while (this.busy.length > 0 && this.busy[0].endOffset <= bytes) {
      const slab = (this.busy.shift() as Slab).bytes;
      if (slab.length === MAX_SLAB_BYTES && this.free.length < MAX_FREE) this.free.push(slab);
    }
  }

  /** False while bytes of the full slab are pending. */
  private renew(wantedBytes: number): boolean {
    if (this.pendingBytes > 0) return false;
    if (this.current.length > 0) this.busy.push({ bytes: this.current, endOffset: this.offset });
    this.current = this.free.pop() ?? new Uint8Array(this.nextBytes(wantedBytes));
    this.usedBytes = 0;
    this.takenBytes = 0;
    return true;
  }

  private nextBytes(wantedBytes: number): number {
    return Math.min(MAX_SLAB_BYTES, Math.max(FIRST_SLAB_BYTES, 2 * this.current.length, wantedBytes));
  }
}
