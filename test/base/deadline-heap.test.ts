import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../src/base/assert.js';
import { DeadlineHeap } from '../../src/base/deadline-heap.js';
import { NEVER } from '../../src/base/time.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

function drain(heap: DeadlineHeap): [number, number][] {
  const popped: [number, number][] = [];
  while (heap.size > 0) {
    popped.push([heap.peekSlot(), heap.peekDeadline()]);
    heap.remove(heap.peekSlot());
  }
  return popped;
}

describe('DeadlineHeap', () => {
  it('waits for nothing when it is empty', () => {
    const heap = new DeadlineHeap();
    expect([heap.size, heap.peekSlot(), heap.peekDeadline()]).toEqual([0, -1, NEVER]);
  });

  it('gives the slots out by their deadlines', () => {
    const heap = new DeadlineHeap();
    heap.set(7, 30);
    heap.set(0, 10);
    heap.set(3, 20);
    expect(drain(heap)).toEqual([
      [0, 10],
      [3, 20],
      [7, 30],
    ]);
  });

  it('gives equal deadlines out in the order in which they were set, or in that of their slots', () => {
    const slots = [7, 0, 3];
    const order = (heap: DeadlineHeap): number[] => {
      for (const slot of slots) heap.set(slot, 10);
      return drain(heap).map(([slot]) => slot);
    };
    expect(order(new DeadlineHeap())).toEqual([7, 0, 3]);
    expect(order(new DeadlineHeap('places'))).toEqual([0, 3, 7]);
  });

  it('moves a deadline earlier and later', () => {
    const heap = new DeadlineHeap();
    for (let slot = 0; slot < 10; slot++) heap.set(slot, 100 + slot);
    heap.set(9, 1);
    expect(heap.peekSlot()).toBe(9);
    heap.set(9, 500);
    expect(heap.size).toBe(10);
    expect([heap.deadlineOf(9), heap.deadlineOf(3), heap.deadlineOf(10), heap.deadlineOf(1_000)]).toEqual([
      500,
      103,
      NEVER,
      NEVER,
    ]);
    expect(drain(heap).at(-1)).toEqual([9, 500]);
  });

  it('takes a slot out for NEVER, and ignores slots that it does not have', () => {
    const heap = new DeadlineHeap();
    heap.set(1, 5);
    heap.set(1, NEVER);
    heap.set(2, NEVER);
    heap.remove(3);
    heap.remove(100_000);
    expect(heap.size).toBe(0);
    expect(heap.peekDeadline()).toBe(NEVER);
  });

  it('grows with the slots it is given', () => {
    const heap = new DeadlineHeap();
    heap.set(16, 3);
    heap.set(5_000, 2);
    heap.set(65_536, 1);
    expect(drain(heap).map(([slot]) => slot)).toEqual([65_536, 5_000, 16]);
  });

  it('refuses a deadline that is no time', () => {
    expect(() => new DeadlineHeap().set(0, Number.NaN)).toThrow(AssertionError);
  });

  it('gives equal deadlines out in the order in which they were set', () => {
    const heap = new DeadlineHeap();
    for (let slot = 49; slot >= 0; slot--) heap.set(slot, 7);
    heap.set(30, 8);
    heap.set(30, 7);
    heap.set(20, 7);
    const order = Array.from({ length: 50 }, (_, index) => 49 - index).filter((slot) => slot !== 30);
    expect(drain(heap).map(([slot]) => slot)).toEqual([...order, 30]);
  });

  it('keeps that order when a slot is taken out whose place goes to one that was set before its parent', () => {
    const late = [1, 5, 6, 7, 8, 2, 9, 10, 11, 12, 3, 13, 14, 15, 16];
    const early = Array.from({ length: 21 }, (_, slot) => slot).filter((slot) => !late.includes(slot));
    for (const removed of late) {
      const heap = new DeadlineHeap();
      for (let slot = 0; slot <= 20; slot++) heap.set(slot, 7);
      for (const slot of late) heap.set(slot, 8);
      for (const slot of late) heap.set(slot, 7);
      heap.remove(removed);
      expect(drain(heap).map(([slot]) => slot)).toEqual([...early, ...late.filter((slot) => slot !== removed)]);
    }
  });

  it('always names the slot of a plain map whose deadline is the earliest and was set first, under any mix of calls', () => {
    const slots = fc.integer({ min: 0, max: 70 });
    const few = { weight: 5, arbitrary: fc.integer({ min: 0, max: 2 }) };
    const many = { weight: 5, arbitrary: fc.double({ min: 0, max: 2, noNaN: true }) };
    const deadlines = fc.oneof(few, many, fc.constant(NEVER));
    holds(fc.array(fc.tuple(slots, deadlines), { maxLength: 300, size: 'max' }), 300, (calls) => {
      const heap = new DeadlineHeap();
      // Maps keep the order in which their keys were set.
      const model = new Map<number, number>();
      const earliest = (): [number, number] =>
        [...model].reduce((first, entry) => (entry[1] < first[1] ? entry : first), [-1, NEVER]);
      for (const [slot, deadline] of calls) {
        if (slot % 2 === 0) heap.set(slot, deadline);
        else heap.setFrom(slot, Float64Array.of(0, deadline), 1);
        if (model.get(slot) !== deadline) model.delete(slot);
        if (deadline !== NEVER) model.set(slot, deadline);
        expect([heap.size, heap.peekSlot(), heap.peekDeadline()]).toEqual([model.size, ...earliest()]);
      }
      expect(drain(heap)).toEqual([...model].sort((a, b) => a[1] - b[1]));
    });
  });
});
