// Tested by test/core/sender-repair.test.ts
import { ackRangeCount, ackRangeEnd, ackRangeStart, flags } from '../wire/decode.js';
import * as layout from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { maxAckRanges } from './ack-ranges.js';
import type { AckView, LossRecovery } from './loss-recovery.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { AckFlag, Data } = layout;

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
  /** Frames of the flow are not taken to overtake each other by more than this; Infinity for not known. */
  reorderNs: number;
  /** Where frames of the flow take several paths: bytes before this were sent a retransmission time ago; -1 where they take one. */
  oldOffset: number;
}

/** Filled anew for every ACK of whichever flow. */
const ACK_VIEW: AckView = { nowNs: 0, lossBound: 0, probe: 0, retransmitNs: 0, isOrdered: true, reorderBytes: 0 };

/** What an ACK says of holes: nothing, something, or of bytes that were not sent. */
export const AckNews = { none: 0, holes: 1, invalid: 2 } as const;

/** A code of `AckNews`. */
export function newsOf(bytes: Uint8Array, { ackedOffset, sentOffset, probedOffset }: AckContext): number {
  if (highestEnd(bytes, ackedOffset) > sentOffset) return AckNews.invalid;
  return ackRangeCount(bytes) === 0 && probedOffset <= ackedOffset ? AckNews.none : AckNews.holes;
}

/** Reads the holes of an ACK and tells a flow's loss recovery which bytes are lost; the flow's frames have at most `frameBytes`. PROTOCOL §5.2 */
export function readHoles(bytes: Uint8Array, context: AckContext, recovery: LossRecovery, frameBytes: number): void {
  const { ackedOffset, probedOffset } = context;
  const count = ackRangeCount(bytes);
  const isSprayed = context.oldOffset >= 0;
  const view = ACK_VIEW;
  view.nowNs = context.nowNs;
  view.probe = isSprayed ? -1 : context.probe;
  view.retransmitNs = context.retransmitNs;
  view.isOrdered = !isSprayed;
  view.reorderBytes = REORDER_FRAMES * (frameBytes - Data.overheadBytes);
  recovery.shown(highestEnd(bytes, ackedOffset), context.nowNs, context.reorderNs);
  let beyondBytes = arrivedBytes(bytes, count);
  let from = ackedOffset;
  let isTold = (flags(bytes) & AckFlag.beyond) === 0;
  for (let index = 0; index < count; index++) {
    const start = widen(ackRangeStart(bytes, index), ackedOffset);
    const end = widen(ackRangeEnd(bytes, index), ackedOffset);
    if (isSprayed) view.lossBound = context.oldOffset;
    else view.lossBound = beyondBytes >= view.reorderBytes || recovery.agedEnd > start ? start : probedOffset;
    recovery.arrived(start, end);
    if (isTold) recovery.hole(from, start, view);
    isTold = true;
    beyondBytes -= end - start;
    from = end;
  }
  view.lossBound = isSprayed ? Math.min(probedOffset, context.oldOffset) : probedOffset;
  // A full list may have left out what arrived beyond it.
  if (count < maxAckRanges(frameBytes)) recovery.hole(from, probedOffset, view);
}

/** How far the bytes reach that an ACK shows. */
function highestEnd(bytes: Uint8Array, ackedOffset: number): number {
  const count = ackRangeCount(bytes);
  return count > 0 ? widen(ackRangeEnd(bytes, count - 1), ackedOffset) : ackedOffset;
}

/** Bytes in the ranges of an ACK. */
function arrivedBytes(bytes: Uint8Array, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += (ackRangeEnd(bytes, index) - ackRangeStart(bytes, index)) >>> 0;
  return sum;
}
