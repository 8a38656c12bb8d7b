import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Receiver } from '../../src/net/receiver.js';
import { StreamReader } from '../../src/net/stream-reader.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function newReader() {
  const given: (string | null)[] = [];
  const released: number[] = [];
  const state = { hasRoom: true, resets: 0, waiting: 0 };
  const reader = new StreamReader({
    push: (chunk) => {
      given.push(chunk === null ? null : Buffer.from(chunk).toString('latin1'));
      return state.hasRoom;
    },
    waitingBytes: () => state.waiting,
    onReaderClosed: () => {},
  });
  const receiver = { release: (bytes: number) => released.push(bytes), reset: () => state.resets++ };
  reader.attach(receiver as unknown as Receiver);
  return { reader, given, released, state };
}

afterEach(() => void vi.unstubAllGlobals());

describe('the reading side of a stream', () => {
  it('gives what came in one turn together, and releases it', async () => {
    const { reader, given, released } = newReader();
    const frame = Buffer.from('ab');
    reader.onData(frame);
    frame.fill(0);
    reader.onData(Buffer.from('cd'));
    expect(given).toEqual([]);
    await turn();
    expect(given).toEqual(['abcd']);
    expect(released).toEqual([4]);
    expect(reader.bytesRead).toBe(4);
  });

  it('keeps the order over blocks of any size', async () => {
    const { reader, given } = newReader();
    const parts = Array.from({ length: 200 }, (_, at) =>
      String.fromCharCode(97 + (at % 26)).repeat(1 + ((at * 37) % 3_000)),
    );
    for (const [at, part] of parts.entries()) {
      reader.onData(Buffer.from(part));
      if (at % 17 === 0) await turn();
    }
    await turn();
    expect(given.join('')).toBe(parts.join(''));
  });

  it('holds bytes back while the program has no room', async () => {
    const { reader, released, state } = newReader();
    state.hasRoom = false;
    reader.onData(Buffer.alloc(1_000));
    await turn();
    reader.onData(Buffer.alloc(500));
    await turn();
    expect(released).toEqual([]);
    state.hasRoom = true;
    reader.resume();
    expect(released).toEqual([1_500]);
  });

  it('gives the rest in a later turn where a listener of the program throws', () => {
    const turns: (() => void)[] = [];
    vi.stubGlobal('setImmediate', (turn: () => void) => turns.push(turn));
    const given: number[] = [];
    const reader = new StreamReader({
      push: (chunk) => {
        given.push(chunk?.length ?? -1);
        if (given.length === 1) throw new Error('listener');
        return true;
      },
      waitingBytes: () => 0,
      onReaderClosed: () => {},
    });
    reader.onData(Buffer.alloc(100));
    reader.onData(Buffer.alloc(9_900));
    reader.onEnd();
    expect(() => turns.shift()?.()).toThrow('listener');
    for (const turn of turns) turn();
    expect(given.at(-1)).toBe(-1);
    expect(given.slice(0, -1).reduce((sum, bytes) => sum + bytes, 0)).toBe(10_000);
  });

  it('tells the end behind the last bytes', async () => {
    const { reader, given } = newReader();
    reader.onData(Buffer.from('last'));
    reader.onEnd();
    await turn();
    expect(given).toEqual(['last', null]);
  });

  it('resets a flow that nobody reads any more when bytes come, and not before', async () => {
    const { reader, given, state } = newReader();
    reader.onData(Buffer.from('unread'));
    reader.abandon();
    await turn();
    expect(given).toEqual([]);
    expect(state.resets).toBe(0);
    reader.onData(Buffer.from('more'));
    expect(state.resets).toBe(1);
  });

  it('puts small chunks together while the program takes nothing, so that they cost no more than their bytes', async () => {
    const { reader, given, released, state } = newReader();
    for (let byte = 0; byte < 3_000; byte++) {
      reader.onData(Buffer.from('x'));
      await turn();
      state.waiting = reader.bytesRead;
    }
    expect(given.map((chunk) => chunk?.length)).toEqual([1, 1_024, 1_024]);
    expect(released.reduce((sum, bytes) => sum + bytes, 0)).toBe(2_049);
    reader.taken();
    expect(given).toHaveLength(3);
    state.waiting = 0;
    reader.taken();
    expect(given.at(-1)).toHaveLength(951);
    expect(released.reduce((sum, bytes) => sum + bytes, 0)).toBe(3_000);
  });
});
