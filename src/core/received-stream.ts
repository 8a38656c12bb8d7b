import { dataPayloadAt, dataPayloadBytes, flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { DataFlag } from '../wire/layout.js';
import type { EndpointCounters } from './counters.js';
import type { FlowReader } from './flow-callbacks.js';
import { HeldMemory } from './held-memory.js';
import { type Outlet, Placed, Reassembly } from './reassembly.js';
import { ReceiveWindow } from './receive-window.js';

/** Value of `end` before END or FIN has told it. */
const NOT_TOLD = -1;

/**
 * One flow's bytes at its receiver, from data frames to the reader: puts them in order, bounds them by the receive window, and knows where they end.
 * Offsets are 53-bit.
 */
export class ReceivedStream implements Outlet {
  reader: FlowReader | null = null;
  readonly reassembly: Reassembly;
  readonly window: ReceiveWindow;
  /** A call of the reader's `onData` or `onLength` is under way. */
  isDelivering = false;
  private readonly counters: EndpointCounters;
  private isStopped = false;
  /** The length, once END or FIN has told it. */
  private end = NOT_TOLD;
  private endTold = false;
  /** The sender has closed: PROTOCOL §3.6. */
  private finSeen = false;

  /** `held`: of all flows of a host together. */
  constructor(windowBytes: number, counters: EndpointCounters, held = new HeldMemory(Number.POSITIVE_INFINITY)) {
    this.counters = counters;
    this.reassembly = new Reassembly(windowBytes, this, held);
    this.window = new ReceiveWindow(this.reassembly, windowBytes, held);
  }

  /** Full frames in the reorder buffer, rounded up; 0 if no byte is missing. */
  get disorder(): number {
    const { ranges } = this.reassembly;
    return ranges.count === 0 ? 0 : Math.ceil(ranges.totalBytes / this.window.fullPayloadBytes);
  }

  /** All bytes of the stream have arrived, as far as is known. */
  get hasEverything(): boolean {
    return this.reassembly.nextOffset === this.end;
  }

  /** All bytes have arrived, and the sender has closed: PROTOCOL §3.6. */
  get isComplete(): boolean {
    return this.finSeen && this.hasEverything;
  }

  /**
   * Takes the payload of a checked DATA frame at `offset`; counts and drops what does not fit. False, and nothing is taken, if the frame contradicts the known
   * length of the stream.
   */
  take(frame: Frame, offset: number): boolean {
    const end = offset + dataPayloadBytes(frame);
    if ((flags(frame.bytes) & DataFlag.end) !== 0) {
      if (!this.mayEndAt(end)) return false;
      this.end = end;
    } else if (this.end !== NOT_TOLD && end > this.end) return false;
    this.place(frame, offset);
    return true;
  }

  /** The sender has closed after `finalOffset` bytes. False where that contradicts what is known. */
  finish(finalOffset: number): boolean {
    if (!this.mayEndAt(finalOffset)) return false;
    this.end = finalOffset;
    this.finSeen = true;
    return true;
  }

  /** Tells the reader, once, when it has had all bytes. */
  tellEnd(): void {
    if (this.endTold || !this.hasEverything) return;
    this.endTold = true;
    this.reader?.onEnd();
  }

  /** Nothing goes to the reader any more. */
  stop(): void {
    this.isStopped = true;
    this.reassembly.clear();
    this.window.letGo();
  }

  /** The reader may close the flow in the middle of what a repair set free. */
  onBytes(bytes: Uint8Array): void {
    if (this.isStopped) return;
    this.window.deliver(bytes.length);
    this.reader?.onData(bytes);
  }

  onLength(length: number): void {
    if (this.isStopped) return;
    this.window.deliver(length);
    this.reader?.onLength?.(length);
  }

  /** Whether END or FIN may say so: the same as before, and nothing has arrived beyond. */
  private mayEndAt(offset: number): boolean {
    return this.end === NOT_TOLD ? offset >= this.reassembly.highestEnd : offset === this.end;
  }

  private place(frame: Frame, offset: number): void {
    const length = dataPayloadBytes(frame);
    const { reassembly, window } = this;
    this.isDelivering = true;
    const placed =
      frame.phantomBytes > 0
        ? reassembly.insertLength(offset, length, window.end)
        : reassembly.insert(offset, frame.part(dataPayloadAt(frame.bytes), length), window.end);
    this.isDelivering = false;
    if (placed === Placed.outsideWindow) this.counters.outsideWindow++;
    else if (placed === Placed.tooManyRanges) this.counters.tooManyRanges++;
    else if (placed === Placed.noRoom) this.counters.noRoomBeyondHole++;
  }
}
