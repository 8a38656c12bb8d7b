import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FileOutcome, FileService, type FileServiceOptions } from '../../../src/apps/daemon/file-service.js';
import type { PrefixPoint } from '../../../src/services/file/file-offer.js';
import type { Message } from '../../../src/services/file/message.js';
import { PartStore } from '../../../src/services/file/part-store.js';
import { SpaceBook } from '../../../src/services/file/space.js';
import { ServiceHost } from '../../../src/services/service-host.js';
import { MessageInbox, SILENT, StreamWorld, TestWriter } from '../../harness/stream-world.js';
import { pattern } from '../../harness/streams.js';
import { temporaryDirectory } from '../../services/file/failing-file-system.js';

/** Host 0 sends to host 1, which receives files into a directory of its own. */
async function bed(options: Partial<FileServiceOptions> = {}) {
  const world = new StreamWorld();
  const inbox = new MessageInbox();
  const sender = world.open();
  sender.acceptReceivers(inbox.accept);
  const directory = await temporaryDirectory();
  const outcomes: FileOutcome[] = [];
  const onOutcome = (outcome: FileOutcome): void => void outcomes.push(outcome);
  const service = new FileService({ directory, overwrite: false, onOutcome, ...options });
  const host = new ServiceHost({
    services: [service, service.offers, service.series, service.existing],
    logger: SILENT,
  });
  host.serve(world.open());
  return { world, inbox, sender, directory, outcomes, service, host };
}

type Bed = Awaited<ReturnType<typeof bed>>;

const digestOf = (bytes: Uint8Array): Message => {
  return { kind: 'digest', sha256: createHash('sha256').update(bytes).digest('hex') };
};

const headerOf = (name: unknown, bytes: number): Message => ({ kind: 'file', name, bytes });

/** Sends a file whole; the flow stays open, as senders leave it. */
function sendFile({ sender }: Bed, name: unknown, bytes: Uint8Array): TestWriter {
  return new TestWriter(sender).open(1, [headerOf(name, bytes.length), bytes, digestOf(bytes)]);
}

async function verdictOn({ world, inbox }: Bed, writer: TestWriter): Promise<Message | undefined> {
  await world.playUntil(() => inbox.answerTo(writer) !== undefined);
  return inbox.answerTo(writer);
}

/** Compares whole: vitest would compare byte by byte, in seconds. */
async function isStoredAs({ directory }: Bed, name: string): Promise<(bytes: Uint8Array) => boolean> {
  const stored = await readFile(join(directory, name));
  return (bytes) => stored.equals(bytes);
}

