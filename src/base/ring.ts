import { assert } from './assert.js';

/** Small: a simulation has thousands of queues, and most of them hold a frame or two (ours). */
const INITIAL_SLOTS = 4;

/** A bounded first-in first-out queue. Its array doubles up to the bound and never shrinks, so it stops allocating. */
export class Ring<T> {
  /** Items that it takes at most. */
  readonly capacity: number;
  private slots: (T | undefined)[];
  private mask: number;
  private head = 0;
  private count = 0;

  constructor(capacity: number) {
    assert(Number.isSafeInteger(capacity) && capacity >= 0, 'a ring has a bound');
    this.capacity = capacity;
    this.slots = emptySlots(INITIAL_SLOTS);
    this.mask = INITIAL_SLOTS - 1;
  }

  get length(): number {
    return this.count;
  }

  /** False when the ring is full: the item was not taken, and the caller counts it. */
  push(item: T): boolean {
    if (this.count >= this.capacity) return false;
    if (this.count > this.mask) this.grow();
    this.slots[(this.head + this.count) & this.mask] = item;
    this.count++;
    return true;
  }

  /** Takes the oldest item; undefined when there is none. */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const item = this.slots[this.head];
    this.slots[this.head] = undefined;
    // A queue that runs empty starts again at the front, so that one which holds an item at a time stays in one cache line.
    this.head = --this.count === 0 ? 0 : (this.head + 1) & this.mask;
    return item;
  }

  /** The oldest item, left in its place. */
  peek(): T | undefined {
    return this.count === 0 ? undefined : this.slots[this.head];
  }

  /** Forgets every item, and their references. */
  clear(): void {
    this.slots.fill(undefined);
    this.head = 0;
    this.count = 0;
  }

  private grow(): void {
    const next = emptySlots<T>(this.slots.length * 2);
    for (let index = 0; index < this.count; index++) next[index] = this.slots[(this.head + index) & this.mask];
    this.slots = next;
    this.mask = next.length - 1;
    this.head = 0;
  }
}

function emptySlots<T>(length: number): (T | undefined)[] {
  return new Array<T | undefined>(length).fill(undefined);
}
