import { describe, expect, it } from 'vitest';
import { RttEstimator } from '../../src/core/rtt.js';
import { FrameFate, Rack, SentFrames } from '../../src/core/sent-frames.js';

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

/** Frames sent 10 ns apart on a path of 100 ns. */
function bench(count: number) {
  const frames = new SentFrames();
  const rtt = new RttEstimator({ idleTimeoutNs: 4e9 });
  const rack = new Rack(frames, rtt);
  for (let number = 0; number < count; number++) frames.send(number, 1, 10 * number);
  const arrive = (number: number, rttNs = 100) => {
    rtt.sample(rttNs);
    rack.arrived(number, frames.fate(number), rttNs);
    frames.settle(number, FrameFate.arrived, 10 * number + rttNs);
  };
  const detect = (nowNs: number) => {
    const lost: number[] = [];
    rack.detect(nowNs, (number) => {
      lost.push(number);
      frames.settle(number, FrameFate.lost, nowNs);
      return true;
    });
    return lost;
  };
  return { frames, rack, arrive, detect };
}

describe('RACK', () => {
  it('finds what three later frames have overtaken, and nothing sooner', () => {
    const { arrive, detect } = bench(6);
    arrive(1);
    arrive(2);
    expect(detect(120)).toEqual([]);
    arrive(3);
    expect(detect(121)).toEqual([0]);
  });

  it('finds the rest a quarter of the least RTT after an RTT', () => {
    const { rack, arrive, detect } = bench(2);
    arrive(1);
    expect(detect(110)).toEqual([]);
    expect(rack.deadlineNs).toBe(125);
    expect(detect(124)).toEqual([]);
    expect(detect(125)).toEqual([0]);
    expect(rack.deadlineNs).toBe(Number.POSITIVE_INFINITY);
  });

  it('goes by time alone once it has seen reordering', () => {
    const { arrive, detect } = bench(9);
    arrive(1);
    arrive(0, 111);
    for (const number of [3, 4, 5]) arrive(number);
    // Frame 2 was sent at 20: 20 + 100 + 25.
    expect(detect(144)).toEqual([]);
    expect(detect(145)).toEqual([2]);
  });

  it('waits longer after it was wrong', () => {
    const { arrive, detect } = bench(9);
    for (const number of [1, 2, 3]) arrive(number);
    expect(detect(130)).toEqual([0]);
    arrive(0, 140);
    arrive(5);
    // Frame 4, sent at 40: two quarters of 100 now.
    expect(detect(189)).toEqual([]);
    expect(detect(190)).toEqual([4]);
  });

  it('looks again later where there is no room to note a loss', () => {
    const { rack, arrive } = bench(6);
    for (const number of [1, 2, 3]) arrive(number);
    rack.detect(130, () => false);
    expect(rack.deadlineNs).toBe(230);
  });
});
