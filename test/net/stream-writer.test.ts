import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/net/sender.js';
import { StreamWriter, WriteSlabs } from '../../src/net/stream-writer.js';

/** Appends all of `bytes`, taking what is pending whenever a slab is full; returns what was taken, in order. */
function writeAll(slabs: WriteSlabs, bytes: Uint8Array): Uint8Array[] {
  const taken: Uint8Array[] = [];
  const take = (): void => {
    if (slabs.pendingBytes === 0) return;
    taken.push(slabs.pending);
    slabs.taken();
  };
  for (let at = 0; at < bytes.length; ) {
    const count = slabs.append(bytes, at);
    at += count;
    if (count === 0) take();
  }
  take();
  return taken;
}

const pattern = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + seed) % 251);

describe('slabs of written bytes', () => {
  it('keep a copy, so that the program may change its bytes at once', () => {
    const slabs = new WriteSlabs();
    const bytes = pattern(100, 1);
    slabs.append(bytes, 0);
    bytes.fill(0);
    expect(Buffer.from(slabs.pending)).toEqual(Buffer.from(pattern(100, 1)));
  });

  it('give several small writes as one piece', () => {
    const slabs = new WriteSlabs();
    slabs.append(pattern(10, 1), 0);
    slabs.append(pattern(20, 2), 0);
    expect(Buffer.from(slabs.pending)).toEqual(Buffer.concat([pattern(10, 1), pattern(20, 2)]));
  });

  it.each([1, 4_095, 4_096, 4_097, 65_536, 65_537, 1_000_000])('give back %i bytes as they came', (length) => {
    const slabs = new WriteSlabs();
    const bytes = pattern(length, 7);
    expect(Buffer.concat(writeAll(slabs, bytes)).equals(bytes)).toBe(true);
  });

  it('leave bytes alone until they are acknowledged, and use their memory again afterwards', () => {
    const slabs = new WriteSlabs();
    const first = writeAll(slabs, pattern(300_000, 3));
    const kept = first.map((part) => Buffer.from(part));
    const second = writeAll(slabs, pattern(300_000, 4));
    first.forEach((part, at) => {
      expect(kept[at].equals(part)).toBe(true);
    });
    slabs.acknowledged(600_000);
    const memory = new Set([...first, ...second].map(({ buffer }) => buffer));
    const third = writeAll(slabs, pattern(200_000, 5));
    expect(third.filter(({ buffer }) => memory.has(buffer)).length).toBeGreaterThan(0);
    expect(Buffer.concat(third).equals(pattern(200_000, 5))).toBe(true);
  });
});

/** A flow that takes so many bytes until it is given room again. */
class FakeSender {
  readonly calls: string[] = [];
  readonly written: Buffer[] = [];
  acknowledgedBytes = 0;
  unsentBytes = 0;
  room: number;

  constructor(room: number) {
    this.room = room;
  }

  write(bytes: Uint8Array): boolean {
    if (bytes.length > this.room) return false;
    this.room -= bytes.length;
    this.written.push(Buffer.from(bytes));
    this.calls.push(`write ${bytes.length}`);
    return true;
  }

  open(): void {
    this.calls.push('open');
  }

  end(): void {
    this.calls.push('end');
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function newWriter(room = 1e9): { writer: StreamWriter; sender: FakeSender; attach(opens?: boolean): void } {
  const writer = new StreamWriter({ onOpened: () => {}, onWriterClosed: () => {} });
  const sender = new FakeSender(room);
  return { writer, sender, attach: (opens = false) => writer.attach(sender as unknown as Sender, opens) };
}

const write = (writer: StreamWriter, text: string): Promise<void> =>
  new Promise((resolve) => writer.write([Buffer.from(text)], () => resolve()));

describe('the writing side of a stream', () => {
  it('gives the flow at once what was written in one turn', async () => {
    const { writer, sender, attach } = newWriter();
    attach();
    writer.write([Buffer.from('head')], () => {});
    writer.write([Buffer.from('er, '), Buffer.from('body')], () => {});
    expect(sender.calls).toEqual([]);
    await turn();
    expect(sender.calls).toEqual(['write 12']);
    expect(Buffer.concat(sender.written).toString()).toBe('header, body');
  });

  it('keeps what was written before there was a flow, and opens with it', async () => {
    const { writer, sender, attach } = newWriter();
    const done = write(writer, 'early');
    attach(true);
    await done;
    await turn();
    expect(sender.calls).toEqual(['write 5', 'open']);
  });

  it('asks the peer where nothing was written', () => {
    const { sender, attach } = newWriter();
    attach(true);
    expect(sender.calls).toEqual(['open']);
  });

  it('ends behind what was written, also where the flow has no room at the moment', async () => {
    const { writer, sender, attach } = newWriter(3);
    attach();
    await write(writer, 'four');
    writer.end();
    await turn();
    expect(sender.calls).toEqual([]);
    sender.room = 10;
    writer.onWritable();
    await turn();
    expect(sender.calls).toEqual(['write 4', 'end']);
  });

  it('ends a flow that comes later than the end', async () => {
    const { writer, sender, attach } = newWriter();
    writer.end();
    attach(true);
    await turn();
    expect(sender.calls).toEqual(['end']);
  });

  it('calls back for a large write only when the flow has room for it', async () => {
    const { writer, sender, attach } = newWriter(100_000);
    attach();
    let isDone = false;
    const bytes = Buffer.alloc(300_000, 'xyz');
    writer.write([bytes], () => {
      isDone = true;
    });
    await turn();
    expect(isDone).toBe(false);
    for (let tries = 0; tries < 10 && !isDone; tries++) {
      sender.room = 100_000;
      writer.onWritable();
      await turn();
    }
    await turn();
    expect(isDone).toBe(true);
    sender.room = 100_000;
    writer.onWritable();
    await turn();
    expect(Buffer.concat(sender.written).equals(bytes)).toBe(true);
    expect(writer.bytesWritten).toBe(300_000);
  });
});
