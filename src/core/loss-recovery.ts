import { RangeSet } from '../base/range-set.js';

/** Ranges that one flow keeps at most, lost or repaired; what does not fit is found again in a later ACK. PROTOCOL §6.6 */
const MAX_RANGES = 1_024;

/** Frames sent from the first to the last of those whose repairs are kept as one range: 1,024 ranges hold as many as a flow has credits (ours). */
const MERGE_FRAMES = 16;

/** Frames sent after a repair and known to have arrived before it is lost itself. PROTOCOL §5.2, as of a hole */
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

/**
 * The sender's list of lost bytes and of those that it has sent again. Holes come from the receiver's ACKs; this decides which of them are losses
 * (PROTOCOL §5.2) and hands them out for repair (PROTOCOL §5.3). A flow that loses nothing never allocates here.
 */
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
    this.takenBytes = end - start;
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
