import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FileTransfer, type HashedSource } from '../../../src/apps/send/file-transfer.js';
import { Failure } from '../../../src/base/failure.js';
import type { EndpointConfig } from '../../../src/core/config.js';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import type { TransferBody } from '../../../src/services/file/transfer-reader.js';
import { badVerdict, goodVerdict } from '../../../src/services/file/verdict.js';
import type { ServedStream, StreamService } from '../../../src/services/service.js';
import { ServiceHost } from '../../../src/services/service-host.js';
import { SILENT, StreamWorld } from '../../harness/stream-world.js';
import { pattern } from '../../harness/streams.js';
import type { VirtualHost } from '../../harness/virtual-host.js';
import { INTACT, LOST } from '../../harness/world.js';

const CHUNK_BYTES = 65_536;

/** A file in memory. */
class MemorySource implements HashedSource {
  sha256: string | null = null;
  closings = 0;
  /** Fails instead of giving this chunk. */
  failsAt = -1;
  private readonly bytes: Uint8Array;
  private at = 0;
  private stage: 'header' | 'body' | 'done' = 'header';

  constructor(length: number) {
    this.bytes = pattern(0, length);
  }

  async next(): Promise<Uint8Array | null> {
    await null;
    if (this.stage === 'header') {
      this.stage = 'body';
      return encodeMessage({ kind: 'file', name: 'memory', bytes: this.bytes.length });
    }
    if (this.at === this.failsAt) throw new Failure(1, "'memory' shrank");
    const start = this.at;
    this.at += CHUNK_BYTES;
    if (start < this.bytes.length) return this.bytes.subarray(start, this.at);
    if (this.stage === 'done') return null;
    this.stage = 'done';
    this.sha256 = createHash('sha256').update(this.bytes).digest('hex');
    return encodeMessage({ kind: 'digest', sha256: this.sha256 });
  }

  close(): Promise<void> {
    this.closings++;
    return Promise.resolve();
  }
}

/** A receiver that answers as the test says. */
class ScriptedService implements StreamService {
  readonly kind = 'file';
  stream: ServedStream | null = null;
  /** What is answered to the header and to the end; null for nothing. */
  atHeader: Message | null = null;
  atEnd: ((sha256: string) => Message | null) | null = (sha256) => goodVerdict('complete', sha256);
  isComplete = false;
  private readonly hash = createHash('sha256');

