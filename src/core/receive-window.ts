// Tested by test/core/receiver-window.test.ts and test/core/demand.test.ts
import { assert } from '../base/assert.js';
import { Data } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { HeldMemory } from './held-memory.js';
import type { Reassembly } from './reassembly.js';

/** Outstanding credits to repair a hole while data beyond it fills the window. Ours; PROTOCOL §5.6 leaves it open. */
const REPAIR_CREDITS = 16;

/** In a CREDIT_REQUEST: that many bytes or more. PROTOCOL §3.1 */
const UNTOLD_BACKLOG = 0xffff_ffff;

/** Where flows count that are over. */
const NOBODYS = new HeldMemory(Number.POSITIVE_INFINITY);

/** Credits without a bound: more than any flow has outstanding, and a small integer. */
export const UNBOUNDED = 2 ** 30;

/**
 * What of a stream its receiver may ask for, and what of that there is.
 *
 * The window is flow control (PROTOCOL §5.6): bytes that arrived and are not released, holes included, and the outstanding credits, a full frame each, fit
 * into it. Nothing beyond its end is taken, so it bounds what flow and reader hold.
 *
 * The demand is the missing part of what the sender said it has (PROTOCOL §4.8): no more credits are needed. Without it a flow of 8 bytes was issued 3.4
 * credits (docs/PERF-LOG.md).
 */
export class ReceiveWindow {
  private readonly reassembly: Reassembly;
  private readonly windowBytes: number;
  private payloadBytes = 0;
  /** What the sender's path carries of that. */
  private pathPayloadBytes = 0;
  private readerBytes = 0;
  /** The sender has said that it has the bytes before this offset, and whether it has more than those. */
  private toldEnd = 0;
  private hasUntold = false;

  private held: HeldMemory;

  /** `held`: of all flows of a host together. */
  constructor(reassembly: Reassembly, windowBytes: number, held = new HeldMemory(Number.POSITIVE_INFINITY)) {
    this.held = held;
    this.reassembly = reassembly;
    this.windowBytes = windowBytes;
  }

  /** The flow's frames have at most `frameBytes`. */
  setFrameBytes(frameBytes: number): void {
    this.payloadBytes = this.pathPayloadBytes = frameBytes - Data.overheadBytes;
  }

  /** Frames are shorter for the time being: `frameBytes`; 0 for not. PROTOCOL §4.8 */
  setPathFrameBytes(frameBytes: number): void {
    const isShorter = frameBytes > Data.overheadBytes && frameBytes - Data.overheadBytes < this.payloadBytes;
    this.pathPayloadBytes = isShorter ? frameBytes - Data.overheadBytes : this.payloadBytes;
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
    this.held.readerBytes += bytes;
  }

  /** The reader is done with `bytes`. */
  release(bytes: number): void {
    assert(bytes >= 0 && bytes <= this.readerBytes, 'released more than was delivered');
    this.readerBytes -= bytes;
    this.held.readerBytes -= bytes;
  }

  /** The flow is over: what its reader still has counts no more. */
  letGo(): void {
    this.held.readerBytes -= this.readerBytes;
    this.held = NOBODYS;
  }

  /**
   * Credits that may be outstanding: for full frames beyond all that arrived, or else for the missing ones before. Otherwise a hole that fills the window
   * would never be repaired.
   */
  get credits(): number {
    const { payloadBytes, pathPayloadBytes, end } = this;
    const { nextOffset, highestEnd } = this.reassembly;
    const isShort = this.held.isShort(this.readerBytes + this.reassembly.heldBytes);
    const forNew = isShort ? 0 : Math.max(0, Math.floor((end - highestEnd) / payloadBytes));
    if (forNew >= REPAIR_CREDITS || highestEnd === nextOffset) return forNew;
    const missing = Math.ceil((highestEnd - nextOffset - this.reassembly.heldBytes) / pathPayloadBytes);
    const forRepair = Math.min(REPAIR_CREDITS, missing, Math.floor((end - nextOffset) / payloadBytes));
    return Math.max(forNew, forRepair);
  }

  /** The reader is slow: there would be no room even if no credit were outstanding. */
  get isPaused(): boolean {
    return this.readerBytes > 0 && this.reassembly.highestEnd + this.payloadBytes > this.end;
  }

  /** Credits stop: what the sender said before counts no more. What data says from now on may have overtaken the next request. */
  restartDemand(): void {
    this.toldEnd = 0;
    this.hasUntold = false;
  }

  /** A CREDIT_REQUEST: the flow has sent up to `sentOffset` (32-bit) and has `backlog` bytes more. A request that data overtook takes nothing back. */
  tellDemand(sentOffset: number, backlog: number): void {
    if (backlog === UNTOLD_BACKLOG) {
      this.tellMore();
      return;
    }
    const sentEnd = widen(sentOffset, this.reassembly.nextOffset);
    this.toldEnd = Math.max(this.toldEnd, sentEnd + backlog);
    if (sentEnd >= this.reassembly.highestEnd) this.hasUntold = false;
  }

  /** A DATA frame with MORE: there are bytes beyond those told of, nobody knows how many. */
  tellMore(): void {
    this.hasUntold = true;
  }

  /** Credits that the missing bytes take; every hole ends with a frame that is not full. UNBOUNDED while no end is known. */
  get demandCredits(): number {
    if (this.hasUntold) return UNBOUNDED;
    const { ranges, nextOffset, heldBytes } = this.reassembly;
    const missingBytes = this.toldEnd - nextOffset - heldBytes;
    return missingBytes <= 0 ? 0 : Math.min(UNBOUNDED, Math.ceil(missingBytes / this.pathPayloadBytes) + ranges.count);
  }
}
