import { assert } from './assert.js';
import { NEVER } from './time.js';

const ARITY = 4;
/** Two entries and two places at first: arrays of up to 64 bytes stand beside their owner on the heap, and most hosts have few flows. */
const INITIAL_SLOTS = 2;
const ABSENT = -1;

/** An entry: the deadline, its turn among equal ones, the slot. */
const ENTRY = 3;
const TURN = 1;
const SLOT = 2;

/**
 * Which of many deadlines is next. A slot is a small index that the caller chose (a flow's, a port's); each slot has at most one deadline. Equal deadlines
 * come out in the order in which they were set.
 *
 * An indexed heap of four children a node: shallower than a binary one, and the children share cache lines, since what belongs to an entry stands
 * together. Its arrays grow with the largest slot, so the bound is the caller's bound on slots.
 */
export class DeadlineHeap {
  private count = 0;
  /** Deadlines that were set so far: the turn of the next. */
  private turns = 0;
  /** In heap order. */
  private entries = new Float64Array(INITIAL_SLOTS * ENTRY);
  /** The place of each slot, or ABSENT. */
  private places = new Int32Array(INITIAL_SLOTS).fill(ABSENT);

  /** Slots that have a deadline. */
  get size(): number {
    return this.count;
  }

  /** Inserts or moves; NEVER removes. A slot that has this deadline already keeps its turn. */
  set(slot: number, deadlineNs: number): void {
    assert(slot >= 0, 'a slot is an index');
    assert(!Number.isNaN(deadlineNs), 'a deadline is a time');
    if (deadlineNs === NEVER) {
      this.remove(slot);
      return;
    }
    if (slot >= this.places.length) this.growPlaces(slot);
    const place = this.places[slot];
    if (place === ABSENT) this.insert(slot, deadlineNs);
    else if (deadlineNs > this.entries[place * ENTRY]) this.siftDown(place, slot, deadlineNs, this.turns++);
    else if (deadlineNs < this.entries[place * ENTRY]) this.siftUp(place, slot, deadlineNs, this.turns++);
  }

  /** Does nothing for a slot without a deadline. */
  remove(slot: number): void {
    const place = slot < this.places.length ? this.places[slot] : ABSENT;
    if (place === ABSENT) return;
    this.places[slot] = ABSENT;
    const last = --this.count;
    if (place === last) return;
    const { entries } = this;
    const at = last * ENTRY;
    const [slotOfLast, lastNs, turn] = [entries[at + SLOT], entries[at], entries[at + TURN]];
    const removedNs = entries[place * ENTRY];
    const isEarlier = lastNs < removedNs || (lastNs === removedNs && turn < entries[place * ENTRY + TURN]);
    if (isEarlier) this.siftUp(place, slotOfLast, lastNs, turn);
    else this.siftDown(place, slotOfLast, lastNs, turn);
  }

  /** The slot with the earliest deadline; -1 when there is none. */
  peekSlot(): number {
    return this.count === 0 ? ABSENT : this.entries[SLOT];
  }

  /** The earliest deadline; NEVER when there is none. */
  peekDeadline(): number {
    return this.count === 0 ? NEVER : this.entries[0];
  }

  private insert(slot: number, deadlineNs: number): void {
    const place = this.count++;
    if (place * ENTRY === this.entries.length) this.growEntries();
    this.siftUp(place, slot, deadlineNs, this.turns++);
  }

  private siftUp(from: number, slot: number, deadlineNs: number, turn: number): void {
    const { entries } = this;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 2;
      const at = parent * ENTRY;
      const parentNs = entries[at];
      if (parentNs < deadlineNs || (parentNs === deadlineNs && entries[at + TURN] < turn)) break;
      this.settle(place, entries[at + SLOT], parentNs, entries[at + TURN]);
      place = parent;
    }
    this.settle(place, slot, deadlineNs, turn);
  }

  private siftDown(from: number, slot: number, deadlineNs: number, turn: number): void {
    const { entries } = this;
    let place = from;
    for (let child = this.earliestChild(place); child !== ABSENT; child = this.earliestChild(place)) {
      const at = child * ENTRY;
      const childNs = entries[at];
      if (childNs > deadlineNs || (childNs === deadlineNs && entries[at + TURN] > turn)) break;
      this.settle(place, entries[at + SLOT], childNs, entries[at + TURN]);
      place = child;
    }
    this.settle(place, slot, deadlineNs, turn);
  }

  private earliestChild(place: number): number {
    const { entries } = this;
    const first = place * ARITY + 1;
    if (first >= this.count) return ABSENT;
    const end = Math.min(first + ARITY, this.count);
    let earliest = first;
    let earliestNs = entries[first * ENTRY];
    for (let child = first + 1; child < end; child++) {
      const at = child * ENTRY;
      const childNs = entries[at];
      if (childNs > earliestNs) continue;
      if (childNs === earliestNs && entries[at + TURN] > entries[earliest * ENTRY + TURN]) continue;
      earliest = child;
      earliestNs = childNs;
    }
    return earliest;
  }

  private settle(place: number, slot: number, deadlineNs: number, turn: number): void {
    const { entries } = this;
    const at = place * ENTRY;
    entries[at] = deadlineNs;
    entries[at + TURN] = turn;
    entries[at + SLOT] = slot;
    this.places[slot] = place;
  }

  private growEntries(): void {
    const grown = new Float64Array(this.entries.length * 2);
    grown.set(this.entries);
    this.entries = grown;
  }

  private growPlaces(slot: number): void {
    const grown = new Int32Array(2 ** Math.ceil(Math.log2(slot + 1))).fill(ABSENT);
    grown.set(this.places);
    this.places = grown;
  }
}
