import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, readdir, readFile, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../../src/base/failure.js';
import { Fault } from '../../../src/services/file/fault.js';
import { parseFileHeader } from '../../../src/services/file/file-header.js';
import type { PrefixPoint } from '../../../src/services/file/file-offer.js';
import { FileReceiver } from '../../../src/services/file/receive-file.js';
import { type FileSource, openFileSource, READ_BYTES } from '../../../src/services/file/send-file.js';
import { TransferReader } from '../../../src/services/file/transfer-reader.js';
import type { Verdict } from '../../../src/services/file/verdict.js';
import { runProgram, temporaryDirectory } from './failing-file-system.js';

async function fileOf(content: Uint8Array, name = 'big.iso'): Promise<string> {
  const path = join(await temporaryDirectory(), name);
  await writeFile(path, content);
  return path;
}

/** A source that is closed at the end of the test. */
async function opened(...how: Parameters<typeof openFileSource>): Promise<FileSource> {
  const source = await openFileSource(...how);
  onTestFinished(() => source.close());
  return source;
}

async function drain(source: FileSource): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) chunks.push(chunk);
  } finally {
    await source.close();
  }
  return Buffer.concat(chunks);
}

/** The body between header and trailer, both of which are length-prefixed JSON. */
function bodyOf(stream: Buffer, bodyBytes: number): { header: unknown; body: Buffer; trailer: unknown } {
  const bodyStart = 4 + stream.readUInt32BE(0);
  const trailerStart = bodyStart + bodyBytes;
  expect(stream.length).toBe(trailerStart + 4 + stream.readUInt32BE(trailerStart));
  return {
    header: JSON.parse(stream.toString('utf8', 4, bodyStart)),
    body: stream.subarray(bodyStart, trailerStart),
    trailer: JSON.parse(stream.toString('utf8', trailerStart + 4)),
  };
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('sending a file', () => {
  it.each([0, 1, READ_BYTES - 1, READ_BYTES, READ_BYTES + 1, 20 * READ_BYTES + 3])(
    'is a stream of header, %i bytes and digest',
    async (length) => {
      const content = Buffer.alloc(length, 'expresspass');
      const path = await fileOf(content);
      await chmod(path, 0o640);
      const source = await opened(path);
      const { header, body, trailer } = bodyOf(await drain(source), length);
      expect(header).toEqual({ kind: 'file', name: 'big.iso', bytes: length, mode: 0o640 });
      expect(Buffer.compare(body, content)).toBe(0);
      expect(trailer).toEqual({ kind: 'digest', sha256: sha256Of(content) });
      expect(source.sha256).toBe(sha256Of(content));
    },
  );

  it('may stop after the first bytes, whatever happens to the rest', async () => {
    const content = Buffer.alloc(3 * READ_BYTES, 'abc');
    const path = await fileOf(content);
    const source = await opened(path, { bytes: READ_BYTES + 7 });
    await appendFile(path, 'more');
    const { body, trailer } = bodyOf(await drain(source), READ_BYTES + 7);
    expect(Buffer.compare(body, content.subarray(0, READ_BYTES + 7))).toBe(0);
    expect(trailer).toEqual({ kind: 'digest', sha256: sha256Of(content.subarray(0, READ_BYTES + 7)) });
  });

  it('gives each chunk away for good', async () => {
    const source = await opened(await fileOf(Buffer.alloc(4 * READ_BYTES, 1)));
    const chunks: Uint8Array[] = [];
    for (let chunk = await source.next(); chunk !== null; chunk = await source.next()) chunks.push(chunk);
    await source.close();
    chunks.forEach((chunk, at) => void chunk.fill(at));
    for (const [at, chunk] of chunks.entries()) expect(chunk.every((byte) => byte === at)).toBe(true);
  });

  it('may be given up in the middle', async () => {
    const source = await opened(await fileOf(Buffer.alloc(40 * READ_BYTES)));
    await source.next();
    await source.next();
    await source.close();
    expect(await source.next()).toBeNull();
  });

  it('follows a symbolic link and keeps its name', async () => {
    const target = await fileOf(Buffer.from('hello'));
    const link = join(await temporaryDirectory(), 'link.txt');
    await symlink(target, link);
    const source = await opened(link);
    expect(source.header).toMatchObject({ name: 'link.txt', bytes: 5 });
    await source.close();
  });

  it('goes through a receiver and comes out the same', async () => {
    const directory = await temporaryDirectory();
    const path = await fileOf(Buffer.alloc(500_001, 'round trip'));
    const stream = await drain(await openFileSource(path));
    const verdict = await new Promise<Verdict>((resolve, reject) => {
      const reader = new TransferReader({
        accept: (message) => {
          const header = parseFileHeader(message);
          if (header instanceof Fault) return header;
          return new FileReceiver(header, {
            directory,
            overwrite: false,
            onDrained: () => undefined,
            onVerdict: resolve,
          });
        },
        onRefused: reject,
        onFraming: () => undefined,
      });
      for (let at = 0; at < stream.length; at += 1446) reader.push(stream.subarray(at, at + 1446));
      reader.end();
    });
    expect(verdict.ok).toBe(true);
    expect(await readdir(directory)).toEqual(['big.iso']);
    expect(Buffer.compare(await readFile(join(directory, 'big.iso')), await readFile(path))).toBe(0);
  });
});

describe('a file that cannot be sent', () => {
  it('does not exist', async () => {
    await expect(openFileSource('/no/such/file')).rejects.toThrow("'/no/such/file' does not exist");
    await expect(openFileSource('/no/such/file')).rejects.toMatchObject({ exitCode: 2 });
  });

  it('is a directory', async () => {
    const directory = join(await temporaryDirectory(), 'd');
    await mkdir(directory);
    await expect(openFileSource(directory)).rejects.toThrow(
      `'${directory}' is a directory: only regular files can be sent`,
    );
  });

  it('is a device or a pipe, on which opening would wait', async () => {
    await expect(openFileSource('/dev/null')).rejects.toThrow("'/dev/null' is not a regular file");
    const pipe = join(await temporaryDirectory(), 'pipe');
    runProgram('mkfifo', pipe);
    await expect(openFileSource(pipe)).rejects.toThrow(
      `'${pipe}' is not a regular file: only regular files can be sent`,
    );
  });

  it('has a name that no receiver takes', async () => {
    const path = await fileOf(Buffer.from('x'), '.hidden');
    await expect(openFileSource(path)).rejects.toThrow(`the name of '${path}' begins with a dot`);
  });

  it('has fewer bytes than asked for', async () => {
    const path = await fileOf(Buffer.from('12345'));
    await expect(openFileSource(path, { bytes: 6 })).rejects.toThrow(
      `'${path}' has 5 bytes, fewer than the 6 to be sent`,
    );
    await (await openFileSource(path, { bytes: 5 })).close();
  });

  it('may not be read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read and write everything');
    const path = await fileOf(Buffer.from('x'));
    await chmod(path, 0o000);
    await expect(openFileSource(path)).rejects.toThrow('its permissions must allow it');
  });
});

