import type { XpassError } from '../base/errors.js';
import type { FlowObserver, FlowWriter } from '../core/flow-callbacks.js';
import type { Sender } from './sender.js';

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

/** What the writing side tells its stream. Calls come from inside the host. */
export interface WriterEvents {
  onOpened(): void;
  /** The peer's host has every byte (null), or never will. */
  onWriterClosed(error: XpassError | null): void;
}

type Callback = (error?: Error) => void;

/**
 * Bytes that wait in the flow before more are taken, and how far they go down until then. 512 KiB stay in the processor's caches until they are sent: with
 * the send buffer's 4 MiB the two copies took 16 % of a writer's time (measured; docs/PERF-LOG.md).
 */
const MOST_UNSENT_BYTES = 524_288;
const LEAST_UNSENT_BYTES = MOST_UNSENT_BYTES / 2;

interface Waiting {
  readonly chunks: readonly Uint8Array[];
  chunk: number;
  at: number;
  readonly callback: Callback;
}

/**
 * The writing side of a stream: from a Writable's calls to a flow. What is written within one turn of the program goes to the flow together, so that a
 * header and its body share a frame.
 */
export class StreamWriter implements FlowWriter, FlowObserver {
  /** Bytes of the writes that were taken whole. */
  bytesWritten = 0;
  private readonly events: WriterEvents;
  private readonly slabs = new WriteSlabs();
  private sender: Sender | null = null;
  private waiting: Waiting | null = null;
  private isFlushSet = false;
  private isPumpSet = false;
  private isEnded = false;

  constructor(events: WriterEvents) {
    this.events = events;
  }

  get flow(): Sender | null {
    return this.sender;
  }

  /** The flow is there: `opens` has it ask its peer even if nothing was written. */
  attach(sender: Sender, opens: boolean): void {
    this.sender = sender;
    sender.observer = this;
    this.pump();
    this.flush();
    if (opens && !this.isEnded) sender.open();
  }

  /** The peer is asked to take the flow, unless it was. */
  open(): void {
    this.sender?.open();
  }

  /** Takes all the bytes, then calls back. One call at a time. */
  write(chunks: readonly Uint8Array[], callback: Callback): void {
    this.waiting = { chunks, chunk: 0, at: 0, callback };
    this.pump();
  }

  /** No more bytes follow those of the latest call of `write`. */
  end(): void {
    this.isEnded = true;
    this.flush();
  }

  /** The latest call of `write` will not be done. */
  fail(error: Error): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.callback(error);
  }

  onOpened(): void {
    this.events.onOpened();
  }

  onWritable(): void {
    this.pumpSoon();
  }

  onCredit(): void {
    if (this.waiting !== null) this.pumpIfLow();
  }

  onAck(): void {
    if (this.waiting !== null) this.pumpIfLow();
  }

  onRtt(): void {}

  onClosed(error: XpassError | null): void {
    this.events.onWriterClosed(error);
  }

  private pumpIfLow(): void {
    if (this.sender !== null && this.sender.unsentBytes <= LEAST_UNSENT_BYTES) this.pumpSoon();
  }

  /** The program's callbacks may do anything, so they do not run inside the host. */
  private pumpSoon(): void {
    if (this.isPumpSet) return;
    this.isPumpSet = true;
    process.nextTick(this.pumpNow);
  }

  private readonly pumpNow = (): void => {
    this.isPumpSet = false;
    this.flush();
    this.pump();
  };

  private pump(): void {
    const { waiting, sender } = this;
    if (waiting === null || sender === null) return;
    while (waiting.chunk < waiting.chunks.length) if (!this.hasRoom(sender) || !this.copy(waiting)) return;
    this.waiting = null;
    if (!this.isFlushSet) {
      this.isFlushSet = true;
      process.nextTick(this.flushSoon);
    }
    waiting.callback();
  }

  /** Copies from the next chunk; false where the flow has no room. */
  private copy(waiting: Waiting): boolean {
    const chunk = waiting.chunks[waiting.chunk];
    if (waiting.at < chunk.length) {
      const count = this.slabs.append(chunk, waiting.at);
      waiting.at += count;
      if (count === 0) return this.flush();
    }
    if (waiting.at === chunk.length) {
      this.bytesWritten += chunk.length;
      waiting.chunk++;
      waiting.at = 0;
    }
    return true;
  }

  /** What is pending goes to the flow first, whose credits then say when there is room again. */
  private hasRoom(sender: Sender): boolean {
    if (sender.unsentBytes + this.slabs.pendingBytes < MOST_UNSENT_BYTES) return true;
    this.flush();
    return sender.unsentBytes < MOST_UNSENT_BYTES;
  }

  private readonly flushSoon = (): void => {
    this.isFlushSet = false;
    this.flush();
  };

  /** Gives the flow what was copied, and the end behind it; false where it takes nothing now. */
  private flush(): boolean {
    const { sender, slabs } = this;
    if (sender === null) return slabs.pendingBytes === 0;
    if (slabs.pendingBytes > 0) {
      if (!sender.write(slabs.pending)) return false;
      slabs.taken();
      slabs.acknowledged(sender.acknowledgedBytes);
    }
    if (this.isEnded && this.waiting === null) sender.end();
    return true;
  }
}
