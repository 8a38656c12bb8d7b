import { createHash } from 'node:crypto';
import {
  appendFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import type { FileHeader } from '../../../src/services/file/file-header.js';
import { temporaryName } from '../../../src/services/file/file-name.js';
import { LIVE_PARTS, temporaryTag } from '../../../src/services/file/leftovers.js';
import { PartStore } from '../../../src/services/file/part-store.js';
import { FileReceiver } from '../../../src/services/file/receive-file.js';
import type { Verdict } from '../../../src/services/file/verdict.js';
import { temporaryDirectory } from './failing-file-system.js';

const MIB = 1_048_576;
const HOUR_MS = 3_600_000;
const SELF = { machine: 'aaaaaaaa', pid: 100, boot: 'cccccccc' };
const RUNNING = 200;
const DEAD = { ...SELF, pid: 300 };

const CONTENT = Buffer.alloc(5 * MIB + 7);
for (let at = 0; at < CONTENT.length; at += 4)
  CONTENT.writeUInt32LE((at * 2_654_435_761) % 2 ** 32, Math.min(at, CONTENT.length - 4));
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function storeIn(directory: string, keepMs = HOUR_MS) {
  const store = new PartStore({ directory, keepMs, writers: { self: SELF, isRunning: (pid) => pid === RUNNING } });
  onTestFinished(() => store.close());
  return { store, found: await store.open() };
}

/** A part as a dead process leaves it; returns its name. */
async function leavePart(directory: string, bytes: Uint8Array, writer = DEAD, name = 'big'): Promise<string> {
  const part = temporaryName(name, temporaryTag(writer));
  await writeFile(join(directory, part), bytes);
  return part;
}

const age = (path: string, ms: number) => utimes(path, (Date.now() - ms) / 1e3, (Date.now() - ms) / 1e3);

describe('parts that a start finds', () => {
  it('are taken up when their process is gone, removed when too old or short, and left alone when it may run', async () => {
    const directory = await temporaryDirectory();
    await leavePart(directory, CONTENT);
    const old = await leavePart(directory, CONTENT);
    await age(join(directory, old), HOUR_MS + 1_000);
    await leavePart(directory, CONTENT.subarray(0, MIB - 1));
    const running = await leavePart(directory, CONTENT, { ...SELF, pid: RUNNING });
    const foreign = await leavePart(directory, CONTENT, { ...DEAD, machine: 'bbbbbbbb' });
    await writeFile(join(directory, 'big.iso'), 'x');
    const { found } = await storeIn(directory);
    expect(found).toEqual({
      taken: 1,
      takenBytes: CONTENT.length,
      removed: 2,
      removedBytes: CONTENT.length + MIB - 1,
      kept: 2,
      keptBytes: 2 * CONTENT.length,
    });
    expect(await readdir(directory)).toHaveLength(4);
    expect(await readdir(directory)).toEqual(expect.arrayContaining([running, foreign, 'big.iso']));
  });

  it('are all removed at once where nothing is kept, but for those of others', async () => {
    const directory = await temporaryDirectory();
    await leavePart(directory, CONTENT);
    const running = await leavePart(directory, CONTENT, { ...SELF, pid: RUNNING });
    const { found } = await storeIn(directory, 0);
    expect(found).toMatchObject({ taken: 0, removed: 1, kept: 1 });
    expect(await readdir(directory)).toEqual([running]);
  });

  it('of writers that cannot be seen are removed in the end', async () => {
    const directory = await temporaryDirectory();
    const part = await leavePart(directory, CONTENT, { ...DEAD, machine: 'bbbbbbbb' });
    await age(join(directory, part), 25 * HOUR_MS);
    expect((await storeIn(directory)).found).toMatchObject({ removed: 1 });
  });

  it('with a second name were just published: only the part goes', async () => {
    const directory = await temporaryDirectory();
    const part = await leavePart(directory, CONTENT);
    await link(join(directory, part), join(directory, 'big'));
    const { store, found } = await storeIn(directory);
    expect(found).toMatchObject({ taken: 0, removed: 1 });
    expect(await readdir(directory)).toEqual(['big']);
    expect((await store.offer('big', CONTENT.length)).existing).toBe(digestOf(CONTENT));
  });

  it('are regular files that this process does not write', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, temporaryName('a', temporaryTag(DEAD))));
    await symlink('/etc/hostname', join(directory, temporaryName('b', temporaryTag(DEAD))));
    const live = join(directory, await leavePart(directory, CONTENT, SELF));
    LIVE_PARTS.add(live);
    onTestFinished(() => void LIVE_PARTS.delete(live));
    const { found, store } = await storeIn(directory);
    expect(found).toMatchObject({ taken: 0, removed: 0, kept: 0 });
    expect(await readdir(directory)).toHaveLength(3);
    expect((await store.offer('big', CONTENT.length)).points).toEqual([]);
  });

  it('are removed when their time is over while the daemon runs', async () => {
    const directory = await temporaryDirectory();
    await leavePart(directory, CONTENT);
    const { found } = await storeIn(directory, 1_500);
    expect(found).toMatchObject({ taken: 1 });
    await expect.poll(() => readdir(directory), { timeout: 10_000 }).toEqual([]);
  });
});

