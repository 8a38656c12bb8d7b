import { RangeSet } from '../base/range-set.js';

/** Ranges that one flow keeps at most, lost or repaired; what does not fit is found again in a later ACK. PROTOCOL §6.6 */
const MAX_RANGES = 1_024;

/** A range that was sent again. */
interface Repair {
  start: number;
  end: number;
  sentNs: number;
  /** Number of the latest probe when it was sent: an ACK of a later probe speaks of this repair too. */
  probe: number;
}

/** What an ACK says about losses, in 53-bit offsets. */
export interface AckView {
  nowNs: number;
  /** Bytes before this may be taken as lost if they are in a hole. PROTOCOL §5.2 */
  lossBound: number;
  /** Latest probe that the ACK echoes. */
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
  private repairs: Repair[] = [];
  /** Bytes taken as lost so far. */
  lostBytes = 0;
  /** Ranges that were not kept because there were too many. */
  overflows = 0;

  get hasLosses(): boolean {
    return this.lost.count > 0;
  }

  /** Bytes that wait for repair. */
  get backlogBytes(): number {
    return this.lost.totalBytes;
  }

  /** Every byte before `offset` has arrived. */
  acknowledge(offset: number): void {
    if (this.lost.count > 0) this.lost.remove(0, offset);
    if (this.repairs.length > 0) this.repairs = this.repairs.filter((repair) => repair.end > offset);
  }

  /** A range beyond the cumulative offset has arrived. */
  arrived(start: number, end: number): void {
    if (this.lost.count > 0) this.lost.remove(start, end);
    if (this.repairs.length > 0)
      this.repairs = this.repairs.filter((repair) => repair.start < start || repair.end > end);
  }

  /** The ACK shows that [start, end) has not arrived. */
  hole(start: number, end: number, view: AckView): void {
    const limit = Math.min(end, view.lossBound);
    let from = start;
    while (from < limit) {
      const repair = this.pendingRepairAt(from, view);
      if (repair !== null) {
        from = repair.end;
        continue;
      }
      const to = Math.min(limit, this.nextPendingRepair(from, view));
      this.markLost(from, to);
      from = to;
    }
  }

  /** Takes the first lost bytes, `maxBytes` at most, for sending at `nowNs`; returns their offset or -1. Their number is `takenBytes`. */
  take(maxBytes: number, nowNs: number, probe: number): number {
    if (this.lost.count === 0) return -1;
    const start = this.lost.firstStart;
    const end = Math.min(this.lost.firstEnd, start + maxBytes);
    this.lost.remove(start, end);
    if (this.repairs.length < MAX_RANGES) this.repairs.push({ start, end, sentNs: nowNs, probe });
    this.takenBytes = end - start;
    return start;
  }

  /** Length of the range that `take` returned last. */
  takenBytes = 0;

  private markLost(start: number, end: number): void {
    const added = this.lost.add(start, end);
    if (added < 0) this.overflows++;
    else this.lostBytes += added;
  }

  private isPending(repair: Repair, view: AckView): boolean {
    return view.probe <= repair.probe && view.nowNs - repair.sentNs < view.retransmitNs;
  }

  private pendingRepairAt(offset: number, view: AckView): Repair | null {
    for (const repair of this.repairs) {
      if (repair.start <= offset && offset < repair.end && this.isPending(repair, view)) return repair;
    }
    return null;
  }

  private nextPendingRepair(offset: number, view: AckView): number {
    let next = Number.POSITIVE_INFINITY;
    for (const repair of this.repairs) {
      if (repair.start > offset && repair.start < next && this.isPending(repair, view)) next = repair.start;
    }
    return next;
  }
}
