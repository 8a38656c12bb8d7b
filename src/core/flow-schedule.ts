import { DeadlineHeap } from '../base/deadline-heap.js';
import { NEVER } from '../base/time.js';

const NONE = -1;

/**
 * At most one deadline for each of a host's flows, by their slots; equal ones in the order in which they were set. Most hosts of a simulation have one flow, and
 * many a program too: its deadline stands here alone, and the heap is made with the second (measured: see docs/PERF-LOG.md).
 */
export class FlowSchedule {
  /** Where the earliest deadline stands; NEVER when there is none. */
  private readonly numbers: Float64Array;
  private readonly at: number;
  /** The flow of the earliest deadline. */
  private firstSlot = NONE;
  /** Holds all deadlines while there are several; what stands above is its top then. */
  private heap: DeadlineHeap | null = null;
  private isHeaped = false;

  /** The place `at` of `numbers` is its own. */
  constructor(numbers: Float64Array, at: number) {
    this.numbers = numbers;
    this.at = at;
    numbers[at] = NEVER;
  }

  /** The slot with the earliest deadline; -1 when there is none. */
  get slot(): number {
    return this.firstSlot;
  }

  /** The earliest deadline; NEVER when there is none. */
  get deadlineNs(): number {
    return this.numbers[this.at];
  }

  /** Inserts or moves; NEVER removes. */
  set(slot: number, deadlineNs: number): void {
    if (this.isHeaped || (this.firstSlot !== slot && this.firstSlot !== NONE)) this.setAmongMany(slot, deadlineNs);
    else {
      this.numbers[this.at] = deadlineNs;
      this.firstSlot = deadlineNs === NEVER ? NONE : slot;
    }
  }

  /** Of the flow in `slot`; NEVER when it has none. */
  deadlineOf(slot: number): number {
    if (this.isHeaped) return (this.heap as DeadlineHeap).deadlineOf(slot);
    return this.firstSlot === slot ? this.deadlineNs : NEVER;
  }

  /** Inserts, or moves to an earlier time. Does the comparison itself: a deadline that is handed out is a number on the heap, for each packet. */
  bringForward(slot: number, deadlineNs: number): void {
    if (this.firstSlot === slot ? deadlineNs < this.numbers[this.at] : deadlineNs < this.deadlineOf(slot))
      this.set(slot, deadlineNs);
  }

  remove(slot: number): void {
    if (this.isHeaped || this.firstSlot === slot) this.set(slot, NEVER);
  }

  private setAmongMany(slot: number, deadlineNs: number): void {
    if (deadlineNs === NEVER && !this.isHeaped) return;
    this.heap ??= new DeadlineHeap();
    const { heap } = this;
    if (!this.isHeaped) heap.set(this.firstSlot, this.deadlineNs);
    heap.set(slot, deadlineNs);
    this.isHeaped = heap.size > 0;
    this.numbers[this.at] = heap.peekDeadline();
    this.firstSlot = heap.peekSlot();
  }
}
