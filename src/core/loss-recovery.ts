import { RangeSet } from '../base/range-set.js';
import * as time from '../base/time.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { MILLISECOND_NS } = time;

/** Ranges that one flow keeps at most, lost or repaired; what does not fit is found again in a later ACK. PROTOCOL §6.6 */
const MAX_RANGES = 1_024;

/** Repairs that follow each other within this time are kept as one: a tenth of the least retransmission time, and sixteen times fewer at 100 Mbit/s (ours). */
const MERGE_NS = 1 * MILLISECOND_NS;

/** A range that was sent again. */
interface Repair {
  start: number;
  end: number;
  firstSentNs: number;
  lastSentNs: number;
  /** Number of the latest probe when it was sent: an ACK of a later probe speaks of this repair too. */
  probe: number;
}

/** What an ACK says about losses, in 53-bit offsets. */
export interface AckView {
  nowNs: number;
  /** Bytes before this may be taken as lost if they are in a hole. PROTOCOL §5.2 */
  lossBound: number;
  /** Latest probe that the ACK echoes; -1 where it echoes an older one. */
  probe: number;
  /** A repair younger than this is still on its way. */
  retransmitNs: number;
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
    if (this.repairs.length > 0) this.forgetRepairs(start, end);
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
      if (isPending(repair, view)) {
        this.markLost(from, repair.start);
        from = repair.end;
      }
    }
  }

  /** Takes the first lost bytes, `maxBytes` at most, for sending at `nowNs`; returns their offset or -1. Their number is `takenBytes`. */
  take(maxBytes: number, nowNs: number, probe: number): number {
    const start = this.takeLost(maxBytes);
    if (start < 0) return -1;
    const end = start + this.takenBytes;
    this.forgetRepairs(start, end);
    this.noteRepair({ start, end, firstSentNs: nowNs, lastSentNs: nowNs, probe });
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
      if (repair.lastSentNs - before.firstSentNs <= MERGE_NS) {
        before.end = repair.end;
        before.lastSentNs = repair.lastSentNs;
        return;
      }
    }
    if (this.repairs.length < MAX_RANGES) this.repairs.splice(index, 0, repair);
    else this.overflows++;
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

/** Whether a repair may still be on its way, as far as the ACK shows. PROTOCOL §5.2 */
function isPending(repair: Repair, view: AckView): boolean {
  return view.probe <= repair.probe && view.nowNs - repair.lastSentNs < view.retransmitNs;
}
