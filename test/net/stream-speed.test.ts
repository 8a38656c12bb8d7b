import { describe, expect, it } from 'vitest';
import type { Receiver } from '../../src/net/receiver.js';
import type { Sender } from '../../src/net/sender.js';
import { StreamReader } from '../../src/net/stream-reader.js';
import { StreamWriter } from '../../src/net/stream-writer.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A flow that takes everything and sends it when it is told to. */
class FakeSender {
  unsentBytes = 0;
  acknowledgedBytes = 0;

  write(bytes: Uint8Array): boolean {
    this.unsentBytes += bytes.length;
    return true;
  }

  open(): void {}

  end(): void {}
}

describe('the writing side of a stream', () => {
  it('has half a megabyte wait in the flow, and goes on when credits have sent half of it', async () => {
    const writer = new StreamWriter({ onOpened: () => {}, onWriterClosed: () => {} });
    const sender = new FakeSender();
    writer.attach(sender as unknown as Sender, true);
    let isTaken = false;
    writer.write([new Uint8Array(2_000_000)], () => {
      isTaken = true;
    });
    await turn();
    expect(sender.unsentBytes).toBeGreaterThanOrEqual(524_288);
    expect(sender.unsentBytes).toBeLessThan(524_288 + 65_536);
    for (let credits = 0; !isTaken && credits < 1_000; credits++) {
      sender.unsentBytes -= 8_946;
      writer.onCredit();
      await turn();
      expect(sender.unsentBytes).toBeGreaterThan(200_000);
    }
    expect(isTaken).toBe(true);
    expect(writer.bytesWritten).toBe(2_000_000);
  });
});

describe('the reading side of a stream', () => {
  it('gives large datagrams as they are, in order with what was copied', async () => {
    const given: Uint8Array[] = [];
    const reader = new StreamReader({
      push: (chunk) => given.push(chunk ?? new Uint8Array(0)) > 0,
      waitingBytes: () => 0,
      onReaderClosed: () => {},
    });
    const released: number[] = [];
    const receiver = { release: (bytes: number) => released.push(bytes), reset: () => {}, mayKeep: () => true };
    reader.attach(receiver as unknown as Receiver);
    const [small, large, last] = [1_000, 8_946, 500].map((bytes, at) => new Uint8Array(bytes).fill(at));
    for (const bytes of [small, large, last]) reader.onData(bytes);
    reader.onEnd();
    await turn();
    expect(given.map(({ length }) => length)).toEqual([1_000, 8_946, 500, 0]);
    expect(given.map((part) => part.buffer === large.buffer)).toEqual([false, true, false, false]);
    expect(Buffer.concat(given).equals(Buffer.concat([small, large, last]))).toBe(true);
    expect(released.reduce((sum, bytes) => sum + bytes, 0)).toBe(10_446);
  });

  it('copies large bytes that it may not keep', async () => {
    const given: Uint8Array[] = [];
    const reader = new StreamReader({
      push: (chunk) => given.push(chunk as Uint8Array) > 0,
      waitingBytes: () => 0,
      onReaderClosed: () => {},
    });
    reader.attach({ release: () => {}, reset: () => {}, mayKeep: () => false } as unknown as Receiver);
    const lent = new Uint8Array(8_946).fill(7);
    reader.onData(lent);
    lent.fill(0);
    await turn();
    expect(Buffer.concat(given).equals(Buffer.alloc(8_946, 7))).toBe(true);
  });
});
