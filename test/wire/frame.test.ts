import { describe, expect, it } from 'vitest';
import { Frame, FramePool } from '../../src/wire/frame.js';

describe('Frame', () => {
  it('occupies on Ethernet what it holds, what it only counts, and 66 bytes', () => {
    const frame = new Frame(new Uint8Array(64));
    frame.length = 22;
    frame.phantomBytes = 1450;
    expect(frame.wireBytes).toBe(1538);
  });
});

describe('FramePool', () => {
  it('gives a frame out again, empty', () => {
    const pool = new FramePool(() => new Uint8Array(64), 2);
    const frame = pool.take();
    frame.length = 10;
    frame.phantomBytes = 5;
    pool.give(frame);
    expect(pool.take()).toBe(frame);
    expect([frame.length, frame.phantomBytes]).toEqual([0, 0]);
  });

  it('keeps no more frames than its capacity', () => {
    let made = 0;
    const makeBytes = () => {
      made++;
      return new Uint8Array(64);
    };
    const pool = new FramePool(makeBytes, 2);
    const frames = [pool.take(), pool.take(), pool.take()];
    for (const frame of frames) pool.give(frame);
    const again = [pool.take(), pool.take(), pool.take()];
    expect(made).toBe(4);
    expect(new Set(again).size).toBe(3);
  });

  it('has room for as many bytes as were reserved, and keeps a buffer that is large enough', () => {
    const bytes = new Uint8Array(64);
    const frame = new Frame(bytes);
    frame.reserve(64);
    expect(frame.bytes).toBe(bytes);
    frame.reserve(65);
    expect(frame.bytes).toHaveLength(65);
  });
});
