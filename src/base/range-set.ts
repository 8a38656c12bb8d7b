import { assert } from './assert.js';

const INITIAL_RANGES = 8;
/** Of every set that never held a range, as most never do: no memory of its own. */
const NO_NUMBERS = new Float64Array(0);

/**
 * A set of whole numbers up to 2^53 as sorted, disjoint ranges `[start, end)` that do not touch: bytes of a stream that have arrived, or are lost. An operation
 * that would need more than `capacity` ranges changes nothing and is counted.
 */
export class RangeSet {
  /** Ranges that it holds at most. */
  readonly capacity: number;
  private starts = NO_NUMBERS;
  private ends = NO_NUMBERS;
  private rangeCount = 0;
  private total = 0;
  private refused = 0;

  constructor(capacity: number) {
    assert(Number.isSafeInteger(capacity) && capacity > 0, 'a range set has a bound');
    this.capacity = capacity;
  }

  /** Ranges held. */
  get count(): number {
    return this.rangeCount;
  }

  /** Numbers in all ranges together. */
  get totalBytes(): number {
    return this.total;
  }

  /** How often the bound on ranges turned an operation away. */
  get refusals(): number {
    return this.refused;
  }

  /** Where the lowest range starts; Infinity for an empty set. */
  get firstStart(): number {
    return this.rangeCount === 0 ? Number.POSITIVE_INFINITY : this.starts[0];
  }

  /** Where the lowest range ends; Infinity for an empty set. */
  get firstEnd(): number {
    return this.rangeCount === 0 ? Number.POSITIVE_INFINITY : this.ends[0];
  }

  /** Start of the range with this index, ascending from 0. */
  start(index: number): number {
    return this.starts[index];
  }

  /** End, exclusive, of the range with this index. */
  end(index: number): number {
    return this.ends[index];
  }

  /** Puts `[start, end)` in. Returns how many of its numbers are new; -1, counted, when the set would exceed its bound. */
  add(start: number, end: number): number {
    if (start >= end) return 0;
    const first = this.firstEndAbove(start - 1);
    const after = this.firstStartAbove(end);
    if (first === after && this.rangeCount === this.capacity) return this.refuse();
    let from = start;
    let to = end;
    let held = 0;
    if (first < after) {
      from = Math.min(start, this.starts[first]);
      to = Math.max(end, this.ends[after - 1]);
      held = this.sizeOf(first, after);
    }
    this.resize(first, after - first, 1);
    this.starts[first] = from;
    this.ends[first] = to;
    const added = to - from - held;
    this.total += added;
    return added;
  }

  /** Takes `[start, end)` out. Returns how many numbers went; -1, counted, when it would split a range and exceed the bound. */
  remove(start: number, end: number): number {
    if (start >= end) return 0;
    const first = this.firstEndAbove(start);
    const after = this.firstStartAbove(end - 1);
    if (first >= after) return 0;
    const lowStart = this.starts[first];
    const highEnd = this.ends[after - 1];
    const kept = (lowStart < start ? 1 : 0) + (end < highEnd ? 1 : 0);
    if (this.rangeCount - (after - first) + kept > this.capacity) return this.refuse();
    const removed = this.sizeOf(first, after) - Math.max(0, start - lowStart) - Math.max(0, highEnd - end);
    this.resize(first, after - first, kept);
    if (lowStart < start) this.put(first, lowStart, start);
    if (end < highEnd) this.put(first + kept - 1, end, highEnd);
    this.total -= removed;
    return removed;
  }

  /** Takes everything out. */
  clear(): void {
    this.rangeCount = 0;
    this.total = 0;
  }

  private put(index: number, start: number, end: number): void {
    this.starts[index] = start;
    this.ends[index] = end;
  }

  private refuse(): number {
    this.refused++;
    return -1;
  }

  private sizeOf(first: number, after: number): number {
    let size = 0;
    for (let index = first; index < after; index++) size += this.ends[index] - this.starts[index];
    return size;
  }

  /** Index of the first range that ends above `position`; `count` when none does. */
  private firstEndAbove(position: number): number {
    return firstAbove(this.ends, this.rangeCount, position);
  }

  private firstStartAbove(position: number): number {
    return firstAbove(this.starts, this.rangeCount, position);
  }

  /** Makes room for `wanted` ranges where `present` stand from `index` on. */
  private resize(index: number, present: number, wanted: number): void {
    const count = this.rangeCount + wanted - present;
    if (count > this.starts.length) this.grow();
    if (wanted !== present) {
      this.starts.copyWithin(index + wanted, index + present, this.rangeCount);
      this.ends.copyWithin(index + wanted, index + present, this.rangeCount);
    }
    this.rangeCount = count;
  }

  private grow(): void {
    const length = Math.min(Math.max(this.starts.length * 2, INITIAL_RANGES), this.capacity);
    const starts = new Float64Array(length);
    const ends = new Float64Array(length);
    starts.set(this.starts);
    ends.set(this.ends);
    this.starts = starts;
    this.ends = ends;
  }
}

/** Index of the first of `count` ascending values that is above `position`. The top is tried first: streams grow there. */
function firstAbove(values: Float64Array, count: number, position: number): number {
  if (count === 0 || values[count - 1] <= position) return count;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