  accept({ bytes }: Message, stream: ServedStream): TransferBody {
    this.stream = stream;
    if (this.atHeader !== null) stream.reply(this.atHeader);
    return {
      bodyBytes: bytes as number,
      hasTrailer: true,
      onBody: (body) => {
        this.hash.update(body);
        stream.receiver.release(body.length);
      },
      onEnd: () => {
        this.isComplete = true;
        const answer = this.atEnd?.(this.hash.digest('hex')) ?? null;
        if (answer !== null) stream.reply(answer);
      },
      onFault: () => undefined,
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Host 0 sends a file of `bytes` bytes to host 1. */
class Bed {
  readonly world: StreamWorld;
  readonly service = new ScriptedService();
  readonly source: MemorySource;
  readonly receiving: VirtualHost;
  readonly transfer: FileTransfer;

  constructor(bytes: number, changes: Partial<EndpointConfig> = {}) {
    this.world = new StreamWorld();
    const host = this.world.open({ sendBufferBytes: 256 * 1024, ...changes });
    this.receiving = this.world.open(changes);
    new ServiceHost({ services: [this.service], logger: SILENT }).serve(this.receiving);
    this.source = new MemorySource(bytes);
    this.transfer = new FileTransfer({ host, logger: SILENT, peer: 1, source: this.source, share: {} });
  }

  async outcome(): Promise<unknown> {
    const result = await this.world.play(this.transfer.send().catch((error: unknown) => error));
    expect(this.source.closings).toBe(1);
    return result;
  }

  get flowCount(): number {
    return this.world.hosts[0].endpoint.flowCount;
  }
}

describe('a file that is sent', () => {
  it.each([0, 1, CHUNK_BYTES, 1_000_003])('arrives with %d bytes, and the verdict comes back', async (bytes) => {
    const bed = new Bed(bytes);
    expect(await bed.outcome()).toMatchObject({ ok: true, sha256: bed.source.sha256 });
    expect(bed.transfer.acknowledgedBytes).toBeGreaterThan(bytes);
    bed.world.run(bed.world.nowNs + 1e9);
    expect(bed.flowCount).toBe(0);
  });

  it('arrives over a network that loses a twentieth of everything', async () => {
    const bed = new Bed(1_000_003);
    const { random } = bed.world;
    bed.world.network = () => (random.next() < 0.05 ? LOST : INTACT);
    expect(await bed.outcome()).toMatchObject({ ok: true });
  });

  it('keeps its flow while the receiver takes its time', async () => {
    const bed = new Bed(100_000, { idleTimeoutNs: 1e9 });
    bed.service.atEnd = null;
    let outcome: unknown;
    const sending = bed.transfer.send().then((verdict) => {
      outcome = verdict;
    });
    await bed.world.playUntil(() => bed.service.isComplete);
    bed.world.run(bed.world.nowNs + 10e9);
    expect(outcome).toBeUndefined();
    bed.service.stream?.reply(goodVerdict('complete', bed.source.sha256 ?? ''));
    await bed.world.play(sending);
    expect(outcome).toMatchObject({ ok: true });
  });

  it('takes a second answer when the first one breaks off', async () => {
    const bed = new Bed(100_000);
    bed.service.atEnd = null;
    const outcome = bed.outcome();
    await bed.world.playUntil(() => bed.service.isComplete);
    const stream = bed.service.stream as ServedStream;
    const broken = stream.receiver.openReply({ onWritable: () => undefined, onClosed: () => undefined });
    broken.write(new Uint8Array([0, 0]));
    await bed.world.playUntil(() => broken.acknowledgedBytes === 2);
    broken.reset();
    bed.world.run(bed.world.nowNs + 1e9);
    stream.reply(goodVerdict('complete', bed.source.sha256 ?? ''));
    expect(await outcome).toMatchObject({ ok: true });
  });

  it('stops when the receiver does not want it', async () => {
    const bed = new Bed(50_000_000);
    bed.service.atHeader = badVerdict(new Fault('exists', "'memory' exists"));
    expect(await bed.outcome()).toMatchObject({ ok: false, code: 'exists' });
    expect(bed.transfer.acknowledgedBytes).toBeLessThan(10_000_000);
    bed.world.run(bed.world.nowNs + 1e9);
    expect(bed.flowCount).toBe(0);
  });

  it.each([
    ['another digest', goodVerdict('complete', 'ab'.repeat(32)), /another SHA-256/],
    ['something that is no verdict', { kind: 'hello' }, /answer is wrong/],
    ['a verdict without sense', { kind: 'verdict', ok: 'yes' }, /answer is wrong/],
  ])('fails when the receiver answers %s', async (_, answer, sentence) => {
    const bed = new Bed(10_000);
    bed.service.atEnd = () => answer;
    const outcome = await bed.outcome();
    expect(outcome).toMatchObject({ exitCode: 1, message: expect.stringMatching(sentence) });
  });

  it('fails when the receiver claims to have it before it can', async () => {
    const bed = new Bed(5_000_000);
    bed.service.atHeader = goodVerdict('complete', 'ab'.repeat(32));
    expect(await bed.outcome()).toMatchObject({ exitCode: 1 });
  });

  it('fails when nobody is there', async () => {
    const bed = new Bed(100_000, { connectTimeoutNs: 2e8 });
    bed.world.kill(1);
    expect(await bed.outcome()).toMatchObject({ code: 'unreachable' });
    expect(bed.world.nowNs).toBeLessThan(2.2e8);
  });

  it('fails when the receiver dies in the middle', async () => {
    const bed = new Bed(50_000_000, { idleTimeoutNs: 2e8 });
    const outcome = bed.outcome();
    await bed.world.playUntil(() => bed.transfer.acknowledgedBytes > 1_000_000);
    bed.world.kill(1);
    const killedNs = bed.world.nowNs;
    expect(await outcome).toMatchObject({ code: 'idle' });
    expect(bed.world.nowNs - killedNs).toBeLessThan(2.2e8);
  });

  it('fails when the receiver dies before its verdict', async () => {
    const bed = new Bed(10_000, { idleTimeoutNs: 2e8 });
    bed.service.atEnd = null;
    const outcome = bed.outcome();
    await bed.world.playUntil(() => bed.service.isComplete);
    bed.world.kill(1);
    expect(await outcome).toMatchObject({ code: 'idle' });
  });

  it('fails when the receiver shuts down', async () => {
    const bed = new Bed(50_000_000);
    const outcome = bed.outcome();
    await bed.world.playUntil(() => bed.transfer.acknowledgedBytes > 1_000_000);
    bed.receiving.destroy();
    expect(await outcome).toMatchObject({ code: 'shutdown' });
  });

  it('fails, and gives the flow up, when it cannot be read to its end', async () => {
    const bed = new Bed(1_000_000);
    bed.source.failsAt = 3 * CHUNK_BYTES;
    expect(await bed.outcome()).toMatchObject({ exitCode: 1, message: "'memory' shrank" });
    expect(bed.flowCount).toBe(0);
    bed.world.run(bed.world.nowNs + 1e9);
    expect(bed.world.hosts[1].endpoint.flowCount).toBe(0);
  });

  it('can be given up', async () => {
    const bed = new Bed(50_000_000);
    const outcome = bed.outcome();
    await bed.world.playUntil(() => bed.transfer.acknowledgedBytes > 1_000_000);
    bed.transfer.abort(new Failure(1, 'interrupted'));
    expect(await outcome).toMatchObject({ message: 'interrupted' });
    expect(bed.flowCount).toBe(0);
  });

  it('counts as sent when the receiver says so and then dies', async () => {
    const bed = new Bed(10_000, { idleTimeoutNs: 2e8 });
    const outcome = bed.outcome();
    await bed.world.playUntil(() => bed.service.isComplete);
    // The verdict still arrives, and nothing after it.
    bed.world.network = (frame, from) => (from === 0 && frame.length < 100 && bed.flowCount > 1 ? LOST : INTACT);
    expect(await outcome).toMatchObject({ ok: true });
  });
});
