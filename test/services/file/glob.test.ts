import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expandPattern, expressionOf } from '../../../src/services/file/glob.js';
import { temporaryDirectory } from './failing-file-system.js';

it('names what fits, in order, and hides what begins with a dot', async () => {
  const directory = await temporaryDirectory();
  for (const name of ['b.iso', 'a.iso', '.c.iso', 'a.txt']) await writeFile(join(directory, name), '');
  expect(await expandPattern(`${directory}/*.iso`)).toEqual(['a.iso', 'b.iso'].map((name) => `${directory}/${name}`));
  expect(await expandPattern(`${directory}/.*.iso`)).toEqual([`${directory}/.c.iso`]);
  await expect(expandPattern(`${directory}/*.zip`)).rejects.toThrow('fits no file');
});

it('leaves a file alone that has the very name of the pattern', async () => {
  const directory = await temporaryDirectory();
  for (const name of ['[a].iso', 'a.iso']) await writeFile(join(directory, name), '');
  expect(await expandPattern(`${directory}/[a].iso`)).toEqual([`${directory}/[a].iso`]);
});

it.each([
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['[a-c]1', 'b1', true],
  ['[!a-c]1', 'b1', false],
  ['a.c', 'abc', false],
  ['a[', 'a[', true],
  ['(a|b)+', '(a|b)+', true],
])('%s and %s: %s', (pattern, name, fits) => {
  expect(expressionOf(pattern).test(name)).toBe(fits);
});
