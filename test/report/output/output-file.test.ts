import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkWritable, prepareDirectory, writeAll, writeWhole } from '../../../src/report/output/output-file.js';
import { scratchDirectory } from '../../harness/scratch.js';

describe('a directory of results', () => {
  it('is made with its parents, and may be there already', async () => {
    const path = join(await scratchDirectory(), 'a', 'b');
    await prepareDirectory(path, 'results');
    await prepareDirectory(path, 'results');
    await writeAll(path, new Map([['x.csv', 'x\n']]), 'results');
    expect(await readFile(join(path, 'x.csv'), 'utf8')).toBe('x\n');
  });

  it('cannot be below a file', async () => {
    const path = join(await scratchDirectory(), 'file');
    await writeFile(path, '');
    await expect(prepareDirectory(join(path, 'a'), 'results')).rejects.toThrow(
      `'${path}' is a file: a directory is needed`,
    );
  });

  it('cannot be where the system makes none', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it needs Linux');
    await expect(prepareDirectory('/proc/1/xpass', 'results')).rejects.toThrow("results '/proc/1/xpass'");
  });
});

describe('a file of results', () => {
  it('is refused before the run where it could not be written after it', async () => {
    const path = await scratchDirectory();
    await checkWritable(join(path, 'new.html'), 'report');
    await expect(checkWritable(path, 'report')).rejects.toThrow(`report '${path}' is a directory: name a file`);
    await expect(checkWritable(join(path, 'no/new.html'), 'report')).rejects.toThrow(
      `directory '${join(path, 'no')}' of report does not exist`,
    );
    expect(await readdir(path)).toEqual([]);
  });

  it('is written as a whole, in place of what was there', async () => {
    const path = await scratchDirectory();
    await writeWhole(join(path, 'x'), 'one', 'report');
    await writeWhole(join(path, 'x'), 'two', 'report');
    expect(await readFile(join(path, 'x'), 'utf8')).toBe('two');
    expect(await readdir(path)).toEqual(['x']);
  });

  it('leaves no part of itself where it cannot be written', async () => {
    const path = await scratchDirectory();
    await expect(writeWhole(join(path, 'no', 'x'), 'one', 'report')).rejects.toThrow("x' does not exist");
    expect(await readdir(path)).toEqual([]);
  });

  it('does not take the place of a device', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it needs Linux');
    await writeWhole('/dev/null', 'one', 'report');
    await expect(writeWhole('/dev/full', 'one', 'report')).rejects.toThrow(
      "report '/dev/full': no space is left on the device",
    );
  });
});
