import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasFoldersAbove, makeFolder, makeFoldersAbove } from '../../../src/services/file/folders.js';
import { temporaryDirectory } from './failing-file-system.js';

it('makes what is missing, also for many at once', async () => {
  const directory = await temporaryDirectory();
  const names = Array.from({ length: 10 }, (_, file) => `a/b/c/${file}`);
  await Promise.all(names.map((name) => makeFoldersAbove({ directory, name })));
  expect(await hasFoldersAbove({ directory, name: 'a/b/c/1' })).toBe(true);
  await makeFolder({ directory, name: 'a/empty' });
  expect(await readdir(join(directory, 'a'))).toEqual(['b', 'empty']);
});

it('goes through no link and no file', async () => {
  const directory = await temporaryDirectory();
  const outside = await temporaryDirectory();
  await mkdir(join(directory, 'a'));
  await symlink(outside, join(directory, 'a', 'link'));
  await writeFile(join(directory, 'a', 'file'), '');
  for (const name of ['a/link/x/y', 'a/link/x', 'a/file/x']) {
    await expect(makeFoldersAbove({ directory, name })).rejects.toMatchObject({ fault: { code: 'notAFolder' } });
    expect(await hasFoldersAbove({ directory, name })).toBe(false);
  }
  await expect(makeFolder({ directory, name: 'a/link' })).rejects.toMatchObject({ fault: { code: 'notAFolder' } });
  expect(await readdir(outside)).toEqual([]);
});
