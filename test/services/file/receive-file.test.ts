import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { Fault } from '../../../src/services/file/fault.js';
import type { FileHeader } from '../../../src/services/file/file-header.js';
import type { FileSystem, OpenFile } from '../../../src/services/file/file-system.js';
import { BUFFER_BYTES, FileReceiver, WRITE_BYTES, WriteBehind } from '../../../src/services/file/receive-file.js';
import type { Verdict } from '../../../src/services/file/verdict.js';
import { allowLongRuns, TEST_SEED } from '../../harness/seeds.js';
import { failingFileSystem, runProgram, systemError, temporaryDirectory } from './failing-file-system.js';

allowLongRuns();

function randomBytes(length: number): Uint8Array {
  const random = new SeededRandom(TEST_SEED);
  return Uint8Array.from({ length }, () => random.uint32() & 0xff);
}

interface Sink {
  writer: WriteBehind;
  drained: () => number;
  errors: unknown[];
}

function sinkOn(file: Promise<OpenFile>, expectedBytes: number): Sink {
  let drainedBytes = 0;
  const errors: unknown[] = [];
  const writer = new WriteBehind({
    file,
    expectedBytes,
    onDrained: (bytes) => {
      expect(bytes).toBeGreaterThan(0);
      drainedBytes += bytes;
    },
    onError: (error) => errors.push(error),
  });
  return { writer, drained: () => drainedBytes, errors };
}

function writeInChunks(writer: WriteBehind, bytes: Uint8Array, chunkBytes: number): void {
  // Chunks are valid only during the call: each is a copy that is wiped afterwards.
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.slice(at, at + chunkBytes);
    writer.write(chunk);
    chunk.fill(0);
  }
}

