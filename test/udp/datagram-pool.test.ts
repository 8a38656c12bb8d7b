import { describe, expect, it } from 'vitest';
import { bufferPool, DatagramPool, poolCapacity } from '../../src/udp/datagram-pool.js';

describe('DatagramPool', () => {
  it('wraps a datagram without copying it', () => {
    const bytes = Buffer.alloc(26);
    const frame = new DatagramPool(1472).wrap(bytes);
    expect(frame.bytes).toBe(bytes);
    expect(frame.length).toBe(26);
  });

  it('copies what is only lent, whatever its size and however much follows it', () => {
    const pool = new DatagramPool(1472);
    const lent = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 251));
    for (const length of [0, 1, 26, 64, 65, 1_472, 1_473, 3_000]) {
      const frame = pool.copy(lent, length);
      expect(Buffer.from(frame.bytes.subarray(0, frame.length))).toEqual(lent.subarray(0, length));
      expect(frame.bytes.buffer).not.toBe(lent.buffer);
    }
  });

  it('never takes a frame with a short buffer, whatever was given back', () => {
    const pool = new DatagramPool(1472);
    for (let round = 0; round < 100; round++) {
      const received = [20, 1472, 26, 3000].map((bytes) => pool.wrap(Buffer.alloc(bytes)));
      const taken = pool.take();
      expect(taken.bytes.length).toBe(1472);
      expect(taken.length).toBe(0);
      for (const frame of [...received, taken]) pool.give(frame);
    }
  });

  it('uses wrappers and full buffers again', () => {
    const pool = new DatagramPool(100);
    const short = pool.wrap(Buffer.alloc(10));
    pool.give(short);
    expect(pool.wrap(Buffer.alloc(20))).toBe(short);
    const full = pool.take();
    pool.give(full);
    expect(pool.take()).toBe(full);
  });

  it('lets go of the bytes of a short datagram when it is given back', () => {
    const pool = new DatagramPool(100);
    const frame = pool.wrap(Buffer.alloc(10));
    pool.give(frame);
    expect(frame.bytes.length).toBe(0);
  });

  it('goes on wrapping without new frames when full frames arrive for ever', () => {
    const frameBytes = 65_507;
    const pool = new DatagramPool(frameBytes);
    const kept = poolCapacity(frameBytes);
    const bytes = Buffer.alloc(frameBytes);
    for (let index = 0; index < kept; index++) pool.give(pool.wrap(bytes));
    const frame = pool.wrap(bytes);
    pool.give(frame);
    expect(pool.wrap(bytes)).toBe(frame);
  });
});

describe('bufferPool', () => {
  it('bounds what free buffers hold, and keeps some of any size', () => {
    expect(poolCapacity(1472)).toBe(1024);
    expect(poolCapacity(65_507)).toBe(64);
    expect(poolCapacity(10_000_000)).toBe(16);
    const frame = bufferPool(200).take();
    expect(frame.bytes.length).toBe(200);
    expect(frame.bytes.buffer.byteLength).toBe(200);
  });
});
