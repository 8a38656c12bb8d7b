import { Duplex } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeMessage, type Message, MessageDecoder } from '../../src/services/file/message.js';
import { type DuplexService, type HostStream, StreamServices } from '../../src/services/stream-services.js';

/** A stream whose other end is the test. */
class TestStream extends Duplex implements HostStream {
  readonly peerName = '192.0.2.7:28400';
  wasReset = false;
  private written = Buffer.alloc(0);

  constructor() {
    super({ allowHalfOpen: true });
  }

  arrive(bytes: Uint8Array | null): void {
    this.push(bytes);
  }

  get answer(): Message | null {
    const decoder = new MessageDecoder();
    decoder.push(this.written, 0);
    return decoder.result as Message | null;
  }

  resetAndDestroy(): this {
    this.wasReset = true;
    return this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.written = Buffer.concat([this.written, chunk]);
    callback();
  }
}

class Echo implements DuplexService {
  readonly kinds = ['echo'];
  readonly taken: Message[] = [];
  readonly streams: HostStream[] = [];

  accept(header: Message, stream: HostStream): void {
    this.taken.push(header);
    this.streams.push(stream);
  }

  async close(): Promise<void> {}
}

function services(options: { maxStreams?: number; headerTimeoutMs?: number } = {}) {
  const echo = new Echo();
  return { echo, all: new StreamServices({ services: [echo], logger: pino({ level: 'silent' }), ...options }) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const turns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('streams that peers open', () => {
  it('go to the service for their header, with what follows it', async () => {
    const { echo, all } = services();
    const stream = new TestStream();
    all.take(stream);
    const header = encodeMessage({ kind: 'echo', word: 'x' });
    stream.arrive(header.subarray(0, 7));
    await turns();
    stream.arrive(Buffer.concat([header.subarray(7), Buffer.from('body')]));
    await turns();
    expect(echo.taken).toEqual([{ kind: 'echo', word: 'x' }]);
    expect(String(echo.streams[0].read())).toBe('body');
    expect(all.counters).toMatchObject({ taken: 1, lateHeaders: 0, badHeaders: 0, unsupported: 0 });
  });

  it('of a kind that nobody serves are told so, and reset if they stay', async () => {
    const { all } = services();
    const stream = new TestStream();
    all.take(stream);
    stream.arrive(encodeMessage({ kind: 'nonsense' }));
    await turns();
    expect(stream.answer).toMatchObject({ kind: 'verdict', ok: false, code: 'unsupported' });
    expect(all.counters.unsupported).toBe(1);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(stream.wasReset).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(stream.wasReset).toBe(true);
  });

  it('that do not send their header in time are refused', async () => {
    const { all } = services({ headerTimeoutMs: 50 });
    const stream = new TestStream();
    all.take(stream);
    stream.arrive(encodeMessage({ kind: 'echo' }).subarray(0, 5));
    await turns();
    await vi.advanceTimersByTimeAsync(50);
    await turns();
    expect(stream.answer).toMatchObject({ code: 'timeout' });
    expect(all.counters.lateHeaders).toBe(1);
  });

  it.each([
    ['make no sense', (stream: TestStream) => stream.arrive(Buffer.from('GET / HTTP/1.1'))],
    ['end before their header', (stream: TestStream) => stream.arrive(null)],
    ['fail before it', (stream: TestStream) => stream.destroy(new Error('lost'))],
    ['close before it', (stream: TestStream) => stream.destroy()],
  ])('that %s are counted', async (_, act) => {
    const { echo, all } = services();
    const stream = new TestStream();
    all.take(stream);
    act(stream);
    await turns();
    expect([all.counters.badHeaders, echo.taken.length]).toEqual([1, 0]);
  });

  it('beyond the bound are refused, and beyond twice the bound reset', async () => {
    const { all } = services({ maxStreams: 1 });
    const [first, second, third] = [new TestStream(), new TestStream(), new TestStream()];
    for (const stream of [first, second, third]) all.take(stream);
    await turns();
    expect([first.answer, second.answer?.code, third.wasReset]).toEqual([null, 'busy', true]);
    expect([all.counters.tooMany, all.streamCount]).toEqual([2, 2]);
    first.destroy();
    second.destroy();
    await turns();
    expect(all.streamCount).toBe(0);
  });

  it('are reset when the services close, and no more are taken', async () => {
    const { echo, all } = services();
    const [first, late] = [new TestStream(), new TestStream()];
    all.take(first);
    await all.close();
    all.take(late);
    expect([first.wasReset, late.wasReset, echo.taken.length]).toEqual([true, true, 0]);
  });
});
