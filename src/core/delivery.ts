// Tested by test/core/receiver-data.test.ts and test/core/receiver-window.test.ts
import { dataPayloadAt, dataPayloadBytes } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import type { EndpointCounters } from './counters.js';
import type { FlowReader } from './flow-callbacks.js';
import * as reassembly from './reassembly.js';
import { type Outlet, Reassembly } from './reassembly.js';
import { ReceiveWindow } from './receive-window.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Placed } = reassembly;

/** The way of one flow's data from its frames to the reader: put in order, behind the receive window. */
export class Delivery implements Outlet {
  reader: FlowReader | null = null;
  readonly reassembly: Reassembly;
  readonly window: ReceiveWindow;
  /** A call of the reader's `onData` or `onLength` is under way. */
  isDelivering = false;
  private readonly counters: EndpointCounters;
  private isStopped = false;

  constructor(windowBytes: number, counters: EndpointCounters) {
    this.counters = counters;
    this.reassembly = new Reassembly(windowBytes, this);
    this.window = new ReceiveWindow(this.reassembly, windowBytes);
  }

  /** Takes the payload of a checked DATA frame, which begins at `offset` of the stream. What does not fit is counted and left. */
  take(frame: Frame, offset: number): void {
    const length = dataPayloadBytes(frame);
    const { reassembly, window } = this;
    this.isDelivering = true;
    const placed =
      frame.phantomBytes > 0
        ? reassembly.insertLength(offset, length, window.end)
        : reassembly.insert(offset, payloadOf(frame.bytes, dataPayloadAt(frame.bytes), length), window.end);
    this.isDelivering = false;
    if (placed === Placed.outsideWindow) this.counters.outsideWindow++;
    else if (placed === Placed.tooManyRanges) this.counters.tooManyRanges++;
  }

  /** Nothing goes to the reader any more. */
  stop(): void {
    this.isStopped = true;
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
}

/** The only thing that is made for each data frame. Not `subarray`, which takes 90 ns of Node's Buffer instead of 50. */
function payloadOf({ buffer, byteOffset }: Uint8Array, at: number, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + at, length);
}
