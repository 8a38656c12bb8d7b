import { constants } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { QuickFiles } from '../../../src/services/file/quick-files.js';
import { temporaryDirectory } from './failing-file-system.js';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

describe('QuickFiles', () => {
  it('makes, reads, names and removes a file, and closes it once', async () => {
    const folder = await temporaryDirectory();
    const files = new QuickFiles();
    const path = join(folder, 'a');
    const file = await files.open(path, CREATE, 0o600);
    expect(await file.write(Buffer.from('abcdef'), 1, 4, 0)).toEqual({ bytesWritten: 4 });
    await file.truncate(3);
    await file.chmod(0o640);
    await file.sync();
    await file.close();
    await file.close();
    await files.link(path, join(folder, 'b'));
    await files.rename(path, join(folder, 'c'));
    await files.unlink(join(folder, 'c'));
    await files.mkdir(join(folder, 'd'), 0o755);
    expect(await readdir(folder)).toEqual(['b', 'd']);
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('bcd');
    expect((await files.lstat(join(folder, 'b'))).size).toBe(3);
    await expect(files.open(join(folder, 'b'), CREATE, 0o600)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('uses the thread pool for a while where calls are slow, and one does not count', async () => {
    let nowMs = 0;
    let tookMs = 1;
    const files = new QuickFiles(() => nowMs);
    const call = () => {
      nowMs += tookMs;
    };
    files.timed(call);
    expect(files.isQuick).toBe(true);
    tookMs = 30;
    files.timed(call);
    expect(files.isQuick).toBe(true);
    // Every eighth call waits for a core: the disk is quick all the same.
    for (let calls = 0; calls < 80; calls++) {
      tookMs = calls % 8 === 0 ? 30 : 0.02;
      files.timed(call);
    }
    expect(files.isQuick).toBe(true);
    tookMs = 30;
    for (let calls = 0; calls < 10; calls++) files.timed(call);
    expect(files.isQuick).toBe(false);
    expect((await files.stat('/')).isDirectory()).toBe(true);
    nowMs += 20_000;
    expect(files.isQuick).toBe(true);
  });
});