describe('a file that changes while it is sent', () => {
  const long = Buffer.alloc(40 * READ_BYTES);

  it('by shrinking is named', async () => {
    const path = await fileOf(long);
    const source = await opened(path);
    await truncate(path, 5);
    const error: unknown = await drain(source).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ exitCode: 1 });
    expect(String(error)).toContain(`'${path}' shrank to 5 bytes while it was being sent`);
  });

  it('by shrinking is noticed long before what is missing is due', async () => {
    const path = await fileOf(long);
    const source = await opened(path, { checkMs: 0 });
    let taken = 0;
    const next = async (): Promise<void> => {
      taken += (await source.next())?.length ?? 0;
    };
    for (let chunks = 0; chunks < 3; chunks++) await next();
    await truncate(path, 30 * READ_BYTES);
    const more = async (): Promise<void> => {
      for (;;) await next();
    };
    await expect(more()).rejects.toThrow(`'${path}' shrank to ${30 * READ_BYTES} bytes`);
    expect(taken).toBeLessThan(3 * READ_BYTES);
  });

  it('by growing is named', async () => {
    const path = await fileOf(long);
    const source = await opened(path);
    await source.next();
    await appendFile(path, 'x');
    await expect(drain(source)).rejects.toThrow(`'${path}' grew beyond ${long.length} bytes while it was being sent`);
  });

  it('by being written to is named', async () => {
    const path = await fileOf(long);
    const source = await opened(path);
    await source.next();
    await utimes(path, 1, 1);
    await expect(drain(source)).rejects.toThrow(`'${path}' was written to while it was being sent: a file has to stay`);
  });

  it('because its size is not what the system says is named', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it needs Linux');
    await expect(openFileSource('/proc/self/status').then(drain)).rejects.toThrow('grew beyond 0 bytes');
  });
});

