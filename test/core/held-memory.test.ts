import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { BLOCK_BYTES, HeldMemory } from '../../src/core/held-memory.js';
import { Placed, Reassembly } from '../../src/core/reassembly.js';
import { ReceiveWindow } from '../../src/core/receive-window.js';
import { frameType } from '../../src/wire/decode.js';
import { FrameType } from '../../src/wire/layout.js';
import { Sink, Source } from '../harness/streams.js';
import { INTACT, World } from '../harness/world.js';

const MEBIBYTE = 1024 * 1024;
const WINDOW = 4 * MEBIBYTE;
const SLACK = 16 * MEBIBYTE;
const NOBODY = { onBytes: () => {}, onLength: () => {} };

describe('the memory that flows hold beyond holes', () => {
  it('is at most twice its bytes and a constant, where each byte comes into a block of its own', () => {
    const held = new HeldMemory(Number.POSITIVE_INFINITY);
    const refused = { frames: 0 };
    // As measured: one-byte frames at the distance of pages, on many flows.
    for (let flow = 0; flow < 400; flow++) {
      const reassembly = new Reassembly(WINDOW, NOBODY, held);
      for (let at = 4_096; at < WINDOW; at += 4_096) {
        if (reassembly.insert(at, new Uint8Array(1), WINDOW) === Placed.noRoom) refused.frames++;
      }
    }
    expect(held.blockBytes).toBeLessThanOrEqual(2 * held.storedBytes + SLACK);
    expect(refused.frames).toBeGreaterThan(300_000);
  });

  it('takes what is dense, however much it is', () => {
    const held = new HeldMemory(Number.POSITIVE_INFINITY);
    for (let flow = 0; flow < 50; flow++) {
      const reassembly = new Reassembly(WINDOW, NOBODY, held);
      for (let at = 1_448; at + 1_448 <= WINDOW; at += 1_448) {
        expect(reassembly.insert(at, new Uint8Array(1_448), WINDOW)).toBe(Placed.outOfOrder);
      }
    }
    expect(held.storedBytes).toBeGreaterThan(49 * WINDOW);
  });

  it('stays below the limit of the host, where flows that hold most get no more and others find room', () => {
    const held = new HeldMemory(8 * MEBIBYTE);
    const flows = [...Array(6)].map(() => new Reassembly(WINDOW, NOBODY, held));
    const fill = (flow: Reassembly): number => {
      for (let at = BLOCK_BYTES; at < WINDOW; at += BLOCK_BYTES) flow.insert(at, new Uint8Array(BLOCK_BYTES), WINDOW);
      return flow.heldBytes / MEBIBYTE;
    };
    const filled = flows.map(fill);
    expect(filled[0]).toBeCloseTo(4, 0);
    expect(filled.at(-1)).toBeGreaterThan(0);
    expect([...filled].sort((one, other) => other - one)).toEqual(filled);
    expect(held.totalBytes).toBeLessThanOrEqual(8 * MEBIBYTE);
    flows[0].clear();
    expect(held.blockBytes).toBe(flows.slice(1).reduce((sum, flow) => sum + flow.heldBytes, 0));
  });

  it('is let go when holes close and when flows end', () => {
    const held = new HeldMemory(8 * MEBIBYTE);
    const flow = new Reassembly(WINDOW, NOBODY, held);
    flow.insert(1_000, new Uint8Array(100_000), WINDOW);
    flow.insert(300_000, new Uint8Array(10), WINDOW);
    flow.insert(0, new Uint8Array(1_000), WINDOW);
    expect([held.storedBytes, held.blockBytes]).toEqual([10, BLOCK_BYTES]);
    flow.clear();
    expect([held.storedBytes, held.blockBytes, flow.heldBytes]).toEqual([0, 0, 0]);
  });
});

describe('the credits of a host whose readers are slow', () => {
  it('end for a flow that holds more than is free, and never for one that holds nothing', () => {
    const held = new HeldMemory(100_000);
    const windows = [0, 1].map(() => {
      const window = new ReceiveWindow(new Reassembly(WINDOW, NOBODY, held), WINDOW, held);
      window.setFrameBytes(1_472);
      return window;
    });
    windows[0].deliver(60_000);
    expect(windows.map(({ credits }) => credits > 0)).toEqual([false, true]);
    windows[0].release(20_000);
    expect(windows.map(({ credits }) => credits > 0)).toEqual([true, true]);
    windows[0].letGo();
    expect(held.readerBytes).toBe(0);
  });

  it('come again when its readers go on: all bytes arrive', () => {
    const world = new World(1, 0.05 * MILLISECOND_NS);
    const sink = new Sink(world, true);
    const sources = [...Array(8)].map(() => new Source(world, 400_000));
    world.addHost({ rateBps: 1e9 });
    const limit = 256 * 1024;
    world.addHost({ rateBps: 1e9, heldMemoryBytes: limit }, sink);
    for (const source of sources) source.start(0, 1);
    let frames = 0;
    world.network = (frame) => (frameType(frame.bytes) === FrameType.data && ++frames % 50 === 0 ? [] : INTACT);
    const endpoint = world.hosts[1].endpoint;
    world.run(200 * MILLISECOND_NS);
    // What was credited before the limit was met comes as well.
    expect(endpoint.held.totalBytes).toBeLessThan(limit + 8 * 128 * 1_448);
    expect(sink.readers.every(({ received }) => received < 400_000)).toBe(true);
    for (let turn = 0; turn < 2_000 && sources.some(({ closed }) => closed === undefined); turn++) {
      for (const reader of sink.readers) {
        const { bytesDelivered, bytesHeld } = reader.flow.statistics;
        const waiting = Math.min(bytesHeld, bytesDelivered);
        if (!reader.flow.isClosed && waiting > 0)
          reader.flow.release(Math.min(waiting, unreleased(reader.flow)), world.nowNs);
      }
      world.run(world.nowNs + MILLISECOND_NS);
    }
    expect(sink.readers.map(({ received, wrong }) => [received, wrong])).toEqual(Array(8).fill([400_000, 0]));
    expect(endpoint.held.readerBytes).toBeGreaterThanOrEqual(0);
  });
});

/** Given to the reader and not released. */
function unreleased(flow: Sink['readers'][number]['flow']): number {
  const { window } = flow as unknown as { window: { readerBytes: number } };
  return window.readerBytes;
}
