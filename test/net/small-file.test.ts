import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readKeyFile } from '../../src/net/key-file.js';
import { readPeersFile } from '../../src/net/peers-file.js';
import { readSmallFile } from '../../src/net/small-file.js';
import { readTokenFile } from '../../src/services/control/token.js';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'xpass-small-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('a small file', () => {
  it('is read up to its bound and refused beyond it', async () => {
    const path = join(directory, 'file');
    await writeFile(path, 'x'.repeat(10));
    expect((await readSmallFile(path, 'it', 10)).text).toBe('x'.repeat(10));
    await expect(readSmallFile(path, 'it', 9)).rejects.toThrow('it is too long; allowed: up to 9 bytes');
  });

  const readers: readonly [string, (path: string) => Promise<unknown>][] = [
    ['key', (path) => readKeyFile(path)],
    ['peers', (path) => readPeersFile(path)],
    ['token', (path) => readTokenFile(path)],
  ];

  it.each(readers)(
    'of kind %s that is a FIFO, a device or a directory is refused at once, by name',
    async (_, read) => {
      await expect(read(directory)).rejects.toThrow(directory);
      if (process.platform === 'win32') return;
      const fifo = join(directory, 'fifo');
      execFileSync('mkfifo', ['-m', '600', fifo]);
      await expect(read(fifo)).rejects.toThrow(`'${fifo}' is no regular file; allowed: a regular file`);
      await expect(read('/dev/zero')).rejects.toThrow("'/dev/zero' is no regular file");
    },
  );
});