describe('the file service', () => {
  it('stores a file, says so to the sender and tells the daemon', async () => {
    const all = await bed();
    const bytes = pattern(0, 300_000);
    const writer = sendFile(all, 'big.bin', bytes);
    const { sha256 } = digestOf(bytes);
    expect(await verdictOn(all, writer)).toMatchObject({ ok: true, code: 'ok', sha256 });
    expect(bytes).toSatisfy(await isStoredAs(all, 'big.bin'));
    expect(await readdir(all.directory)).toEqual(['big.bin']);
    expect(all.outcomes).toHaveLength(1);
    expect(all.outcomes[0]).toMatchObject({ peerName: 'host 0', flowId: writer.id, verdict: { ok: true } });
    expect(all.outcomes[0].durationNs).toBeGreaterThan(0);
    expect(writer.closed).toBeUndefined();
  });

  it('stores an empty file', async () => {
    const all = await bed();
    expect(await verdictOn(all, sendFile(all, 'nothing', new Uint8Array(0)))).toMatchObject({ ok: true });
    expect(await readFile(join(all.directory, 'nothing'))).toHaveLength(0);
  });

  it('stores many files at a time', async () => {
    const all = await bed();
    const writers = Array.from({ length: 20 }, (_, at) => sendFile(all, `file-${at}`, pattern(at, 30_000)));
    for (const writer of writers) expect(await verdictOn(all, writer)).toMatchObject({ ok: true });
    for (let at = 0; at < 20; at++) {
      expect(pattern(at, 30_000)).toSatisfy(await isStoredAs(all, `file-${at}`));
    }
  });

  it.each([
    '../up',
    'a//b',
    'a\\b',
    '',
    '.',
    '..',
    '.hidden',
    '/etc/passwd',
    'nul\0byte',
    'esc\u001b[2J',
    'x'.repeat(256),
    7,
    null,
    ['a'],
    undefined,
  ])('refuses the name %j, and leaves nothing behind', async (name) => {
    const all = await bed();
    expect(await verdictOn(all, sendFile(all, name, pattern(0, 10)))).toMatchObject({ ok: false, code: 'badName' });
    expect(await readdir(all.directory)).toEqual([]);
    expect(all.outcomes).toEqual([]);
  });

  it.each([-1, 1.5, 2 ** 60, '10'])('refuses the length %j', async (bytes) => {
    const all = await bed();
    const writer = new TestWriter(all.sender).open(1, [{ kind: 'file', name: 'a', bytes }]);
    expect(await verdictOn(all, writer)).toMatchObject({ ok: false, code: 'badMessage' });
  });

  it('does not overwrite unless told to', async () => {
    const all = await bed();
    await writeFile(join(all.directory, 'kept'), 'mine');
    expect(await verdictOn(all, sendFile(all, 'kept', pattern(0, 10)))).toMatchObject({ code: 'exists' });
    expect(await readFile(join(all.directory, 'kept'), 'utf8')).toBe('mine');
    expect(all.outcomes[0].verdict).toMatchObject({ ok: false, code: 'exists' });

    const willing = await bed({ overwrite: true });
    await writeFile(join(willing.directory, 'kept'), 'mine');
    expect(await verdictOn(willing, sendFile(willing, 'kept', pattern(0, 10)))).toMatchObject({ ok: true });
    expect(await readFile(join(willing.directory, 'kept'))).toEqual(Buffer.from(pattern(0, 10)));
  });

  it('gives one of two senders of the same name its file, and refuses the other', async () => {
    const all = await bed();
    const writers = [sendFile(all, 'same', pattern(0, 50_000)), sendFile(all, 'same', pattern(1, 50_000))];
    const verdicts = [await verdictOn(all, writers[0]), await verdictOn(all, writers[1])];
    expect(verdicts.map((verdict) => verdict?.code).sort()).toEqual(['exists', 'ok']);
    expect(await readdir(all.directory)).toEqual(['same']);
  });

  it('refuses what has another digest than announced', async () => {
    const all = await bed();
    const bytes = pattern(0, 9_000);
    const writer = new TestWriter(all.sender).open(1, [headerOf('bad', 9_000), bytes, digestOf(pattern(1, 9_000))]);
    expect(await verdictOn(all, writer)).toMatchObject({ code: 'badDigest' });
    expect(await readdir(all.directory)).toEqual([]);
  });

  it('stops a sender whose file is refused at the header', async () => {
    const all = await bed();
    await writeFile(join(all.directory, 'kept'), 'mine');
    const writer = new TestWriter(all.sender).open(1, [headerOf('kept', 1e9), pattern(0, 1_000_000)]);
    await all.world.playUntil(() => writer.closed !== undefined);
    expect(all.inbox.answerTo(writer)).toMatchObject({ code: 'exists' });
  });

  it('leaves nothing of a file whose sender gives up', async () => {
    const all = await bed();
    const writer = new TestWriter(all.sender).open(1, [headerOf('half', 1e6), pattern(0, 500_000)]);
    await all.world.playUntil(() => (all.service.progress()[0]?.bytesDelivered ?? 0) > 400_000);
    // The disk has its own time.
    await vi.waitFor(async () => expect(await readdir(all.directory)).toHaveLength(1));
    writer.reset();
    await all.world.playUntil(() => all.outcomes.length > 0);
    expect(all.outcomes[0].verdict).toMatchObject({ ok: false, code: 'aborted' });
    expect(await readdir(all.directory)).toEqual([]);
    expect(all.service.progress()).toEqual([]);
  });

  it('says how far each file is', async () => {
    const all = await bed();
    const writer = new TestWriter(all.sender).open(1, [headerOf('half', 1e6), pattern(0, 500_000)]);
    await all.world.playUntil(() => (all.service.progress()[0]?.bytesDelivered ?? 0) > 500_000);
    const [progress] = all.service.progress();
    expect(progress).toMatchObject({ peerName: 'host 0', flowId: writer.id, name: 'half' });
    expect(progress.bytesDelivered).toBeLessThan(500_200);
    await all.world.play(all.host.close());
  });

  it('gives up all files when it is closed, and leaves the last word to the reset', async () => {
    const all = await bed();
    const writer = new TestWriter(all.sender).open(1, [headerOf('half', 1e6), pattern(0, 500_000)]);
    await all.world.playUntil(() => (all.service.progress()[0]?.bytesDelivered ?? 0) > 400_000);
    await all.world.play(all.host.close());
    expect(await readdir(all.directory)).toEqual([]);
    expect(all.outcomes[0].verdict).toMatchObject({ ok: false, code: 'aborted' });
    all.world.run(all.world.nowNs + 1e9);
    expect(all.inbox.answerTo(writer)).toBeUndefined();
  });

  it('takes as many files at a time as its bound says', async () => {
    const all = await bed({ maxFiles: 1 });
    new TestWriter(all.sender).open(1, [headerOf('first', 1e6)]);
    await all.world.playUntil(() => all.service.progress().length === 1);
    expect(await verdictOn(all, sendFile(all, 'second', pattern(0, 10)))).toMatchObject({ code: 'busy' });
    await all.world.play(all.host.close());
  });

  it('says what a directory that goes away means', async () => {
    const all = await bed();
    const service = await bed({ directory: join(all.directory, 'gone') });
    expect(await verdictOn(service, sendFile(service, 'a', pattern(0, 10)))).toMatchObject({ ok: false, code: 'io' });
  });

  it('answers a question with what it has of the file, and goes on with that', async () => {
    const all = await bed();
    const parts = new PartStore({ directory: all.directory, keepMs: 60_000 });
    const served = await bed({ directory: all.directory, parts });
    const bytes = pattern(0, 2_500_000);
    const first = new TestWriter(served.sender).open(1, [headerOf('half', bytes.length), bytes.subarray(0, 2_000_000)]);
    await served.world.playUntil(() => (served.service.progress()[0]?.bytesDelivered ?? 0) > 2_000_000);
    first.reset();
    await served.world.playUntil(() => served.outcomes.length > 0);
    expect(served.outcomes[0]).toMatchObject({ keptBytes: 2_000_000, verdict: { code: 'aborted' } });

    const query = { kind: 'file-query', name: 'half', bytes: bytes.length };
    const offer = await verdictOn(served, new TestWriter(served.sender).open(1, [query]));
    expect(offer).toMatchObject({ kind: 'file-offer', existing: null });
    const [, { offset, sha256 }] = (offer as Message).points as PrefixPoint[];
    expect([offset, sha256]).toEqual([2_000_000, digestOf(bytes.subarray(0, 2_000_000)).sha256]);
    const header = { ...headerOf('half', bytes.length), offset, prefixSha256: sha256 };
    const rest = new TestWriter(served.sender).open(1, [header, bytes.subarray(offset), digestOf(bytes)]);
    expect(await verdictOn(served, rest)).toMatchObject({ ok: true, sha256: digestOf(bytes).sha256 });
    expect(bytes).toSatisfy(await isStoredAs(all, 'half'));
    parts.close();
  });

  it('says that a part is not there any more, and refuses questions that make no sense', async () => {
    const all = await bed({ parts: new PartStore({ directory: await temporaryDirectory(), keepMs: 60_000 }) });
    const header = { ...headerOf('a', 10), offset: 5, prefixSha256: 'a'.repeat(64) };
    expect(await verdictOn(all, new TestWriter(all.sender).open(1, [header]))).toMatchObject({ code: 'noPart' });
    const query = { kind: 'file-query', name: '../a', bytes: 5 };
    expect(await verdictOn(all, new TestWriter(all.sender).open(1, [query]))).toMatchObject({ code: 'badName' });
  });

  it('refuses a question for what has no room, and tells the daemon', async () => {
    const directory = await temporaryDirectory();
    const space = new SpaceBook({ directory, limits: { quotaBytes: 1_000, minFreeBytes: 0 } });
    const all = await bed({ directory, space });
    const query = { kind: 'file-query', name: 'a', bytes: 1_001 };
    expect(await verdictOn(all, new TestWriter(all.sender).open(1, [query]))).toMatchObject({
      ok: false,
      code: 'quota',
    });
    expect(all.outcomes[0]).toMatchObject({ header: { name: 'a', bytes: 1_001 }, verdict: { code: 'quota' } });
    expect(await verdictOn(all, sendFile(all, 'b', pattern(0, 1_000)))).toMatchObject({ ok: true });
  });
});
