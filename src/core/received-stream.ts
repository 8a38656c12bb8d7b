// Tested by test/core/receiver-data.test.ts and test/core/receiver-window.test.ts
import { dataPayloadBytes, flags } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import type { EndpointConfig } from './config.js';
import type { EndpointCounters } from './counters.js';
import { Delivery } from './delivery.js';
import type { Reassembly } from './reassembly.js';
import type { ReceiveWindow } from './receive-window.js';
import { StreamEnd } from './stream-end.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { DataFlag } = layout;

/** The bytes of one flow at its receiver, from its data frames to the reader, and where they end. */
export class ReceivedStream {
  readonly delivery: Delivery;
  readonly reassembly: Reassembly;
  readonly window: ReceiveWindow;
  private readonly end = new StreamEnd();
  private endTold = false;

  constructor(config: EndpointConfig, counters: EndpointCounters) {
    this.delivery = new Delivery(config.receiveWindowBytes, counters);
    this.reassembly = this.delivery.reassembly;
    this.window = this.delivery.window;
  }

  /** Full frames that wait in the reorder buffer, a part of one counted whole; 0: no byte is missing before some that arrived. */
  get disorder(): number {
    const { ranges } = this.reassembly;
    return ranges.count === 0 ? 0 : Math.ceil(ranges.totalBytes / this.window.fullPayloadBytes);
  }

  /** All bytes of the stream have arrived, as far as is known. */
  get hasEverything(): boolean {
    return this.end.isReached(this.reassembly.nextOffset);
  }

  /** All bytes have arrived, and the sender has closed: PROTOCOL §3.6. */
  get isComplete(): boolean {
    return this.end.finSeen && this.hasEverything;
  }

  /** Takes the payload of a DATA frame, which begins at `offset`. False where it contradicts what is known of the stream's length: nothing is taken. */
  take(frame: Frame, offset: number): boolean {
    const end = offset + dataPayloadBytes(frame);
    if ((flags(frame.bytes) & DataFlag.end) !== 0) {
      if (!this.end.accepts(end, this.reassembly.highestEnd)) return false;
      this.end.set(end);
    } else if (!this.end.allows(end)) return false;
    this.delivery.take(frame, offset);
    return true;
  }

  /** The sender has closed after `finalOffset` bytes. False where that contradicts what is known. */
  finish(finalOffset: number): boolean {
    if (!this.end.accepts(finalOffset, this.reassembly.highestEnd)) return false;
    this.end.set(finalOffset);
    this.end.finSeen = true;
    return true;
  }

  /** Tells the reader, once, when it has had all bytes. */
  tellEnd(): void {
    if (this.endTold || !this.hasEverything) return;
    this.endTold = true;
    this.delivery.reader?.onEnd();
  }
}
