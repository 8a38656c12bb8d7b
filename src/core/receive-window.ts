// Tested by test/core/receiver-window.test.ts and test/core/demand.test.ts
import { assert } from '../base/assert.js';
import * as layout from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import type { Reassembly } from './reassembly.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Data } = layout;

/** Credits that may be outstanding at most to repair a hole while what lies beyond it fills the window (ours; PROTOCOL §5.6 leaves it open). */
const REPAIR_CREDITS = 16;

/** In a CREDIT_REQUEST: that many bytes or more. PROTOCOL §3.1 */
const UNTOLD_BACKLOG = 0xffff_ffff;

/** Credits, where nobody knows how many: more than any flow has outstanding, and still a small integer. */
const NO_BOUND = 2 ** 30;
export const UNBOUNDED = NO_BOUND;

/**
 * What of a stream its receiver may ask for, and what of that there is.
 *
 * The window is flow control (PROTOCOL §5.6): what has arrived and is not released, holes included, and the credits outstanding, a full frame each, fit into it. Nothing beyond its end is
 * taken, so it bounds what flow and reader hold, whatever the peer does.
 *
 * The demand is the missing part of what the sender has said that it has (PROTOCOL §4.8): no more credits are needed than that takes. A flow of 8 bytes was issued 3.4 credits without it
 * (docs/PERF-LOG.md), each a frame for the receiver to send, the sender to count and the network to meter.
 */
export class ReceiveWindow {
  private readonly reassembly: Reassembly;
  private readonly windowBytes: number;
  private payloadBytes = 0;
  private readerBytes = 0;
  /** The sender has said that it has the bytes before this offset, and whether it has more than those. */
  private toldEnd = 0;
  private hasUntold = false;

  constructor(reassembly: Reassembly, windowBytes: number) {
    this.reassembly = reassembly;
    this.windowBytes = windowBytes;
  }

  /** The flow's frames have at most `frameBytes`. */
  setFrameBytes(frameBytes: number): void {
    this.payloadBytes = frameBytes - Data.overheadBytes;
  }

  /** What a full frame of the flow carries. */
  get fullPayloadBytes(): number {
    return this.payloadBytes;
  }

  /** Bytes that wait for a hole to close or for the reader. */
  get heldBytes(): number {
    return this.readerBytes + this.reassembly.heldBytes;
  }

  /** The offset that no byte reaches yet. */
  get end(): number {
    return this.reassembly.nextOffset - this.readerBytes + this.windowBytes;
  }

  /** The reader has been given `bytes` more. */
  deliver(bytes: number): void {
    this.readerBytes += bytes;
  }

  /** The reader is done with `bytes`. */
  release(bytes: number): void {
    assert(bytes >= 0 && bytes <= this.readerBytes, 'released more than was delivered');
    this.readerBytes -= bytes;
  }

  /**
   * Credits that may be outstanding: as many as full frames fit in beyond all that has arrived, or else for what is missing before it. Without the second
   * a hole could fill the window and never be repaired.
   */
  get credits(): number {
    const { payloadBytes, end } = this;
    const { nextOffset, highestEnd } = this.reassembly;
    const forNew = Math.max(0, Math.floor((end - highestEnd) / payloadBytes));
    if (forNew >= REPAIR_CREDITS || highestEnd === nextOffset) return forNew;
    const missing = Math.ceil((highestEnd - nextOffset - this.reassembly.heldBytes) / payloadBytes);
    const forRepair = Math.min(REPAIR_CREDITS, missing, Math.floor((end - nextOffset) / payloadBytes));
    return Math.max(forNew, forRepair);
  }

  /** The reader is slow: there would be no room even if no credit were outstanding. */
  get isPaused(): boolean {
    return this.readerBytes > 0 && this.reassembly.highestEnd + this.payloadBytes > this.end;
  }

  /** Credits begin, or begin again: what the sender said before counts no more. */
  restartDemand(): void {
    this.toldEnd = 0;
    this.hasUntold = false;
  }

  /** A CREDIT_REQUEST says that the flow has sent as far as `sentOffset` (32-bit) and has `backlog` bytes to send. One that was overtaken takes nothing back. */
  tellDemand(sentOffset: number, backlog: number): void {
    if (backlog === UNTOLD_BACKLOG) this.tellMore();
    else this.toldEnd = Math.max(this.toldEnd, widen(sentOffset, this.reassembly.nextOffset) + backlog);
  }

  /** A DATA frame with MORE: there are bytes beyond those told of, nobody knows how many. */
  tellMore(): void {
    this.hasUntold = true;
  }

  /** Credits that the missing bytes take; every hole ends with a frame that is not full. UNBOUNDED while no end is known. */
  get demandCredits(): number {
    if (this.hasUntold) return NO_BOUND;
    const { ranges, nextOffset, heldBytes } = this.reassembly;
    const missingBytes = this.toldEnd - nextOffset - heldBytes;
    return missingBytes <= 0 ? 0 : Math.min(NO_BOUND, Math.ceil(missingBytes / this.payloadBytes) + ranges.count);
  }
}
