import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyListing, isFolder, listFolder } from '../../../src/services/file/list-entries.js';
import { temporaryDirectory } from './failing-file-system.js';

it('lists a folder under its name, and its contents without', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'tree', 'empty'), { recursive: true });
  await writeFile(join(directory, 'tree', 'a'), 'abc', { mode: 0o600 });
  await symlink('/etc', join(directory, 'tree', 'link'));
  const named = emptyListing();
  await listFolder(join(directory, 'tree'), named);
  expect(named.entries.map(({ name }) => name)).toEqual(['tree', 'tree/a', 'tree/empty']);
  expect(named.entries[1]).toMatchObject({ isFolder: false, bytes: 3, mode: 0o600 });
  expect(named.leftOut).toEqual({ links: 1, devices: 0, sockets: 0, pipes: 0 });
  const contents = emptyListing();
  await listFolder(`${join(directory, 'tree')}/`, contents);
  expect(contents.entries.map(({ name }) => name)).toEqual(['a', 'empty']);
  expect(await isFolder(join(directory, 'tree', 'a'))).toBe(false);
});

it('says what it cannot read', async () => {
  const listing = emptyListing();
  await listFolder('/nowhere/at/all/', listing);
  expect(listing.problems).toEqual([{ name: '/nowhere/at/all/', message: expect.stringContaining('/nowhere') }]);
  await expect(listFolder('..', emptyListing())).rejects.toThrow('has no name of its own');
});
