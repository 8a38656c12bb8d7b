import type { XpassError } from '../core/errors.js';
import type { FlowObserver, FlowWriter } from '../core/flow-callbacks.js';
import type { Sender } from './sender.js';
import { WriteSlabs } from './write-slabs.js';

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
