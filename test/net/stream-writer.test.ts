import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/net/sender.js';
import { StreamWriter } from '../../src/net/stream-writer.js';

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
