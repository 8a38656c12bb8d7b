import { DeadlineHeap } from '../base/deadline-heap.js';
import { NEVER } from '../base/time.js';

const NONE = -1;

/** Behind the earliest deadline stand its flow's slot, and whether a heap holds the deadlines. */
const SLOT = 1;
const HEAPED = 2;
/** Places that a schedule takes. */
export const SCHEDULE_NUMBERS = 3;

/**
 * At most one deadline for each of a host's flows, by slot; equal ones in the order in which they were set. Most hosts have one flow: its deadline stands
 * alone in the host's record, where `moveAlone` and `isNoEarlier` find it. The heap is made with the second (measured: docs/PERF-LOG.md).
 */
export class FlowSchedule {
  /** Where the earliest deadline stands; NEVER when there is none. */
  private readonly numbers: Float64Array;
  private readonly at: number;
  /** Holds all deadlines while there are several; what stands in the record is its top then. */
  private heap: DeadlineHeap | null = null;

  /** SCHEDULE_NUMBERS places from `at` on are its own. */
  constructor(numbers: Float64Array, at: number) {
    this.numbers = numbers;
    this.at = at;
    numbers[at] = NEVER;
    numbers[at + SLOT] = NONE;
    numbers[at + HEAPED] = 0;
  }

  /** The slot with the earliest deadline; -1 when there is none. */
  get slot(): number {
    return this.numbers[this.at + SLOT] | 0;
  }

  /** The earliest deadline; NEVER when there is none. */
  get deadlineNs(): number {
    return this.numbers[this.at];
  }

  /** Inserts or moves; NEVER removes. */
  set(slot: number, deadlineNs: number): void {
    const { slot: first } = this;
    if (this.isHeaped || (first !== slot && first !== NONE)) this.setAmongMany(slot, deadlineNs);
    else {
      this.numbers[this.at] = deadlineNs;
      this.numbers[this.at + SLOT] = deadlineNs === NEVER ? NONE : slot;
    }
  }

  /** Deadline of the flow in `slot`; NEVER when it has none. */
  deadlineOf(slot: number): number {
    if (this.isHeaped) return (this.heap as DeadlineHeap).deadlineOf(slot);
    return this.slot === slot ? this.deadlineNs : NEVER;
  }

  /** Inserts, or moves to an earlier time. Does the comparison itself: a deadline that is handed out is a number on the heap, for each packet. */
  bringForward(slot: number, deadlineNs: number): void {
    if (this.slot === slot ? deadlineNs < this.numbers[this.at] : deadlineNs < this.deadlineOf(slot))
      this.set(slot, deadlineNs);
  }

  remove(slot: number): void {
    if (this.isHeaped || this.slot === slot) this.set(slot, NEVER);
  }

  private get isHeaped(): boolean {
    return this.numbers[this.at + HEAPED] !== 0;
  }

  private setAmongMany(slot: number, deadlineNs: number): void {
    if (deadlineNs === NEVER && !this.isHeaped) return;
    this.heap ??= new DeadlineHeap();
    const { heap, numbers, at } = this;
    if (!this.isHeaped) heap.set(this.slot, this.deadlineNs);
    heap.set(slot, deadlineNs);
    numbers[at + HEAPED] = +(heap.size > 0);
    numbers[at] = heap.peekDeadline();
    numbers[at + SLOT] = heap.peekSlot();
  }
}

/** The slot with the earliest deadline of the schedule at a place. */
export function firstSlot(numbers: Float64Array, at: number): number {
  return numbers[at + SLOT] | 0;
}

/** Moves the deadline of `slot` to a time if it is the only one; false if it is not, and nothing is done. */
export function moveAlone(numbers: Float64Array, at: number, slot: number, deadlineNs: number): boolean {
  if (numbers[at + HEAPED] !== 0 || numbers[at + SLOT] !== slot || deadlineNs === NEVER) return false;
  numbers[at] = deadlineNs;
  return true;
}

/** The earliest deadline is that of `slot`, and `deadlineNs` is no earlier: there is nothing to bring forward. */
export function isNoEarlier(numbers: Float64Array, at: number, slot: number, deadlineNs: number): boolean {
  return numbers[at + SLOT] === slot && deadlineNs >= numbers[at];
}
