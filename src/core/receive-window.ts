// Tested by test/core/receiver-window.test.ts
import { assert } from '../base/assert.js';
import * as layout from '../wire/layout.js';
import type { Reassembly } from './reassembly.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Data } = layout;

/** Credits that may be outstanding at most to repair a hole while what lies beyond it fills the window (ours; PROTOCOL §5.6 leaves it open). */
const REPAIR_CREDITS = 16;

/**
 * Flow control of one flow's receiver (PROTOCOL §5.6): what has arrived and is not released, holes included, and the credits outstanding, a full frame
 * each, fit into the window. Nothing beyond its end is taken, so it bounds what flow and reader hold, whatever the peer does.
 */
export class ReceiveWindow {
  private readonly reassembly: Reassembly;
  private readonly windowBytes: number;
  private payloadBytes = 0;
  private readerBytes = 0;

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
}
