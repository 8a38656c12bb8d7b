import { describe, expect, it } from 'vitest';
import { FrameFate, SentFrames } from '../../src/core/sent-frames.js';

describe('the frames that a reactive flow has sent', () => {
  it('have numbers, bytes and times, however many there are', () => {
    const frames = new SentFrames();
    for (let number = 0; number < 1_000; number++) expect(frames.send(number * 10, 7, number)).toBe(number);
    for (let number = 0; number < 1_000; number++) {
      expect([frames.start(number), frames.end(number), frames.sentNs(number)]).toEqual([
        number * 10,
        number * 10 + 7,
        number,
      ]);
    }
    expect([frames.inFlight, frames.oldest, frames.newest]).toEqual([1_000, 0, 999]);
  });

  it('are out until their fate is known, each once', () => {
    const frames = new SentFrames();
    for (let number = 0; number < 4; number++) frames.send(number, 1, 0);
    frames.settle(1, FrameFate.arrived, 5);
    frames.settle(3, FrameFate.lost, 5);
    expect([frames.inFlight, frames.oldest, frames.newest, frames.outstandingFrom(1)]).toEqual([2, 0, 2, 2]);
    frames.settle(3, FrameFate.arrived, 6);
    frames.settle(0, FrameFate.arrived, 6);
    expect([frames.inFlight, frames.oldest]).toEqual([1, 2]);
    frames.settle(2, FrameFate.arrived, 7);
    expect([frames.inFlight, frames.oldest, frames.outstandingFrom(0)]).toEqual([0, 4, 4]);
  });

  it('are remembered for a while after they were taken as lost', () => {
    const frames = new SentFrames();
    for (let number = 0; number < 3; number++) frames.send(number, 1, 0);
    frames.settle(0, FrameFate.arrived, 5);
    frames.settle(1, FrameFate.lost, 10);
    frames.settle(2, FrameFate.arrived, 10);
    frames.forget(9);
    expect([0, 1, 2, 3].map((number) => frames.knows(number))).toEqual([false, true, true, false]);
    frames.forget(10);
    expect(frames.knows(1)).toBe(false);
  });

  it('are no more than a bound', () => {
    const frames = new SentFrames();
    while (!frames.isFull) frames.send(0, 1, 0);
    expect(frames.next).toBe(65_536);
    expect(() => frames.send(0, 1, 0)).toThrow(/full/);
    frames.settle(0, FrameFate.arrived, 1);
    frames.forget(1);
    expect(frames.isFull).toBe(false);
  });
});