describe('writing behind', () => {
  it.each([
    [0, 100],
    [1, 100],
    [WRITE_BYTES - 1, 1446],
    [WRITE_BYTES, 1446],
    [WRITE_BYTES + 1, 1446],
    [3 * WRITE_BYTES + 5, 65_481],
    [3 * WRITE_BYTES + 5, 3 * WRITE_BYTES + 5],
  ])('puts %i bytes in chunks of %i onto the file, with their digest', async (length, chunkBytes) => {
    const path = join(await temporaryDirectory(), 'a');
    const handle = await open(path, 'w');
    const bytes = randomBytes(length);
    const { writer, drained, errors } = sinkOn(Promise.resolve(handle), length);
    writeInChunks(writer, bytes, chunkBytes);
    expect(await writer.end()).toBe(createHash('sha256').update(bytes).digest('hex'));
    await handle.close();
    expect(Buffer.compare(await readFile(path), bytes)).toBe(0);
    expect(drained()).toBe(length);
    expect(errors).toEqual([]);
  });

  it('survives writes that take less than they are given', async () => {
    const path = join(await temporaryDirectory(), 'a');
    const file = await failingFileSystem({ mostBytes: 1000 }).open(path, 0o102, 0o600);
    const bytes = randomBytes(10_500);
    const { writer } = sinkOn(Promise.resolve(file), bytes.length);
    writeInChunks(writer, bytes, 1446);
    expect(await writer.end()).not.toBeNull();
    await file.close();
    expect(Buffer.compare(await readFile(path), bytes)).toBe(0);
  });

  it('drains at once up to its bound, and beyond only as the file takes it', async () => {
    let openGate: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const path = join(await temporaryDirectory(), 'a');
    const file = await failingFileSystem({ gate: () => gate }).open(path, 0o102, 0o600);
    const length = 2 * BUFFER_BYTES;
    const { writer, drained } = sinkOn(Promise.resolve(file), length);
    writeInChunks(writer, new Uint8Array(BUFFER_BYTES - 10), 10_000);
    expect(drained()).toBe(BUFFER_BYTES - 10);
    writeInChunks(writer, new Uint8Array(BUFFER_BYTES + 10), 10_000);
    expect(drained()).toBe(BUFFER_BYTES);
    openGate();
    await writer.end();
    expect(drained()).toBe(length);
    await file.close();
  });

  it('waits for a file that is still being opened', async () => {
    const path = join(await temporaryDirectory(), 'a');
    let opened: (file: OpenFile) => void = () => undefined;
    const file = new Promise<OpenFile>((resolve) => {
      opened = resolve;
    });
    const { writer } = sinkOn(file, 5);
    writer.write(Buffer.from('hello'));
    const ended = writer.end();
    const handle = await open(path, 'w');
    opened(handle);
    await ended;
    await handle.close();
    expect(await readFile(path, 'utf8')).toBe('hello');
  });

  it('says once that a write failed, and drains everything from then on', async () => {
    const path = join(await temporaryDirectory(), 'a');
    const file = await failingFileSystem({ diskBytes: WRITE_BYTES + 100 }).open(path, 0o102, 0o600);
    const length = 4 * BUFFER_BYTES;
    const { writer, drained, errors } = sinkOn(Promise.resolve(file), length);
    writeInChunks(writer, new Uint8Array(length / 2), 10_000);
    expect(await writer.end()).toBeNull();
    writeInChunks(writer, new Uint8Array(length / 2), 10_000);
    expect(await writer.end()).toBeNull();
    expect(errors).toEqual([systemError('ENOSPC')]);
    expect(drained()).toBe(length);
    await file.close();
  });

  it('takes a file system that writes nothing for broken', async () => {
    const file = { write: async () => ({ bytesWritten: 0, buffer: '' }) } as unknown as OpenFile;
    const { writer, errors } = sinkOn(Promise.resolve(file), 5);
    writer.write(Buffer.from('hello'));
    expect(await writer.end()).toBeNull();
    expect(String(errors[0])).toContain('its file system writes nothing');
  });

  it('drops what is not written yet, but waits for the write that is under way', async () => {
    let openGate: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const path = join(await temporaryDirectory(), 'a');
    const file = await failingFileSystem({ gate: () => gate }).open(path, 0o102, 0o600);
    const { writer, drained } = sinkOn(Promise.resolve(file), 10 * WRITE_BYTES);
    writeInChunks(writer, new Uint8Array(6 * WRITE_BYTES), 10_000);
    // The first write begins once the file is known to be open.
    await new Promise(setImmediate);
    let isDropped = false;
    const dropping = writer.drop().then(() => {
      isDropped = true;
    });
    expect(drained()).toBe(6 * WRITE_BYTES);
    await Promise.resolve();
    expect(isDropped).toBe(false);
    openGate();
    await dropping;
    await file.close();
    expect((await readFile(path)).length).toBe(WRITE_BYTES);
  });

  it('leaves a file that does not open to whoever opens it', async () => {
    const { writer, errors } = sinkOn(Promise.reject(systemError('EACCES')), 10);
    writer.write(Buffer.from('hello'));
    await writer.end();
    expect(errors).toEqual([]);
  });
});

interface Wish {
  directory: string;
  bytes: number;
  name?: string;
  overwrite?: boolean;
  fileSystem?: FileSystem;
}