describe('an offer', () => {
  it('has the hashes of prefixes of the longest part, read from the disk', async () => {
    const directory = await temporaryDirectory();
    await leavePart(directory, CONTENT.subarray(0, 2 * MIB));
    await leavePart(directory, CONTENT.subarray(0, 3 * MIB + 5));
    await leavePart(directory, CONTENT, DEAD, 'other');
    const { store } = await storeIn(directory);
    const { points, existing } = await store.offer('big', CONTENT.length);
    expect(existing).toBeNull();
    expect(points.map(({ offset }) => offset)).toEqual([MIB, 2 * MIB, 3 * MIB, 3 * MIB + 5]);
    for (const { offset, sha256 } of points) expect(sha256).toBe(digestOf(CONTENT.subarray(0, offset)));
  });

  it('has nothing beyond the file that is asked for, and none where there is none', async () => {
    const directory = await temporaryDirectory();
    await leavePart(directory, CONTENT);
    const { store } = await storeIn(directory);
    expect((await store.offer('big', 2 * MIB + 1)).points.map(({ offset }) => offset)).toEqual([MIB, 2 * MIB]);
    expect(await store.offer('small', 2 * MIB)).toEqual({ kind: 'file-offer', existing: null, points: [] });
  });

  it('has a whole file of the same size, and not what is no regular file', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a'), CONTENT);
    await symlink(join(directory, 'a'), join(directory, 'b'));
    const { store } = await storeIn(directory);
    expect((await store.offer('a', CONTENT.length)).existing).toBe(digestOf(CONTENT));
    expect((await store.offer('a', CONTENT.length - 1)).existing).toBeNull();
    expect((await store.offer('b', CONTENT.length)).existing).toBeNull();
  });
});

/** A receiver of the rest of `big` behind `offset`. */
function goOn({ directory, store }: { directory: string; store: PartStore }, offset: number, sha256: string) {
  const header: FileHeader = {
    kind: 'file',
    name: 'big',
    bytes: CONTENT.length,
    mode: 0o600,
    offset,
    prefixSha256: sha256,
  };
  const part = store.claim('big', { offset, sha256 }) ?? undefined;
  expect(part).toBeDefined();
  let tell: (verdict: Verdict) => void = () => undefined;
  const verdict = new Promise<Verdict>((resolve) => {
    tell = resolve;
  });
  const options = { directory, overwrite: false, parts: store, onDrained: () => undefined, onVerdict: tell };
  return { receiver: new FileReceiver(header, options, part), verdict };
}

async function offered(partBytes: Uint8Array) {
  const directory = await temporaryDirectory();
  const part = await leavePart(directory, partBytes);
  const { store } = await storeIn(directory);
  const { points } = await store.offer('big', CONTENT.length);
  return { directory, part: join(directory, part), store, points };
}

