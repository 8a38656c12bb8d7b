import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/services/file/fault.js';
import type { Message } from '../../src/services/file/message.js';
import type { TransferBody } from '../../src/services/file/transfer-reader.js';
import type { ServedStream, StreamService } from '../../src/services/service.js';
import { ServiceHost } from '../../src/services/service-host.js';
import { MessageInbox, SILENT, StreamWorld, TestWriter } from '../harness/stream-world.js';

/** Counts the bytes of the streams of one kind. */
class CountingService implements StreamService {
  readonly kind: string;
  readonly headers: Message[] = [];
  bytes = 0;
  isClosed = false;

  constructor(kind: string) {
    this.kind = kind;
  }

  accept(header: Message, stream: ServedStream): TransferBody | Fault {
    this.headers.push(header);
    if (header.isBad === true) return new Fault('badMessage', 'this header is bad');
    return {
      bodyBytes: Number.POSITIVE_INFINITY,
      hasTrailer: false,
      onBody: (bytes) => {
        this.bytes += bytes.length;
        stream.receiver.release(bytes.length);
      },
      onEnd: () => stream.reply({ kind: 'counted', bytes: this.bytes }),
      onFault: () => undefined,
    };
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

function bed(maxStreams?: number, headerTimeoutMs = 10_000) {
  const world = new StreamWorld();
  const inbox = new MessageInbox();
  const sender = world.open();
  sender.acceptReceivers(inbox.accept);
  const services = [new CountingService('one'), new CountingService('two')];
  const host = new ServiceHost({
    services,
    logger: SILENT,
    headerTimeoutMs,
    ...(maxStreams === undefined ? {} : { maxStreams }),
  });
  host.serve(world.open());
  return { world, inbox, sender, services, host };
}

async function answerOf({ world, inbox }: ReturnType<typeof bed>, writer: TestWriter): Promise<Message | undefined> {
  await world.playUntil(() => inbox.answerTo(writer) !== undefined);
  return inbox.answerTo(writer);
}

describe('the application of a daemon', () => {
  it('gives each stream to the service that its first message names', async () => {
    const all = bed();
    const { sender, services } = all;
    const one = new TestWriter(sender).open(1, [{ kind: 'one' }, new Uint8Array(20_000)]);
    const two = new TestWriter(sender).open(1, [{ kind: 'two', more: 1 }, new Uint8Array(5)]);
    one.end();
    two.end();
    expect(await answerOf(all, one)).toEqual({ kind: 'counted', bytes: 20_000 });
    expect(await answerOf(all, two)).toEqual({ kind: 'counted', bytes: 5 });
    expect(services[1].headers).toEqual([{ kind: 'two', more: 1 }]);
  });

  it('answers a kind that nobody serves with the kinds that are, and is done with the stream', async () => {
    const all = bed();
    const writer = new TestWriter(all.sender).open(1, [{ kind: 'thr\u001b[2Jee' }, new Uint8Array(9)]);
    expect(await answerOf(all, writer)).toMatchObject({
      kind: 'verdict',
      ok: false,
      code: 'unsupported',
      message: "streams of the kind 'thr\\u001b[2Jee' are not served here; allowed: one, two",
    });
    await all.world.playUntil(() => all.host.streamCount === 0);
    expect(writer.closed).toMatchObject({ code: 'reset' });
  });

  it.each([
    ['no message at all', new Uint8Array([0, 0, 0, 5, 1, 2, 3, 4, 5]), 'badMessage'],
    ['a claim of four gigabytes', new Uint8Array([255, 255, 255, 255]), 'badMessage'],
    ['a header that its service refuses', { kind: 'one', isBad: true }, 'badMessage'],
  ])('answers %s', async (_, bytes, code) => {
    const all = bed();
    const writer = new TestWriter(all.sender).open(1, [bytes]);
    expect(await answerOf(all, writer)).toMatchObject({ kind: 'verdict', ok: false, code });
  });

  it('answers a stream that ends in its header', async () => {
    const all = bed();
    const writer = new TestWriter(all.sender).open(1, [new Uint8Array(2)]);
    writer.end();
    expect(await answerOf(all, writer)).toMatchObject({ code: 'truncated' });
  });

  it('refuses streams beyond its bound, and takes them again when there is room', async () => {
    const { world, sender, host } = bed(2);
    const writers = [0, 1, 2].map(() => new TestWriter(sender).open(1, [{ kind: 'one' }]));
    await world.playUntil(() => writers[2].closed !== undefined);
    expect(writers[2].closed).toMatchObject({ code: 'refused' });
    expect(host.streamCount).toBe(2);
    expect(host.refusedStreams).toBe(1);
    writers[0].end();
    await world.playUntil(() => host.streamCount === 1);
    const another = new TestWriter(sender).open(1, [{ kind: 'one' }]);
    await world.playUntil(() => host.streamCount === 2);
    expect(another.closed).toBeUndefined();
  });

  it('resets streams whose header does not come in time', async () => {
    const { world, sender, host } = bed(1_000, 20);
    const writers = [...Array(50)].map(() => new TestWriter(sender).open(1, [new Uint8Array(2)]));
    const served = new TestWriter(sender).open(1, [{ kind: 'one' }]);
    await world.playUntil(() => writers.every(({ closed }) => closed !== undefined));
    expect(writers[0].closed).toMatchObject({ code: 'reset' });
    expect(host.openings).toMatchObject({ lateHeaders: 50, evicted: 0 });
    expect([host.streamCount, served.closed]).toEqual([1, undefined]);
  });

  it('counts the credits of streams that are over as well', async () => {
    const { world, sender, host } = bed();
    const first = new TestWriter(sender).open(1, [{ kind: 'one' }, new Uint8Array(200_000)]);
    await world.playUntil(() => host.credits.credits.used > 100);
    first.end();
    await world.playUntil(() => host.streamCount === 0);
    const after = host.credits.credits;
    expect(after.used).toBeGreaterThanOrEqual(Math.floor(200_000 / 1472));
    expect(after.sent).toBeGreaterThanOrEqual(after.used + after.unused + after.dropped);
    new TestWriter(sender).open(1, [{ kind: 'one' }, new Uint8Array(200_000)]);
    await world.playUntil(() => host.credits.credits.used > 1.9 * after.used);
  });

  it('closes its services and takes nothing more', async () => {
    const { world, sender, host, services } = bed();
    await host.close();
    expect(services.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    const late = new TestWriter(sender).open(1, [{ kind: 'one' }]);
    await world.playUntil(() => late.closed !== undefined);
    expect(late.closed).toMatchObject({ code: 'refused' });
  });
});
