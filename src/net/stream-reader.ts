import type { XpassError } from '../base/errors.js';
import type { FlowReader } from '../core/flow-callbacks.js';
import type { Receiver } from './receiver.js';

/** What the reading side tells its stream. */
export interface ReaderEvents {
  /** The next bytes, null at the end; from a turn of its own. False: enough for now. */
  push(chunk: Uint8Array | null): boolean;
  /** What was given and the program has not taken. */
  waitingBytes(): number;
  /** The flow is over, in order (null) or not; from inside the host. */
  onReaderClosed(error: XpassError | null): void;
}

/** Blocks of memory that arriving bytes are copied into: small at first, since most streams are short. */
const FIRST_BLOCK_BYTES = 4_096;
const MAX_BLOCK_BYTES = 65_536;
/** From this size on bytes that may be kept are given as they are: copies of frames of 8,972 B took a fifth of the reader's time (measured; PERF-LOG). */
const KEPT_BYTES = 4_096;
/** A chunk that waits in a Readable costs some 200 B beside its bytes (measured); smaller ones are put together while others wait. */
const LEAST_WAITING_BYTES = 1_024;

/**
 * The reading side of a stream: from a flow to a Readable. Small frames that arrive within one turn of the event loop are given to the program together,
 * large ones each as it is. Bytes are released, and so credited anew, once the program has room for more: a slow reader holds its peer back, and at
 * most the receive window waits.
 */
export class StreamReader implements FlowReader {
  /** Bytes that were given to the program. */
  bytesRead = 0;
  private readonly events: ReaderEvents;
  private receiver: Receiver | null = null;
  private block: Uint8Array = new Uint8Array(0);
  private usedBytes = 0;
  private givenBytes = 0;
  /** Full parts of earlier blocks. */
  private ready: Uint8Array[] = [];
  /** Arrived and not released. */
  private heldBytes = 0;
  private isFull = false;
  /** Bytes wait here for others, or until the program has taken what it was given. */
  private isHeldBack = false;
  private isFlushSet = false;
  private isTickSet = false;
  private hasEnded = false;
  private isEndTold = false;
  private isGivenUp = false;

  constructor(events: ReaderEvents) {
    this.events = events;
  }

  get flow(): Receiver | null {
    return this.receiver;
  }

  /** All bytes of the peer have arrived; the program may not have them yet. */
  get isComplete(): boolean {
    return this.hasEnded;
  }

  attach(receiver: Receiver): void {
    this.receiver = receiver;
  }

  /** The program has room again. */
  resume(): void {
    this.isFull = false;
    this.release();
  }

  /** The program has taken something. */
  taken(): void {
    if (this.isHeldBack && this.events.waitingBytes() === 0) this.flush();
  }

  /** Nobody reads any more: what arrives from now on has the flow reset. A flow that only ends does so in order. */
  abandon(): void {
    this.isGivenUp = true;
    this.ready = [];
  }

  /** After `abandon`: a peer that waits for room gets credits, so that its next bytes have the flow reset at once. */
  releaseUnread(): void {
    this.release();
  }

  onData(bytes: Uint8Array): void {
    if (this.isGivenUp) {
      this.receiver?.reset();
      return;
    }
    this.heldBytes += bytes.length;
    if (bytes.length >= KEPT_BYTES && this.receiver?.mayKeep(bytes)) {
      this.keep(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) at += this.copy(bytes, at);
    this.flushSoon();
  }

  onEnd(): void {
    this.hasEnded = true;
    this.flushSoon();
  }

  onClosed(error: XpassError | null): void {
    this.events.onReaderClosed(error);
  }

  private keep(bytes: Uint8Array): void {
    if (this.givenBytes < this.usedBytes) this.ready.push(this.takeBlock());
    this.ready.push(bytes);
    // Not in the loop's next turn: memory that lives until then had V8 mark its heap 17 times as often (measured; PERF-LOG).
    if (this.isTickSet) return;
    this.isTickSet = true;
    process.nextTick(this.flush);
  }

  private copy(bytes: Uint8Array, at: number): number {
    if (this.usedBytes === this.block.length) this.renewBlock(bytes.length - at);
    const count = Math.min(bytes.length - at, this.block.length - this.usedBytes);
    this.block.set(count === bytes.length ? bytes : bytes.subarray(at, at + count), this.usedBytes);
    this.usedBytes += count;
    return count;
  }

  private renewBlock(wantedBytes: number): void {
    if (this.givenBytes < this.usedBytes) this.ready.push(this.takeBlock());
    const bytes = Math.min(MAX_BLOCK_BYTES, Math.max(FIRST_BLOCK_BYTES, 2 * this.block.length, wantedBytes));
    this.block = Buffer.allocUnsafeSlow(bytes);
    this.usedBytes = 0;
    this.givenBytes = 0;
  }

  private takeBlock(): Uint8Array {
    const part = this.block.subarray(this.givenBytes, this.usedBytes);
    this.givenBytes = this.usedBytes;
    return part;
  }

  /** libuv reads many datagrams before immediates run, and a host sends what it has to say in an immediate that comes after this one. */
  private flushSoon(): void {
    if (this.isFlushSet) return;
    this.isFlushSet = true;
    setImmediate(this.flush);
  }

  private readonly flush = (): void => {
    this.isFlushSet = false;
    this.isTickSet = false;
    if (this.isGivenUp) return;
    try {
      this.giveAll();
    } catch (error) {
      // A listener of the program threw. What is left is given in a turn of its own, for a program that goes on all the same.
      this.flushSoon();
      throw error;
    }
  };

  private giveAll(): void {
    const { ready } = this;
    let given = 0;
    try {
      while (given < ready.length) this.give(ready[given++]);
    } finally {
      this.ready = this.isGivenUp ? [] : this.ready.slice(given);
    }
    const leftBytes = this.usedBytes - this.givenBytes;
    this.isHeldBack =
      leftBytes > 0 && leftBytes < LEAST_WAITING_BYTES && !this.hasEnded && this.events.waitingBytes() > 0;
    if (leftBytes > 0 && !this.isHeldBack) this.give(this.takeBlock());
    if (!this.isFull && !this.isHeldBack) this.release();
    if (this.hasEnded && !this.isEndTold) {
      this.isEndTold = true;
      this.events.push(null);
    }
  }

  private give(part: Uint8Array): void {
    this.bytesRead += part.length;
    this.isFull = !this.events.push(part);
  }

  private release(): void {
    const bytes = this.heldBytes;
    if (bytes === 0) return;
    this.heldBytes = 0;
    this.receiver?.release(bytes);
  }
}
