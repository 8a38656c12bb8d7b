import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenFile } from '../../../../src/apps/shared/files/incoming-file.js';
import { BUFFER_BYTES, WRITE_BYTES, WriteBehind } from '../../../../src/apps/shared/files/write-behind.js';
import { SeededRandom } from '../../../../src/base/random.js';
import { printSeed, TEST_SEED } from '../../../harness/seeds.js';
import { failingFileSystem, systemError } from './failing-file-system.js';
import { temporaryDirectory } from './temporary-directory.js';

printSeed();

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
