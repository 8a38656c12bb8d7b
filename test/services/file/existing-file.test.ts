import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashesOfExisting } from '../../../src/services/file/existing-file.js';
import { temporaryDirectory } from './failing-file-system.js';

it('hashes what is there with its size, never through a link', async () => {
  const directory = await temporaryDirectory();
  const outside = await temporaryDirectory();
  const bytes = Buffer.alloc(200_000, 'abc');
  await mkdir(join(directory, 'd'));
  await writeFile(join(directory, 'd', 'file'), bytes);
  await writeFile(join(outside, 'file'), bytes);
  await symlink(outside, join(directory, 'link'));
  await symlink(join(outside, 'file'), join(directory, 'd', 'link'));
  const asked = ['d/file', 'd/other', 'd/link', 'link/file', 'd', 'none/file'].map((name) => ({
    name,
    bytes: 200_000,
  }));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const others = [null, { name: 'd/file', bytes: 199_999 }];
  const nothing = [null, null, null, null, null];
  expect(await hashesOfExisting(directory, [...asked, ...others])).toEqual([sha256, ...nothing, null, null]);
  expect(await hashesOfExisting(directory, asked.slice(0, 1), () => true)).toEqual([null]);
});
