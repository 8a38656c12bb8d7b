import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import { DelayLine, MAX_HELD_FRAMES, MAX_LINE_FRAMES } from '../../src/switch/link-direction.js';
import { Frame } from '../../src/wire/frame.js';
import { TEST_SEED } from '../harness/seeds.js';

function frameAt(atNs: number): Frame {
  const frame = new Frame(new Uint8Array(0));
  frame.atNs = atNs;
  return frame;
}

function shiftAll(line: DelayLine): number[] {
  const times: number[] = [];
  while (line.length > 0) {
    const nextNs = line.nextNs();
    expect(line.shift()?.atNs).toBe(nextNs);
    times.push(nextNs);
  }
  return times;
}

describe('the delay line', () => {
  it('gives frames back in their order', () => {
    const line = new DelayLine();
    for (const atNs of [10, 20, 20, 30]) line.push(frameAt(atNs));
    expect(shiftAll(line)).toEqual([10, 20, 20, 30]);
    expect(line.nextNs()).toBe(NEVER);
    expect(line.shift()).toBeNull();
  });

  it('makes a frame wait for the one before it when the delay has shrunk', () => {
    const line = new DelayLine();
    const frames = [frameAt(100), frameAt(60), frameAt(110)];
    for (const frame of frames) line.keepOrder(frame);
    expect(frames.map(({ atNs }) => atNs)).toEqual([100, 100, 110]);
  });

  it('lets others overtake a frame that is held back', () => {
    const line = new DelayLine();
    line.push(frameAt(10));
    line.hold(frameAt(25));
    line.push(frameAt(20));
    line.push(frameAt(30));
    expect(shiftAll(line)).toEqual([10, 20, 25, 30]);
  });

  it('sorts whatever is held back', () => {
    const seed = TEST_SEED;
    const random = new SeededRandom(seed);
    const line = new DelayLine();
    const times: number[] = [];
    for (let frame = 0; frame < 200; frame++) {
      const atNs = Math.floor(random.next() * 100);
      times.push(atNs);
      line.hold(frameAt(atNs));
      if (frame % 4 === 0) {
        times.push(frame);
        line.push(frameAt(frame));
      }
    }
    expect(shiftAll(line), `seed ${seed}`).toEqual(times.sort((a, b) => a - b));
  });

  it('is bounded', () => {
    const line = new DelayLine();
    for (let frame = 0; frame < MAX_LINE_FRAMES; frame++) expect(line.push(frameAt(frame))).toBe(true);
    expect(line.push(frameAt(MAX_LINE_FRAMES))).toBe(false);
    for (let frame = 0; frame < MAX_HELD_FRAMES; frame++) expect(line.hold(frameAt(frame))).toBe(true);
    expect(line.hold(frameAt(0))).toBe(false);
    expect(line.length).toBe(MAX_LINE_FRAMES + MAX_HELD_FRAMES);
  });
});
