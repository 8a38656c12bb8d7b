import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeadlineHeap } from '../../src/base/deadline-heap.js';
import { NEVER } from '../../src/base/time.js';
import { FlowSchedule, firstSlot, isNoEarlier, moveAlone, SCHEDULE_NUMBERS } from '../../src/core/flow-schedule.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

function schedule(): FlowSchedule {
  return new FlowSchedule(new Float64Array(1 + SCHEDULE_NUMBERS), 1);
}

describe('FlowSchedule', () => {
  it('waits for nothing when it is empty', () => {
    const empty = schedule();
    expect([empty.slot, empty.deadlineNs, empty.deadlineOf(0)]).toEqual([-1, NEVER, NEVER]);
  });

  it('gives flows with one deadline out in the order in which they were set, the lone first one too', () => {
    const flows = schedule();
    for (const slot of [5, 2, 9]) flows.set(slot, 100);
    const order: number[] = [];
    for (; flows.deadlineNs === 100; flows.remove(flows.slot)) order.push(flows.slot);
    expect(order).toEqual([5, 2, 9]);
    expect(flows.slot).toBe(-1);
  });

  it('keeps its places only, of the numbers that it is given', () => {
    const numbers = new Float64Array(SCHEDULE_NUMBERS + 2);
    const flows = new FlowSchedule(numbers, 1);
    flows.set(0, 7);
    flows.set(1, 5);
    expect([numbers[0], numbers[1], numbers[SCHEDULE_NUMBERS + 1]]).toEqual([0, 5, 0]);
  });

  it('is a heap of deadlines, however few or many it holds', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(1, 2, 3, NEVER));
    holds(fc.array(step), 300, (steps) => {
      const flows = schedule();
      const heap = new DeadlineHeap();
      for (const [slot, deadlineNs] of steps) {
        if (deadlineNs === NEVER) flows.remove(slot);
        else flows.set(slot, deadlineNs);
        heap.set(slot, deadlineNs);
        expect([flows.slot, flows.deadlineNs]).toEqual([heap.peekSlot(), heap.peekDeadline()]);
        for (let each = 0; each < 4; each++) expect(flows.deadlineOf(each)).toBe(heap.deadlineOf(each));
      }
    });
  });
});

it('is moved through its numbers as long as it holds one deadline', () => {
  const numbers = new Float64Array(SCHEDULE_NUMBERS);
  const flows = new FlowSchedule(numbers, 0);
  expect(moveAlone(numbers, 0, 3, 10)).toBe(false);
  flows.set(3, 20);
  expect([firstSlot(numbers, 0), moveAlone(numbers, 0, 3, 10), moveAlone(numbers, 0, 4, 5)]).toEqual([3, true, false]);
  expect([flows.slot, flows.deadlineNs, flows.deadlineOf(3), flows.deadlineOf(4)]).toEqual([3, 10, 10, NEVER]);
  expect([moveAlone(numbers, 0, 3, NEVER), flows.deadlineNs]).toEqual([false, 10]);
  flows.set(4, 15);
  expect([moveAlone(numbers, 0, 3, 30), moveAlone(numbers, 0, 4, 30), flows.slot]).toEqual([false, false, 3]);
  flows.set(3, 40);
  expect([firstSlot(numbers, 0), flows.slot, flows.deadlineNs]).toEqual([4, 4, 15]);
});

it('knows from its numbers that a deadline is not to be brought forward', () => {
  const numbers = new Float64Array(SCHEDULE_NUMBERS);
  const flows = new FlowSchedule(numbers, 0);
  expect(isNoEarlier(numbers, 0, 3, 10)).toBe(false);
  for (const slot of [3, 5]) {
    flows.set(slot, 20);
    expect([10, 20, 30].map((deadlineNs) => isNoEarlier(numbers, 0, 3, deadlineNs))).toEqual([false, true, true]);
    expect(isNoEarlier(numbers, 0, 5, 30)).toBe(false);
  }
});

it('brings a deadline forward and never puts it off, alone and among others', () => {
  for (const others of [[], [7, 8]]) {
    const flows = schedule();
    for (const slot of others) flows.set(slot, 50);
    flows.bringForward(3, 20);
    flows.bringForward(3, 30);
    expect(flows.deadlineOf(3)).toBe(20);
    flows.bringForward(3, 10);
    expect([flows.slot, flows.deadlineNs]).toEqual([3, 10]);
  }
});
