// Tested by test/core/sender-repair.test.ts
import { ackRangeCount, ackRangeEnd, ackRangeStart } from '../wire/decode.js';
import * as layout from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { maxAckRanges } from './ack-ranges.js';
import type { AckView, LossRecovery } from './loss-recovery.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { Data } = layout;

/** Full frames that arrive beyond a hole before it is taken as lost. PROTOCOL §5.2, after kPacketThreshold of RFC 9002 section 6.1.1 */
const REORDER_FRAMES = 3;

/** What the sender knows when an ACK comes, beside the ACK. */
export interface AckContext {
  nowNs: number;
  /** The cumulative offset of this ACK, and how far the flow has sent. */
  ackedOffset: number;
  sentOffset: number;
  /** Number of the latest probe, and how far the flow had sent with it, where the ACK repeats it; -1 and 0 where not. */
  probe: number;
  probedOffset: number;
  retransmitNs: number;
  /** Where frames of the flow take several paths: bytes before this were sent a retransmission time ago; -1 where they take one. */
  oldOffset: number;
}

/** Filled anew for every ACK of whichever flow. */
const ACK_VIEW: AckView = { nowNs: 0, lossBound: 0, probe: 0, retransmitNs: 0 };

/** Reads ACKs for holes and tells a flow's loss recovery which bytes are lost. PROTOCOL §5.2 */
export class LossDetector {
  private readonly recovery: LossRecovery;
  private readonly reorderBytes: number;
  private readonly maxRanges: number;

  constructor(recovery: LossRecovery, frameBytes: number) {
    this.recovery = recovery;
    this.reorderBytes = REORDER_FRAMES * (frameBytes - Data.overheadBytes);
    this.maxRanges = maxAckRanges(frameBytes);
  }

  /** False for an ACK that tells of bytes which were not sent. */
  examine(bytes: Uint8Array, context: AckContext): boolean {
    const { ackedOffset, probedOffset } = context;
    const count = ackRangeCount(bytes);
    const highest = count > 0 ? widen(ackRangeEnd(bytes, count - 1), ackedOffset) : ackedOffset;
    if (highest > context.sentOffset) return false;
    if (count === 0 && probedOffset <= ackedOffset) return true;
    const isSprayed = context.oldOffset >= 0;
    const view = ACK_VIEW;
    view.nowNs = context.nowNs;
    view.probe = isSprayed ? -1 : context.probe;
    view.retransmitNs = context.retransmitNs;
    let beyondBytes = arrivedBytes(bytes, count);
    let from = ackedOffset;
    for (let index = 0; index < count; index++) {
      const start = widen(ackRangeStart(bytes, index), ackedOffset);
      const end = widen(ackRangeEnd(bytes, index), ackedOffset);
      if (isSprayed) view.lossBound = context.oldOffset;
      else view.lossBound = beyondBytes >= this.reorderBytes ? start : probedOffset;
      this.recovery.arrived(start, end);
      this.recovery.hole(from, start, view);
      beyondBytes -= end - start;
      from = end;
    }
    view.lossBound = isSprayed ? Math.min(probedOffset, context.oldOffset) : probedOffset;
    // A full list may have left out what arrived beyond it.
    if (count < this.maxRanges) this.recovery.hole(from, probedOffset, view);
    return true;
  }
}

/** Bytes in the ranges of an ACK. */
function arrivedBytes(bytes: Uint8Array, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += (ackRangeEnd(bytes, index) - ackRangeStart(bytes, index)) >>> 0;
  return sum;
}
