import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Frame } from '../../src/wire/frame.js';
import { FrameQueue } from '../../src/wire/frame-queue.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

function newFrame(): Frame {
  return new Frame(new Uint8Array(0));
}

describe('FrameQueue', () => {
  it('is empty at first', () => {
    const queue = new FrameQueue();
    expect([queue.length, queue.peek(), queue.shift()]).toEqual([0, null, null]);
  });

  it('gives frames out in their order, as an array would', () => {
    holds(fc.array(fc.boolean(), { maxLength: 100 }), 300, (pushes) => {
      const queue = new FrameQueue();
      const model: Frame[] = [];
      for (const isPush of pushes) {
        if (isPush) {
          const frame = newFrame();
          queue.push(frame);
          model.push(frame);
        } else expect(queue.shift()).toBe(model.shift() ?? null);
        expect([queue.length, queue.peek()]).toEqual([model.length, model[0] ?? null]);
      }
    });
  });

  it('lets go of a frame that it gives out, so that another queue can take it', () => {
    const [one, other] = [new FrameQueue(), new FrameQueue()];
    const frames = [newFrame(), newFrame(), newFrame()];
    for (const frame of frames) one.push(frame);
    other.push(one.shift() as Frame);
    expect(frames[0].next).toBeNull();
    expect([one.length, one.peek(), other.length, other.peek()]).toEqual([2, frames[1], 1, frames[0]]);
  });
});
