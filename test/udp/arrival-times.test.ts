import { describe, expect, it } from 'vitest';
import { ArrivalBatch, ArrivalEstimate } from '../../src/udp/arrival-times.js';
import { Frame } from '../../src/wire/frame.js';

function batchOf(count: number): { batch: ArrivalBatch; frames: Frame[] } {
  const batch = new ArrivalBatch();
  const frames = Array.from({ length: count }, () => new Frame(new Uint8Array(1)));
  frames.forEach((frame, index) => {
    expect(batch.push(frame)).toBe(index === 0);
  });
  return { batch, frames };
}

function deliver(batch: ArrivalBatch, nowNs: number): { frame: Frame; atNs: number }[] {
  const taken: { frame: Frame; atNs: number }[] = [];
  batch.deliver(nowNs, (frame, atNs) => taken.push({ frame, atNs }));
  return taken;
}

describe('datagrams that the loop finds together', () => {
  it('came evenly since it looked last, in their order, the last one now', () => {
    const { batch, frames } = batchOf(4);
    batch.seen(1_000_000);
    const taken = deliver(batch, 1_400_000);
    expect(taken.map(({ atNs }) => atNs)).toEqual([1_100_000, 1_200_000, 1_300_000, 1_400_000]);
    expect(taken.map(({ frame }) => frame)).toEqual(frames);
  });

  it('that have several frames in them count once, and their frames came evenly since the datagram before', () => {
    const batch = new ArrivalBatch();
    const frames = Array.from({ length: 6 }, () => new Frame(new Uint8Array(1)));
    const joins = [false, false, true, true, true, false];
    frames.forEach((frame, index) => {
      expect(batch.push(frame, joins[index])).toBe(index === 0);
    });
    batch.seen(1_000_000);
    const taken = deliver(batch, 1_300_000);
    expect(taken.map(({ atNs }) => atNs)).toEqual([1_100_000, 1_125_000, 1_150_000, 1_175_000, 1_200_000, 1_300_000]);
    expect(taken.map(({ frame }) => frame)).toEqual(frames);
    batch.push(frames[0]);
    batch.seen(2_000_000);
    expect(deliver(batch, 2_100_000).map(({ atNs }) => atNs)).toEqual([2_100_000]);
  });

  it('came just now when the loop had slept until the first of them', () => {
    const { batch } = batchOf(2);
    batch.seen(0);
    expect(deliver(batch, 1e9).map(({ atNs }) => atNs)).toEqual([1e9 - 250_000, 1e9]);
  });

  it('came now when there is one', () => {
    const { batch } = batchOf(1);
    batch.seen(0);
    expect(deliver(batch, 5_000_000).map(({ atNs }) => atNs)).toEqual([5_000_000]);
  });

  it('are delivered once', () => {
    const { batch } = batchOf(3);
    expect(deliver(batch, 10)).toHaveLength(3);
    expect(deliver(batch, 20)).toHaveLength(0);
    expect(batch.length).toBe(0);
  });
});

const MS = 1e6;

function bench() {
  const loop = { idle: 0 };
  return { loop, arrivals: new ArrivalEstimate(() => loop.idle) };
}

describe('ArrivalEstimate', () => {
  it('takes a datagram that woke an idle loop for one that has just come', () => {
    const { loop, arrivals } = bench();
    arrivals.looked(1 * MS);
    loop.idle = 5 * MS;
    arrivals.begin(6 * MS);
    expect(arrivals.waitedNs(6 * MS)).toBe(0);
  });

  it('leaves out of it what the loop was idle, before or after it was busy', () => {
    const { loop, arrivals } = bench();
    arrivals.looked(1 * MS);
    loop.idle = 2 * MS;
    arrivals.begin(9 * MS);
    expect(arrivals.waitedNs(9 * MS)).toBe(3 * MS);
  });

  it('takes half of the time since the last look for what was found after a busy time', () => {
    const { loop, arrivals } = bench();
    loop.idle = 6 * MS;
    arrivals.begin(6 * MS);
    arrivals.looked(6 * MS);
    arrivals.begin(10 * MS);
    expect(arrivals.waitedNs(10 * MS)).toBe(2 * MS);
    // Handled while the first kept the loop for a millisecond.
    expect(arrivals.waitedNs(11 * MS)).toBe(2.5 * MS);
    arrivals.looked(11 * MS);
    arrivals.begin(12 * MS);
    expect(arrivals.waitedNs(12 * MS)).toBe(0.5 * MS);
  });

  it('never goes back to an earlier look', () => {
    const { arrivals } = bench();
    arrivals.looked(5 * MS);
    arrivals.looked(4 * MS);
    arrivals.begin(6 * MS);
    expect(arrivals.waitedNs(6 * MS)).toBe(0.5 * MS);
    expect(arrivals.waitedNs(1 * MS)).toBe(0);
  });

  it('does not ask whether the loop was idle where that hardly matters', () => {
    let asked = 0;
    const arrivals = new ArrivalEstimate(() => {
      asked++;
      return 0;
    });
    arrivals.looked(1 * MS);
    arrivals.begin(1 * MS + 40_000);
    expect(asked).toBe(0);
    arrivals.begin(1 * MS + 60_000);
    expect(asked).toBe(1);
  });
});
