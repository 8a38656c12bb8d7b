import { describe, expect, it } from 'vitest';
import type { XpassError } from '../../src/base/errors.js';
import { Fault } from '../../src/services/file/fault.js';
import type { Message } from '../../src/services/file/message.js';
import type { TransferBody } from '../../src/services/file/transfer-reader.js';
import { IncomingStream } from '../../src/services/incoming-stream.js';
import { frameType } from '../../src/wire/decode.js';
import { FrameType } from '../../src/wire/layout.js';
import { MessageInbox, SILENT, StreamWorld, TestWriter } from '../harness/stream-world.js';
import type { VirtualHost } from '../harness/virtual-host.js';
import { INTACT, LOST } from '../harness/world.js';

/** Host 0 sends, host 1 takes one stream of so many bytes as an IncomingStream. */
class Bed implements TransferBody {
  readonly world = new StreamWorld();
  readonly inbox = new MessageInbox();
  readonly sender: VirtualHost;
  readonly hasTrailer = false;
  readonly bodyBytes: number;
  stream!: IncomingStream;
  header: Message | undefined;
  received = 0;
  isEnded = false;
  fault: Fault | undefined;
  refusal: Fault | undefined;
  closed: XpassError | null | undefined;
  private readonly releases: boolean;

  constructor(bodyBytes: number, { releases = true, receiveWindowBytes = 65_536 } = {}) {
    this.bodyBytes = bodyBytes;
    this.releases = releases;
    this.sender = this.world.open();
    this.sender.acceptReceivers(this.inbox.accept);
    const host = this.world.open({ receiveWindowBytes });
    host.acceptReceivers((receiver) => {
      this.stream = new IncomingStream({
        receiver,
        host,
        logger: SILENT,
        accept: (header) => {
          this.header = header;
          return header.kind === 'wrong' ? new Fault('unsupported', 'not this') : this;
        },
        onRefused: (fault) => {
          this.refusal = fault;
        },
        onClosed: (_, error) => {
          this.closed = error;
        },
      });
      return this.stream;
    });
  }

  onBody(bytes: Uint8Array): void {
    this.received += bytes.length;
    if (this.releases) this.stream.receiver.release(bytes.length);
  }

  onEnd(): void {
    this.isEnded = true;
  }

  onFault(fault: Fault): void {
    this.fault = fault;
  }

  send(bytes: number, kind = 'test'): TestWriter {
    return new TestWriter(this.sender).open(1, [{ kind }, new Uint8Array(bytes)]);
  }
}

describe('a stream that comes in', () => {
  it('goes to whoever takes its header, and ends for them when it is complete', async () => {
    const bed = new Bed(300_000);
    const writer = bed.send(300_000);
    await bed.world.playUntil(() => bed.isEnded);
    expect(bed.header).toEqual({ kind: 'test' });
    expect(bed.received).toBe(300_000);
    expect(bed.closed).toBeUndefined();
    writer.end();
    await bed.world.playUntil(() => bed.closed !== undefined);
    expect(bed.closed).toBeNull();
    expect(bed.stream.isClosed).toBe(true);
    expect(writer.closed).toBeNull();
  });

  it('holds its sender back while nothing is released, and lets it go on afterwards', async () => {
    const bed = new Bed(300_000, { releases: false });
    bed.send(300_000);
    bed.world.run(1e9);
    expect(bed.received).toBeGreaterThan(30_000);
    expect(bed.received).toBeLessThanOrEqual(65_536);
    bed.stream.receiver.release(bed.received);
    bed.world.run(2e9);
    expect(bed.received).toBeGreaterThan(65_536);
  });

  it('tells its taker when the flow is lost', async () => {
    const bed = new Bed(Number.POSITIVE_INFINITY);
    const writer = bed.send(5_000);
    await bed.world.playUntil(() => bed.received === 5_000);
    writer.reset();
    await bed.world.playUntil(() => bed.closed !== undefined);
    expect(bed.fault).toMatchObject({ code: 'aborted', message: 'the peer gave the flow up' });
    expect(bed.isEnded).toBe(false);
  });

  it('ignores releases that come after the flow is over', async () => {
    const bed = new Bed(5_000, { releases: false });
    bed.send(5_000).end();
    await bed.world.playUntil(() => bed.closed !== undefined);
    bed.stream.receiver.release(5_000);
    expect(bed.isEnded).toBe(true);
  });

  it('is read to its end when nobody takes it', async () => {
    const bed = new Bed(0);
    const writer = bed.send(300_000, 'wrong');
    writer.end();
    await bed.world.playUntil(() => writer.closed !== undefined);
    expect(bed.refusal).toMatchObject({ code: 'unsupported' });
    expect(writer.closed).toBeNull();
  });

  it('is answered on a flow that names it', async () => {
    const bed = new Bed(10);
    const writer = bed.send(10);
    await bed.world.playUntil(() => bed.isEnded);
    bed.stream.reply({ kind: 'answer', value: 7 });
    await bed.world.playUntil(() => bed.inbox.answerTo(writer) !== undefined);
    expect(bed.inbox.answerTo(writer)).toEqual({ kind: 'answer', value: 7 });
    bed.world.run(bed.world.nowNs + 1e9);
    expect(writer.closed).toBeUndefined();
  });

  it('is reset when it was answered before it was complete, since nobody wants the rest', async () => {
    const bed = new Bed(Number.POSITIVE_INFINITY);
    const writer = bed.send(10);
    await bed.world.playUntil(() => bed.received === 10);
    bed.stream.reply({ kind: 'answer' });
    await bed.world.playUntil(() => writer.closed !== undefined);
    expect(bed.inbox.answerTo(writer)).toEqual({ kind: 'answer' });
    expect(writer.closed).toMatchObject({ code: 'reset' });
  });

  it('is answered again when the answer was lost', async () => {
    const bed = new Bed(10);
    const writer = bed.send(10);
    await bed.world.playUntil(() => bed.isEnded);
    let lost = 0;
    bed.world.network = (frame, from) => {
      const isAnswer = from === 1 && frameType(frame.bytes) === FrameType.creditRequest;
      if (isAnswer) lost++;
      return isAnswer ? LOST : INTACT;
    };
    bed.stream.reply({ kind: 'answer' });
    bed.world.run(bed.world.nowNs + 7e9);
    expect(lost).toBeGreaterThan(10);
    expect(writer.closed).toBeUndefined();
    bed.world.network = () => INTACT;
    await bed.world.playUntil(() => bed.inbox.answerTo(writer) !== undefined);
    expect(writer.closed).toBeUndefined();
  });

  it('is reset when no answer gets through', async () => {
    const bed = new Bed(10);
    const writer = bed.send(10);
    await bed.world.playUntil(() => bed.isEnded);
    bed.world.network = (frame, from) => {
      return from === 1 && frameType(frame.bytes) === FrameType.creditRequest ? LOST : INTACT;
    };
    bed.stream.reply({ kind: 'answer' });
    bed.world.run(bed.world.nowNs + 16e9);
    expect(writer.closed).toMatchObject({ code: 'reset' });
  });

  it('survives a peer that cannot be answered', async () => {
    const bed = new Bed(10);
    bed.send(10).end();
    await bed.world.playUntil(() => bed.isEnded);
    bed.world.kill(0);
    bed.stream.reply({ kind: 'answer' });
    bed.world.run(60e9);
    expect(bed.world.hosts[1].endpoint.flowCount).toBe(0);
  });
});
