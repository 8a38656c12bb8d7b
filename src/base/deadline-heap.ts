import { assert } from './assert.js';
import { NEVER } from './time.js';

/** Two entries and two places at first: arrays of up to 64 bytes stand beside their owner on the heap, and most hosts have few flows. */
const INITIAL_SLOTS = 2;
const ABSENT = -1;

/** Order of equal deadlines: by when they were set, or by slot. */
export type TieOrder = 'deadlines' | 'places';

/** An entry: the deadline, its turn among equal ones, the slot. */
const ENTRY = 3;
const TURN = 1;
const SLOT = 2;
/** Place 0 holds the entry that looks for its place: the heap begins behind it, with four children a node. */
const ROOT = 1;

/**
 * Finds the next of many deadlines, at most one a slot: a small index that the caller chose. Equal deadlines come out in the order in which they were set,
 * or in that of their slots. Four children a node share cache lines. No deadline is an argument or a result between its functions: V8 (Node 20) puts such
 * fractions on the heap (345 bytes an event).
 */
export class DeadlineHeap {
  private count = 0;
  /** Deadlines that were set so far: the turn of the next. */
  private turns = 0;
  /** In heap order, from ROOT on; NEVER at ROOT when there is none. */
  private entries = new Float64Array((ROOT + 1) * ENTRY).fill(NEVER);
  /** The place of each slot, or ABSENT. */
  private places = new Int32Array(INITIAL_SLOTS).fill(ABSENT);
  private readonly isBySlot: boolean;

  constructor(ties: TieOrder = 'deadlines') {
    this.isBySlot = ties === 'places';
  }

  /** Slots that have a deadline. */
  get size(): number {
    return this.count;
  }

  /** Inserts or moves; NEVER removes. A slot that has this deadline already keeps its turn. */
  set(slot: number, deadlineNs: number): void {
    this.entries[0] = deadlineNs;
    this.setNew(slot);
  }

  /** The same with the deadline that stands at `numbers[at]`, so that it is no argument. */
  setFrom(slot: number, numbers: Float64Array, at: number): void {
    this.entries[0] = numbers[at];
    this.setNew(slot);
  }

  /** Does nothing for a slot without a deadline. */
  remove(slot: number): void {
    const place = slot < this.places.length ? this.places[slot] : ABSENT;
    if (place === ABSENT) return;
    this.places[slot] = ABSENT;
    const last = this.count--;
    const { entries } = this;
    const at = last * ENTRY;
    const slotOfLast = slotAt(entries, at);
    entries[0] = entries[at];
    entries[TURN] = entries[at + TURN];
    entries[at] = NEVER;
    if (place === last) return;
    if (isBefore(entries, 0, place * ENTRY)) this.siftUp(place, slotOfLast);
    else this.siftDown(place, slotOfLast);
  }

  /** The deadline of a slot; NEVER when it has none. */
  deadlineOf(slot: number): number {
    const place = slot < this.places.length ? this.places[slot] : ABSENT;
    return place === ABSENT ? NEVER : this.entries[place * ENTRY];
  }

  /** The slot with the earliest deadline; -1 when there is none. */
  peekSlot(): number {
    return this.count === 0 ? ABSENT : slotAt(this.entries, ROOT * ENTRY);
  }

  /** The earliest deadline; NEVER when there is none. */
  peekDeadline(): number {
    return this.entries[ROOT * ENTRY];
  }

  /** The deadline at place 0 is the slot's. */
  private setNew(slot: number): void {
    assert(slot >= 0, 'a slot is an index');
    const deadlineNs = this.entries[0];
    assert(!Number.isNaN(deadlineNs), 'a deadline is a time');
    if (deadlineNs === NEVER) this.remove(slot);
    else this.place(slot);
  }

  /** Gives the slot the deadline at place 0, which is a time. */
  private place(slot: number): void {
    if (slot >= this.places.length) this.growPlaces(slot);
    const { entries } = this;
    const place = this.places[slot];
    if (place !== ABSENT && entries[place * ENTRY] === entries[0]) return;
    entries[TURN] = this.isBySlot ? slot : this.turns++;
    if (place === ABSENT) this.insert(slot);
    else if (entries[0] > entries[place * ENTRY]) this.siftDown(place, slot);
    else this.siftUp(place, slot);
  }

