// Tested by test/core/sender-repair.test.ts

import { RangeSet } from '../base/range-set.js';
import { ackRangeCount, ackRangeEnd, ackRangeStart, flags } from '../wire/decode.js';
import { AckFlag, Data } from '../wire/layout.js';
import { widen } from '../wire/serial.js';
import { maxAckRanges } from './ack-ranges.js';

/** Ranges that one flow keeps at most, lost or repaired; what does not fit is found again in a later ACK. PROTOCOL §6.6 */
const MAX_RANGES = 1_024;

/** Frames between the first and the last whose repairs share a range: 1,024 ranges hold as many as a flow has credits. */
const MERGE_FRAMES = 16;

/** Full frames that arrive beyond a hole, or after a repair, before it is lost. PROTOCOL §5.2, kPacketThreshold of RFC 9002 section 6.1.1 */
const REORDER_FRAMES = 3;

/** What is known of a repair when it goes out. */
export interface Sending {
  nowNs: number;
  /** Number of the latest probe: an ACK of a later probe speaks of this repair too. */
  probe: number;
  /** Data frames of the flow before it. */
  frame: number;
  /** How far the flow had sent for the first time. */
  sentOffset: number;
}

/** A range that was sent again. */
interface Repair {
  start: number;
  end: number;
  probe: number;
  /** Of the first and of the last of its frames. */
  firstFrame: number;
  lastFrame: number;
  /** Of the last. */
  lastSentNs: number;
  sentOffset: number;
}

/** What an ACK says about losses, in 53-bit offsets. */
export interface AckView {
  nowNs: number;
  /** Bytes before this may be taken as lost if they are in a hole. PROTOCOL §5.2 */
  lossBound: number;
  /** Latest probe that the ACK echoes; -1 where it echoes an older one. */
  probe: number;
  /** A repair younger than this is still on its way, unless what was sent later has arrived. */
  retransmitNs: number;
  /** Frames of the flow take one path: what has overtaken a repair tells of it. */
  isOrdered: boolean;
  /** What a frame may be overtaken by. */
  reorderBytes: number;
}

/** A sender's lost and repaired ranges: decides which holes in ACKs are losses (PROTOCOL §5.2), hands them out for repair (§5.3). */
export class LossRecovery {
  private readonly lost = new RangeSet(MAX_RANGES);
  /** Ascending and disjoint: the latest sending of each byte. */
  private readonly repairs: Repair[] = [];
  /** Bytes taken as lost so far. */
  lostBytes = 0;
  /** Ranges that were not kept because there were too many. */
  overflows = 0;
  /** Length of the range that `take` returned last. */
  takenBytes = 0;
  /** How far the bytes reach that have arrived, as far as ACKs have shown; and the latest repair that has, by its frame. */
  private shownEnd = 0;
  private arrivedFrame = -1;
  /** The same at the time `markNs`, and a reordering window ago or longer. */
  private markNs = Number.NEGATIVE_INFINITY;
  private markEnd = 0;
  private markFrame = -1;
  private agedFrame = -1;
  agedEnd = 0;

  get hasLosses(): boolean {
    return this.lost.count > 0;
  }

  /** Bytes that wait for repair. */
  get backlogBytes(): number {
    return this.lost.totalBytes;
  }

  /** Ranges kept, lost and repaired. */
  get rangeCount(): number {
    return this.lost.count + this.repairs.length;
  }

  /** Every byte before `offset` has arrived. */
  acknowledge(offset: number): void {
    this.arrived(0, offset);
  }

  /** A range has arrived. */
  arrived(start: number, end: number): void {
    if (this.lost.count > 0 && this.lost.remove(start, end) < 0) this.overflows++;
    if (this.repairs.length > 0) this.repairsArrived(start, end);
  }

  /** An ACK shows bytes as far as `end`; `reorderNs`: the reordering window. */
  shown(end: number, nowNs: number, reorderNs: number): void {
    this.shownEnd = Math.max(this.shownEnd, end);
    if (nowNs - this.markNs < reorderNs) return;
    this.agedEnd = this.markEnd;
    this.agedFrame = this.markFrame;
    this.markNs = nowNs;
    this.markEnd = this.shownEnd;
    this.markFrame = this.arrivedFrame;
  }