function receiverOf({ directory, bytes, name = 'a', overwrite = false, fileSystem }: Wish) {
  const header: FileHeader = { kind: 'file', name, bytes, mode: 0o644, offset: 0, prefixSha256: null };
  const verdicts: Verdict[] = [];
  let drainedBytes = 0;
  let tell: (verdict: Verdict) => void = () => undefined;
  const verdict = new Promise<Verdict>((resolve) => {
    tell = resolve;
  });
  const receiver = new FileReceiver(header, {
    directory,
    overwrite,
    onDrained: (count) => {
      drainedBytes += count;
    },
    onVerdict: (told) => {
      verdicts.push(told);
      tell(told);
    },
    ...(fileSystem === undefined ? {} : { fileSystem }),
  });
  return { receiver, verdict, verdicts, drained: () => drainedBytes };
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Sends everything and waits for the verdict. */
async function receive(wish: Omit<Wish, 'bytes'>, content: Uint8Array, sha256 = digestOf(content)) {
  const parts = receiverOf({ ...wish, bytes: content.length });
  for (let at = 0; at < content.length; at += 1446) parts.receiver.onBody(content.subarray(at, at + 1446));
  parts.receiver.onEnd({ kind: 'digest', sha256 });
  const verdict = await parts.verdict;
  expect(parts.drained()).toBe(content.length);
  expect(parts.verdicts).toHaveLength(1);
  return verdict;
}

const CONTENT = Buffer.alloc(700_001, 'expresspass');

describe('receiving a file', () => {
  it('ends with the whole file under its name', async () => {
    const directory = await temporaryDirectory();
    expect(await receive({ directory }, CONTENT)).toEqual({
      kind: 'verdict',
      ok: true,
      code: 'ok',
      message: "'a' is complete",
      sha256: digestOf(CONTENT),
    });
    expect(await readdir(directory)).toEqual(['a']);
    expect(Buffer.compare(await readFile(join(directory, 'a')), CONTENT)).toBe(0);
  });

  it('works for a file of no bytes', async () => {
    const directory = await temporaryDirectory();
    expect(await receive({ directory }, Buffer.alloc(0))).toMatchObject({ ok: true });
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('shows nothing under the name before the end', async () => {
    const directory = await temporaryDirectory();
    const { receiver, verdict } = receiverOf({ directory, bytes: CONTENT.length });
    receiver.onBody(CONTENT);
    await expect.poll(() => readdir(directory)).toEqual([expect.stringMatching(/^\.a\..*\.part$/)]);
    receiver.onEnd({ kind: 'digest', sha256: digestOf(CONTENT) });
    await verdict;
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('leaves nothing when the digest is another', async () => {
    const directory = await temporaryDirectory();
    expect(await receive({ directory }, CONTENT, '0'.repeat(64))).toMatchObject({ ok: false, code: 'badDigest' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing when the trailer is no digest', async () => {
    const directory = await temporaryDirectory();
    const { receiver, verdict } = receiverOf({ directory, bytes: 0 });
    receiver.onEnd({ kind: 'file' });
    expect(await verdict).toMatchObject({ ok: false, code: 'badMessage' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing when the stream is at fault', async () => {
    const directory = await temporaryDirectory();
    const { receiver, verdict } = receiverOf({ directory, bytes: CONTENT.length });
    receiver.onBody(CONTENT.subarray(0, 400_000));
    receiver.onFault(new Fault('truncated', 'the stream ended in its body'));
    expect(await verdict).toMatchObject({ ok: false, code: 'truncated', message: 'the stream ended in its body' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing when it is given up, at whatever moment', async () => {
    for (const settle of [0, 1, 5]) {
      const directory = await temporaryDirectory();
      const { receiver, verdicts } = receiverOf({ directory, bytes: CONTENT.length });
      receiver.onBody(CONTENT.subarray(0, 400_000));
      for (let turn = 0; turn < settle; turn++) await new Promise(setImmediate);
      await receiver.abort('the peer is lost');
      expect(verdicts).toMatchObject([{ code: 'aborted', message: "'a' was given up: the peer is lost" }]);
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it('cannot be given up once it is being given its name', async () => {
    const directory = await temporaryDirectory();
    const { receiver, verdict, verdicts } = receiverOf({ directory, bytes: 0 });
    receiver.onEnd({ kind: 'digest', sha256: digestOf(Buffer.alloc(0)) });
    await verdict;
    await receiver.abort('too late');
    expect(verdicts).toMatchObject([{ ok: true }]);
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('lets exactly one of two files of the same name have it', async () => {
    const directory = await temporaryDirectory();
    const [first, second] = await Promise.all([receive({ directory }, CONTENT), receive({ directory }, CONTENT)]);
    expect([first.code, second.code].sort()).toEqual(['exists', 'ok']);
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('does not overwrite unless told to', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a'), 'old');
    expect(await receive({ directory }, CONTENT)).toMatchObject({ ok: false, code: 'exists' });
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('old');
    expect(await receive({ directory, overwrite: true }, CONTENT)).toMatchObject({ ok: true });
    expect(Buffer.compare(await readFile(join(directory, 'a')), CONTENT)).toBe(0);
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('leaves a directory in place of the file alone', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'a'));
    expect(await receive({ directory, overwrite: true }, CONTENT)).toMatchObject({ ok: false, code: 'notAFile' });
    expect(await readdir(directory)).toEqual(['a']);
  });

  it('does not write through a symbolic link', async () => {
    const directory = await temporaryDirectory();
    await symlink('/dev/full', join(directory, 'a'));
    expect(await receive({ directory, overwrite: true }, CONTENT)).toMatchObject({ ok: true });
    expect(Buffer.compare(await readFile(join(directory, 'a')), CONTENT)).toBe(0);
  });
});

describe('a disk that fails', () => {
  it('ends the transfer early and leaves nothing', async () => {
    const directory = await temporaryDirectory();
    const fileSystem = failingFileSystem({ diskBytes: 300_000 });
    const { receiver, verdict, verdicts, drained } = receiverOf({ directory, bytes: CONTENT.length, fileSystem });
    receiver.onBody(CONTENT.subarray(0, 600_000));
    expect(await verdict).toMatchObject({
      ok: false,
      code: 'noSpace',
      message: "'a' cannot be stored: the receiver has no space left",
    });
    receiver.onBody(CONTENT.subarray(600_000));
    receiver.onEnd({ kind: 'digest', sha256: digestOf(CONTENT) });
    expect(drained()).toBe(CONTENT.length);
    await new Promise(setImmediate);
    expect(verdicts).toHaveLength(1);
    expect(await readdir(directory)).toEqual([]);
  });

  it.each([
    ['open', 'EACCES', 'permission'],
    ['write', 'EIO', 'io'],
    ['sync', 'ENOSPC', 'noSpace'],
    ['link', 'EIO', 'io'],
  ] as const)('in %s with %s is a verdict, and nothing is left', async (verb, code, word) => {
    const directory = await temporaryDirectory();
    const fileSystem = failingFileSystem({ failures: { [verb]: { code, times: 1 } } });
    expect(await receive({ directory, fileSystem }, CONTENT)).toMatchObject({ ok: false, code: word });
    expect(await readdir(directory)).toEqual([]);
  });

  it('in opening is a verdict for a file of no bytes too', async () => {
    const directory = await temporaryDirectory();
    const fileSystem = failingFileSystem({ failures: { open: { code: 'EROFS' } } });
    expect(await receive({ directory, fileSystem }, Buffer.alloc(0))).toMatchObject({ ok: false, code: 'permission' });
  });

  it('and is really full leaves nothing either', async ({ skip }) => {
    const mountPoint = join(await temporaryDirectory(), 'small');
    if (!mountSmallDisk(mountPoint)) skip('needs the right to mount a tmpfs');
    expect(await receive({ directory: mountPoint }, Buffer.alloc(3_000_000))).toMatchObject({ code: 'noSpace' });
    expect(await readdir(mountPoint)).toEqual([]);
    expect(await receive({ directory: mountPoint }, Buffer.alloc(500_000))).toMatchObject({ ok: true });
  });
});

/** A disk of 1 MiB, where this user may mount one. */
function mountSmallDisk(mountPoint: string): boolean {
  mkdirSync(mountPoint);
  if (!existsSync('/proc/mounts') || process.getuid?.() !== 0) return false;
  try {
    runProgram('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint);
  } catch {
    return false;
  }
  onTestFinished(() => runProgram('umount', mountPoint));
  return true;
}
