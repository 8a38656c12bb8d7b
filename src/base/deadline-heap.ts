import { assert } from './assert.js';
import { NEVER } from './time.js';

const ARITY = 4;
const INITIAL_SLOTS = 16;
const ABSENT = -1;

/**
 * Which of many deadlines is next. A slot is a small index that the caller chose (a flow's, a port's); each slot has at most one deadline.
 * An indexed heap of four children a node: shallower than a binary one, and the children share a cache line. Equal deadlines come out in an order that
 * depends only on the calls made. Its arrays grow with the largest slot, so the bound is the caller's bound on slots.
 */
export class DeadlineHeap {
  private count = 0;
  /** Heap order: the slot at each place, and its deadline beside it. */
  private slots = new Int32Array(INITIAL_SLOTS);
  private deadlines = new Float64Array(INITIAL_SLOTS);
  /** The place of each slot, or ABSENT. */
  private places = new Int32Array(INITIAL_SLOTS).fill(ABSENT);

  /** Slots that have a deadline. */
  get size(): number {
    return this.count;
  }

  /** Inserts or moves; NEVER removes. */
  set(slot: number, deadlineNs: number): void {
    assert(slot >= 0, 'a slot is an index');
    assert(!Number.isNaN(deadlineNs), 'a deadline is a time');
    if (deadlineNs === NEVER) {
      this.remove(slot);
      return;
    }
    if (slot >= this.places.length) this.grow(slot);
    const place = this.places[slot];
    if (place === ABSENT) this.siftUp(this.count++, slot, deadlineNs);
    else if (deadlineNs < this.deadlines[place]) this.siftUp(place, slot, deadlineNs);
    else if (deadlineNs > this.deadlines[place]) this.siftDown(place, slot, deadlineNs);
  }

  /** Does nothing for a slot without a deadline. */
  remove(slot: number): void {
    const place = slot < this.places.length ? this.places[slot] : ABSENT;
    if (place === ABSENT) return;
    const removedNs = this.deadlines[place];
    this.places[slot] = ABSENT;
    const last = --this.count;
    if (place === last) return;
    const lastNs = this.deadlines[last];
    if (lastNs < removedNs) this.siftUp(place, this.slots[last], lastNs);
    else this.siftDown(place, this.slots[last], lastNs);
  }

  /** The slot with the earliest deadline; -1 when there is none. */
  peekSlot(): number {
    return this.count === 0 ? ABSENT : this.slots[0];
  }

  /** The earliest deadline; NEVER when there is none. */
  peekDeadline(): number {
    return this.count === 0 ? NEVER : this.deadlines[0];
  }

  private siftUp(place: number, slot: number, deadlineNs: number): void {
    while (place > 0) {
      const parent = ((place - 1) / ARITY) | 0;
      if (this.deadlines[parent] <= deadlineNs) break;
      this.settle(place, this.slots[parent], this.deadlines[parent]);
      place = parent;
    }
    this.settle(place, slot, deadlineNs);
  }

  private siftDown(place: number, slot: number, deadlineNs: number): void {
    for (;;) {
      const child = this.earliestChild(place);
      if (child === ABSENT || this.deadlines[child] >= deadlineNs) break;
      this.settle(place, this.slots[child], this.deadlines[child]);
      place = child;
    }
    this.settle(place, slot, deadlineNs);
  }

  private earliestChild(place: number): number {
    const first = place * ARITY + 1;
    if (first >= this.count) return ABSENT;
    const end = Math.min(first + ARITY, this.count);
    let earliest = first;
    for (let child = first + 1; child < end; child++) {
      if (this.deadlines[child] < this.deadlines[earliest]) earliest = child;
    }
    return earliest;
  }

  private settle(place: number, slot: number, deadlineNs: number): void {
    this.slots[place] = slot;
    this.deadlines[place] = deadlineNs;
    this.places[slot] = place;
  }

  private grow(slot: number): void {
    const length = 2 ** Math.ceil(Math.log2(slot + 1));
    const slots = new Int32Array(length);
    const deadlines = new Float64Array(length);
    const places = new Int32Array(length).fill(ABSENT);
    slots.set(this.slots);
    deadlines.set(this.deadlines);
    places.set(this.places);
    this.slots = slots;
    this.deadlines = deadlines;
    this.places = places;
  }
}
