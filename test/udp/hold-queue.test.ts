import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { HoldQueue } from '../../src/udp/hold-queue.js';
import { Frame } from '../../src/wire/frame.js';
import { holds, printSeed } from '../harness/seeds.js';

printSeed();

function frameAt(atNs: number, port = 0): Frame {
  const frame = new Frame(new Uint8Array(0));
  frame.atNs = atNs;
  frame.port = port;
  return frame;
}

describe('HoldQueue', () => {
  it('has no next time when it is empty', () => {
    expect(new HoldQueue().peekAtNs()).toBe(NEVER);
  });

  it('gives frames by their time, and those of one time as they came', () => {
    const steps = fc.array(fc.oneof(fc.nat(8), fc.constant('shift' as const)), { maxLength: 200 });
    holds(steps, 500, (list) => {
      const queue = new HoldQueue();
      const naive: Frame[] = [];
      list.forEach((step, index) => {
        if (step !== 'shift') {
          const frame = frameAt(step, index);
          expect(queue.push(frame)).toBe(true);
          naive.push(frame);
          naive.sort((a, b) => a.atNs - b.atNs || a.port - b.port);
        } else if (naive.length > 0) {
          expect(queue.shift()).toBe(naive.shift());
        }
        expect(queue.length).toBe(naive.length);
        expect(queue.peekAtNs()).toBe(naive[0]?.atNs ?? NEVER);
      });
    });
  });

  it('turns frames away beyond its bound and counts them', () => {
    const queue = new HoldQueue(2);
    expect([1, 2, 3, 4].map((atNs) => queue.push(frameAt(atNs)))).toEqual([true, true, false, false]);
    expect(queue.overflows).toBe(2);
    expect(queue.shift().atNs).toBe(1);
    expect(queue.push(frameAt(5))).toBe(true);
  });
});