describe('a file that a receiver has some of', () => {
  const content = Buffer.alloc(5 * READ_BYTES + 7, 'some of it');
  const point = (offset: number, of: Uint8Array = content) => ({ offset, sha256: sha256Of(of.subarray(0, offset)) });
  const offer = (points: PrefixPoint[], existing: string | null = null) =>
    ({ kind: 'file-offer', existing, points }) as const;

  it.each([[[1]], [[1, READ_BYTES, 2 * READ_BYTES + 1]], [[content.length]]])(
    'is sent from the last of the points %j on, with the digest of everything',
    async (offsets) => {
      const source = await opened(await fileOf(content));
      expect(await source.compare(offer(offsets.map((offset) => point(offset))))).toMatchObject({ isWhole: false });
      const from = offsets[offsets.length - 1];
      const { header, body, trailer } = bodyOf(await drain(source), content.length - from);
      expect(header).toMatchObject({ bytes: content.length, offset: from, prefixSha256: point(from).sha256 });
      expect(body.equals(content.subarray(from))).toBe(true);
      expect(trailer).toEqual({ kind: 'digest', sha256: sha256Of(content) });
    },
  );

  it('is sent from the last point that agrees, and from its start where none does', async () => {
    const changed = Buffer.from(content);
    changed[READ_BYTES + 10] ^= 1;
    const points = [1, 2, 3].map((reads) => point(reads * READ_BYTES, changed));
    const source = await opened(await fileOf(content));
    await source.compare(offer(points));
    expect(source.header.offset).toBe(READ_BYTES);
    const other = await opened(await fileOf(Buffer.alloc(content.length, 'other')));
    await other.compare(offer(points));
    const { header, trailer } = bodyOf(await drain(other), content.length);
    expect(header).not.toHaveProperty('offset');
    expect(trailer).toEqual({ kind: 'digest', sha256: sha256Of(Buffer.alloc(content.length, 'other')) });
  });

  it('does not look behind its end, nor behind the bytes that are to be sent', async () => {
    const source = await opened(await fileOf(content), { bytes: READ_BYTES });
    await source.compare(offer([point(READ_BYTES - 1), point(READ_BYTES + 1)]));
    expect(source.header.offset).toBe(READ_BYTES - 1);
  });

  it('is known to be there whole, whatever else there is of it', async () => {
    const sha256 = sha256Of(content);
    const stale = point(5, Buffer.alloc(5));
    for (const points of [[], [point(5)], [stale], [point(content.length)]]) {
      const source = await opened(await fileOf(content));
      expect(await source.compare(offer(points, sha256))).toEqual({ isWhole: true, sha256 });
    }
  });

  it('is sent behind the part when another file has its name', async () => {
    const source = await opened(await fileOf(content));
    expect(await source.compare(offer([point(5)], sha256Of(Buffer.alloc(3))))).toEqual({
      isWhole: false,
      sha256: null,
    });
    expect(source.header.offset).toBe(5);
  });
});
