import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../src/base/assert.js';
import { RangeSet } from '../../src/base/range-set.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

function ranges(set: RangeSet): [number, number][] {
  return Array.from({ length: set.count }, (_, index) => [set.start(index), set.end(index)]);
}

function filled(capacity: number, ...pairs: [number, number][]): RangeSet {
  const set = new RangeSet(capacity);
  for (const [start, end] of pairs) set.add(start, end);
  return set;
}

/** The naive twin: every number by itself, and the bound looked at afterwards. */
class NaiveRangeSet {
  refusals = 0;
  private numbers = new Set<number>();
  private readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  add(start: number, end: number): number {
    return this.change(new Set([...this.numbers, ...span(start, end)]));
  }

  remove(start: number, end: number): number {
    const gone = new Set(span(start, end));
    return this.change(new Set([...this.numbers].filter((number) => !gone.has(number))));
  }

  get totalBytes(): number {
    return this.numbers.size;
  }

  ranges(): [number, number][] {
    return rangesOf(this.numbers);
  }

  private change(next: Set<number>): number {
    const fits = rangesOf(next).length <= this.capacity;
    const changed = fits ? Math.abs(next.size - this.numbers.size) : -1;
    if (fits) this.numbers = next;
    else this.refusals++;
    return changed;
  }
}

function rangesOf(numbers: Set<number>): [number, number][] {
  const found: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === number) last[1] = number + 1;
    else found.push([number, number + 1]);
  }
  return found;
}

function span(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}

interface Call {
  name: 'add' | 'remove';
  start: number;
  length: number;
}

/** What one of the twins answers to each call, and what it holds after it. */
function answers<T extends RangeSet | NaiveRangeSet>(set: T, calls: Call[], held: (set: T) => [number, number][]) {
  return calls.map(({ name, start, length }) => ({
    answer: set[name](start, start + length),
    held: held(set),
    total: set.totalBytes,
    refusals: set.refusals,
  }));
}

describe('RangeSet', () => {
  it('says how many of the numbers it was given are new', () => {
    const set = new RangeSet(8);
    expect(set.add(10, 20)).toBe(10);
    expect(set.add(10, 20)).toBe(0);
    expect(set.add(15, 25)).toBe(5);
    expect(set.add(0, 30)).toBe(15);
    expect(set.totalBytes).toBe(30);
  });

  it('joins ranges that touch and keeps others apart', () => {
    expect(ranges(filled(8, [0, 10], [10, 20], [30, 40], [21, 29]))).toEqual([
      [0, 20],
      [21, 29],
      [30, 40],
    ]);
    expect(ranges(filled(8, [0, 10], [20, 30], [10, 20]))).toEqual([[0, 30]]);
  });

  it('splits a range when its middle is removed', () => {
    const set = filled(8, [0, 100]);
    expect(set.remove(40, 60)).toBe(20);
    expect(ranges(set)).toEqual([
      [0, 40],
      [60, 100],
    ]);
    expect(set.remove(30, 70)).toBe(20);
    expect(set.remove(200, 300)).toBe(0);
    expect(set.totalBytes).toBe(60);
  });

  it('names its lowest range, and infinity when it has none', () => {
    const set = filled(8, [30, 40], [10, 20]);
    expect([set.firstStart, set.firstEnd]).toEqual([10, 20]);
    set.clear();
    expect([set.firstStart, set.firstEnd, set.count, set.totalBytes]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      0,
      0,
    ]);
  });

  it('ignores empty ranges', () => {
    const set = filled(8, [5, 5], [9, 3]);
    expect([set.count, set.remove(5, 5), set.remove(9, 3)]).toEqual([0, 0, 0]);
  });

  it('counts what would exceed its bound and changes nothing, but still takes what joins', () => {
    const set = filled(2, [0, 10], [20, 30]);
    expect(set.add(40, 50)).toBe(-1);
    expect(set.remove(3, 6)).toBe(-1);
    expect(set.refusals).toBe(2);
    expect(ranges(set)).toEqual([
      [0, 10],
      [20, 30],
    ]);
    expect(set.add(30, 50)).toBe(20);
    expect(set.add(10, 20)).toBe(10);
    expect(set.remove(3, 6)).toBe(3);
    expect(set.refusals).toBe(2);
  });

  it('holds offsets up to 2^53', () => {
    const top = Number.MAX_SAFE_INTEGER;
    const set = filled(8, [top - 10, top], [2 ** 33, 2 ** 33 + 1]);
    expect(ranges(set)).toContainEqual([top - 10, top]);
    expect(set.totalBytes).toBe(11);
  });

  it('refuses to be without room', () => {
    expect(() => new RangeSet(0)).toThrow(AssertionError);
  });

  it.each([3, 12, 1000])(
    'agrees with a plain set of numbers under any mix of calls, with room for %d ranges',
    (room) => {
      const call: fc.Arbitrary<Call> = fc.record({
        name: fc.constantFrom('add', 'add', 'remove'),
        start: fc.integer({ min: 0, max: 120 }),
        length: fc.integer({ min: 0, max: 12 }),
      });
      holds(fc.array(call, { maxLength: 100, size: 'max' }), 100, (calls) => {
        const naive = new NaiveRangeSet(room);
        expect(answers(new RangeSet(room), calls, ranges)).toEqual(answers(naive, calls, () => naive.ranges()));
      });
    },
  );
});