  private insert(slot: number): void {
    const place = ++this.count;
    if (place * ENTRY >= this.entries.length) this.growEntries();
    this.siftUp(place, slot);
  }

  /** Both sift the entry at place 0, of `slot`, from a place that is free. */
  private siftUp(from: number, slot: number): void {
    const { entries, places } = this;
    let place = from;
    while (place > ROOT) {
      const parent = (place + 2) >>> 2;
      if (isBefore(entries, parent * ENTRY, 0)) break;
      places[this.move(parent, place)] = place;
      place = parent;
    }
    this.settle(place, slot);
  }

  private siftDown(from: number, slot: number): void {
    const { entries, places, count } = this;
    let place = from;
    for (let first = place * 4 - 2; first <= count; first = place * 4 - 2) {
      const child = (earliestOfFour(entries, first * ENTRY) / ENTRY) | 0;
      if (isBefore(entries, 0, child * ENTRY)) break;
      places[this.move(child, place)] = place;
      place = child;
    }
    this.settle(place, slot);
  }

  /** Returns the slot. */
  private move(from: number, to: number): number {
    const { entries } = this;
    const at = to * ENTRY;
    const fromAt = from * ENTRY;
    entries[at] = entries[fromAt];
    entries[at + TURN] = entries[fromAt + TURN];
    const slot = slotAt(entries, fromAt);
    entries[at + SLOT] = slot;
    return slot;
  }

  private settle(place: number, slot: number): void {
    const { entries } = this;
    const at = place * ENTRY;
    entries[at] = entries[0];
    entries[at + TURN] = entries[TURN];
    entries[at + SLOT] = slot;
    this.places[slot] = place;
  }

  /** Whole families of four behind the root. */
  private growEntries(): void {
    const grown = new Float64Array(this.entries.length * 2 + 2 * ENTRY).fill(NEVER);
    grown.set(this.entries);
    this.entries = grown;
  }

  private growPlaces(slot: number): void {
    const grown = new Int32Array(2 ** Math.ceil(Math.log2(slot + 1))).fill(ABSENT);
    grown.set(this.places);
    this.places = grown;
  }
}

/** The slot of the entry at an offset, as a small integer: as what the array yields it would go through calls as a number on the heap. */
function slotAt(entries: Float64Array, at: number): number {
  return entries[at + SLOT] | 0;
}

/** Offsets of entries. */
function isBefore(entries: Float64Array, at: number, otherAt: number): boolean {
  if (entries[at] !== entries[otherAt]) return entries[at] < entries[otherAt];
  return entries[at + TURN] < entries[otherAt + TURN];
}

/**
 * The first of four entries from offset `at` on; behind the last one all are NEVER. Without branches, which would be mispredicted: 123 instead of 160 ns for a
 * pop and a push with 2,048 slots.
 */
function earliestOfFour(entries: Float64Array, at: number): number {
  const second = at + ENTRY;
  const third = second + ENTRY;
  const fourth = third + ENTRY;
  const one = at + ENTRY * +(entries[second] < entries[at]);
  const other = third + ENTRY * +(entries[fourth] < entries[third]);
  const inSecondPair = +(entries[other] < entries[one]);
  const earliest = one + (other - one) * inSecondPair;
  const beside = at + second + 4 * ENTRY * inSecondPair - earliest;
  const deadlineNs = entries[earliest];
  const isAlone = entries[beside] !== deadlineNs && entries[one] !== entries[other];
  return isAlone ? earliest : firstOfEqual(entries, at, deadlineNs);
}

/** Of four entries the one with this deadline that was set first. */
function firstOfEqual(entries: Float64Array, at: number, deadlineNs: number): number {
  let earliest = -1;
  for (let each = at; each < at + 4 * ENTRY; each += ENTRY) {
    if (entries[each] !== deadlineNs) continue;
    if (earliest < 0 || entries[each + TURN] < entries[earliest + TURN]) earliest = each;
  }
  return earliest;
}