  /** The ACK shows that [start, end) has not arrived. */
  hole(start: number, end: number, view: AckView): void {
    const limit = Math.min(end, view.lossBound);
    let from = start;
    for (let index = this.firstRepairAfter(start); from < limit; index++) {
      const repair = this.repairs[index];
      if (repair === undefined || repair.start >= limit) {
        this.markLost(from, limit);
        return;
      }
      if (this.isPending(repair, view)) {
        this.markLost(from, repair.start);
        from = repair.end;
      }
    }
  }

  /** Takes the first lost bytes, `maxBytes` at most, for this sending; returns their offset or -1. Their number is `takenBytes`. */
  take(maxBytes: number, { nowNs, probe, frame, sentOffset }: Sending): number {
    const start = this.takeLost(maxBytes);
    if (start < 0) return -1;
    const end = start + this.takenBytes;
    this.forgetRepairs(start, end);
    this.noteRepair({ start, end, probe, firstFrame: frame, lastFrame: frame, lastSentNs: nowNs, sentOffset });
    return start;
  }

  /** The same for a flow that remembers its frames itself: none of its repairs is noted here. */
  takeLost(maxBytes: number): number {
    if (this.lost.count === 0) return -1;
    const start = this.lost.firstStart;
    const end = Math.min(this.lost.firstEnd, start + maxBytes);
    this.lost.remove(start, end);
    // A small integer to V8 as well, or the first loss makes it compile anew all that handles frames.
    this.takenBytes = (end - start) | 0;
    return start;
  }

  /** [start, end) is lost. False where there is no room to note it. */
  lose(start: number, end: number): boolean {
    const overflowsBefore = this.overflows;
    this.markLost(start, end);
    return this.overflows === overflowsBefore;
  }

  private markLost(start: number, end: number): void {
    const added = this.lost.add(start, end);
    if (added < 0) this.overflows++;
    else this.lostBytes += added;
  }

  private noteRepair(repair: Repair): void {
    const index = this.firstRepairAfter(repair.start);
    const before = index > 0 ? this.repairs[index - 1] : undefined;
    if (before !== undefined && before.end === repair.start && before.probe === repair.probe) {
      if (repair.lastFrame - before.firstFrame < MERGE_FRAMES) {
        before.end = repair.end;
        before.lastFrame = repair.lastFrame;
        before.lastSentNs = repair.lastSentNs;
        before.sentOffset = repair.sentOffset;
        return;
      }
    }
    if (this.repairs.length < MAX_RANGES) this.repairs.splice(index, 0, repair);
    else this.overflows++;
  }

  /** Which of the frames of a repair has arrived is not known, so it counts as the first of them. */
  private repairsArrived(start: number, end: number): void {
    const { repairs } = this;
    for (let index = this.firstRepairAfter(start); index < repairs.length && repairs[index].start < end; index++)
      this.arrivedFrame = Math.max(this.arrivedFrame, repairs[index].firstFrame);
    this.forgetRepairs(start, end);
  }

  /** Whether a repair may still be on its way, as far as the ACK shows. PROTOCOL §5.2 */
  private isPending(repair: Repair, view: AckView): boolean {
    if (view.probe > repair.probe || view.nowNs - repair.lastSentNs >= view.retransmitNs) return false;
    if (!view.isOrdered) return true;
    if (this.agedEnd > repair.sentOffset || this.agedFrame > repair.lastFrame) return false;
    const isPassed = this.shownEnd - repair.sentOffset >= view.reorderBytes;
    return !isPassed && this.arrivedFrame - repair.lastFrame < REORDER_FRAMES;
  }

  /** Takes [start, end) out of the repairs. */
  private forgetRepairs(start: number, end: number): void {
    const { repairs } = this;
    const first = this.firstRepairAfter(start);
    let after = first;
    while (after < repairs.length && repairs[after].start < end) after++;
    if (first === after) return;
    const kept: Repair[] = [];
    if (repairs[first].start < start) kept.push({ ...repairs[first], end: start });
    if (repairs[after - 1].end > end) kept.push({ ...repairs[after - 1], start: end });
    if (kept.length > after - first && repairs.length >= MAX_RANGES) {
      kept.pop();
      this.overflows++;
    }
    repairs.splice(first, after - first, ...kept);
  }

  /** Index of the first repair that ends after `offset`. */
  private firstRepairAfter(offset: number): number {
    let low = 0;
    let high = this.repairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.repairs[middle].end > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

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