describe('a part that is claimed', () => {
  it('becomes the file, whose digest is that of everything', async () => {
    const bed = await offered(CONTENT.subarray(0, 3 * MIB + 5));
    const { offset, sha256 } = bed.points[3];
    const { receiver, verdict } = goOn(bed, offset, sha256);
    receiver.onBody(CONTENT.subarray(offset));
    receiver.onEnd({ kind: 'digest', sha256: digestOf(CONTENT) });
    expect(await verdict).toMatchObject({ ok: true, sha256: digestOf(CONTENT) });
    expect(await readdir(bed.directory)).toEqual(['big']);
    expect((await readFile(join(bed.directory, 'big'))).equals(CONTENT)).toBe(true);
    expect((await stat(join(bed.directory, 'big'))).mode & 0o777).toBe(0o644 & ~process.umask());
    expect(LIVE_PARTS.size).toBe(0);
  });

  it('is cut where it differs, so a corrupt end costs only that end', async () => {
    const torn = Buffer.from(CONTENT.subarray(0, 4 * MIB));
    torn.fill(0, 2 * MIB + 100);
    const bed = await offered(torn);
    const good = bed.points.filter(({ offset, sha256 }) => sha256 === digestOf(CONTENT.subarray(0, offset)));
    expect(good.map(({ offset }) => offset)).toEqual([MIB, 2 * MIB]);
    const { receiver, verdict } = goOn(bed, 2 * MIB, good[1].sha256);
    receiver.onBody(CONTENT.subarray(2 * MIB));
    receiver.onEnd({ kind: 'digest', sha256: digestOf(CONTENT) });
    expect(await verdict).toMatchObject({ ok: true });
    expect((await readFile(join(bed.directory, 'big'))).equals(CONTENT)).toBe(true);
  });

  it('cannot be claimed twice, nor by a hash that was not offered', async () => {
    const { store, points } = await offered(CONTENT);
    expect(store.claim('big', { offset: MIB, sha256: 'a'.repeat(64) })).toBeNull();
    expect(store.claim('other', points[0])).toBeNull();
    const claimed = store.claim('big', points[0]);
    expect(claimed).not.toBeNull();
    expect(store.claim('big', points[0])).toBeNull();
    expect((await store.offer('big', CONTENT.length)).points).toEqual([]);
    claimed?.giveBack();
    expect((await store.offer('big', CONTENT.length)).points).toHaveLength(points.length);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['has grown', (path) => appendFile(path, 'x')],
    ['has shrunk', (path) => truncate(path, 2 * MIB)],
    [
      'was written to',
      async (path) => {
        const file = await open(path, 'r+');
        await file.write('x', 0);
        await file.close();
        await age(path, -5_000);
      },
    ],
    ['got a second name', (path) => link(path, `${path}.mine`)],
  ])('is not gone on with when it %s since it was offered', async (_, change) => {
    const bed = await offered(CONTENT.subarray(0, 3 * MIB));
    await change(bed.part);
    const { verdict } = goOn(bed, MIB, bed.points[0].sha256);
    expect(await verdict).toMatchObject({ ok: false, code: 'noPart' });
    expect((await readdir(bed.directory)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('is kept again when its transfer breaks off, with what came', async () => {
    const bed = await offered(CONTENT.subarray(0, 2 * MIB));
    const { receiver, verdict } = goOn(bed, 2 * MIB, bed.points[1].sha256);
    receiver.onBody(CONTENT.subarray(2 * MIB, 4 * MIB + 3));
    receiver.onFault(new Fault('aborted', 'the peer is lost'));
    expect(await verdict).toMatchObject({ ok: false, code: 'aborted' });
    expect(receiver.keptBytes).toBe(4 * MIB + 3);
    const { points } = await bed.store.offer('big', CONTENT.length);
    expect(points.at(-1)).toEqual({ offset: 4 * MIB + 3, sha256: digestOf(CONTENT.subarray(0, 4 * MIB + 3)) });
  });

  it('goes when its bytes turn out to be wrong', async () => {
    const bed = await offered(CONTENT.subarray(0, 2 * MIB));
    const { receiver, verdict } = goOn(bed, 2 * MIB, bed.points[1].sha256);
    receiver.onBody(CONTENT.subarray(2 * MIB));
    receiver.onEnd({ kind: 'digest', sha256: 'a'.repeat(64) });
    expect(await verdict).toMatchObject({ ok: false, code: 'badDigest' });
    expect(await readdir(bed.directory)).toEqual([]);
  });
});

describe('a file that is published', () => {
  it('makes other parts of its name useless', async () => {
    const bed = await offered(CONTENT.subarray(0, 2 * MIB));
    await leavePart(bed.directory, CONTENT, { ...SELF, pid: RUNNING });
    await bed.store.forget('big');
    expect(await readdir(bed.directory)).toHaveLength(1);
  });
});
