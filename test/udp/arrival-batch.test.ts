import { describe, expect, it } from 'vitest';
import { ArrivalBatch } from '../../src/udp/arrival-batch.js';
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
