import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig, readConfigFile } from '../../../src/apps/cli/config-file.js';
import { ConfigError } from '../../../src/base/config-error.js';
import { scratchDirectory } from '../../harness/scratch.js';
import { allowLongRuns, scaledRuns } from '../../harness/seeds.js';

allowLongRuns();

const allowedKeys = ['link-rate', 'loss', 'json', 'parameter', 'to'];
const parse = (source: string) => parseConfig({ path: 'lab.yaml', source, allowedKeys });
const texts = async (source: string) =>
  Object.fromEntries([...(await parse(source))].map(([key, entry]) => [key, entry.texts]));

describe('a configuration file', () => {
  it('says the same words as the command line', async () => {
    const source = 'link-rate: 100mbit # per link\nloss: 5%\njson: true\nto: 1e3\n';
    expect(await texts(source)).toEqual({ 'link-rate': ['100mbit'], loss: ['5%'], json: ['true'], to: ['1e3'] });
  });

  it('takes a list for an option that repeats and a mapping for NAME=VALUE', async () => {
    const source = 'to: [a, b]\nparameter:\n  wMax: 0.5\n  wMin: 0.01\n';
    expect(await texts(source)).toEqual({ to: ['a', 'b'], parameter: ['wMax=0.5', 'wMin=0.01'] });
  });

  it('may say a thing once and name it again', async () => {
    expect(await texts('json: &a true\nto: *a\n')).toEqual({ json: ['true'], to: ['true'] });
  });

  it('may be empty', async () => {
    expect(await texts('')).toEqual({});
    expect(await texts('# nothing\n')).toEqual({});
  });

  it('knows the line of each key, for errors about its value', async () => {
    expect((await parse('json: true\n\nloss: 5%\n')).get('loss')?.label).toBe('loss (lab.yaml, line 3)');
  });

  it('refuses an unknown key with its line, the nearest and all that are allowed', async () => {
    await expect(parse('json: true\nlinkrate: 1g\n')).rejects.toThrow(
      "config file 'lab.yaml', line 2: has the unknown key 'linkrate'; did you mean 'link-rate'?; " +
        'allowed: link-rate, loss, json, parameter, to',
    );
  });

  it.each([
    ['a list at the top', '- a\n- b\n', 'line 1: has no mapping at its top'],
    ['a word at the top', 'hello\n', 'line 1: has no mapping at its top'],
    ['broken YAML', 'json: [1,\n', 'is not YAML'],
    ['a key that stands twice', 'json: true\njson: false\n', 'line 2: is not YAML: Map keys must be unique'],
    ['a key that is a list', '? [a]\n: 1\n', "has the unknown key '[ a ]'"],
    ['a list in a list', 'to: [[a]]\n', 'has a value too deep inside'],
  ])('refuses %s', async (_, source, message) => {
    await expect(parse(source)).rejects.toThrow(message);
    await expect(parse(source)).rejects.toThrow(ConfigError);
  });

  it('ends in entries or in a failure, whatever it holds', async () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom('json', 'to', ':', ' ', '\n', '- ', '[', '{', '&a', '*a', '!!x', '"', '|', '? ', '<<'),
        fc.string(),
      ),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(pieces, async (words) => {
        await parse(words.join('')).catch((error: unknown) => expect(error).toBeInstanceOf(ConfigError));
      }),
      { numRuns: scaledRuns(500) },
    );
  });

  it('is read from disk, and is named when that fails', async () => {
    const directory = await scratchDirectory();
    const path = join(directory, 'lab.yaml');
    await writeFile(path, 'loss: 1%\n');
    expect((await readConfigFile(path, allowedKeys)).get('loss')?.texts).toEqual(['1%']);
    await expect(readConfigFile(`${path}x`, allowedKeys)).rejects.toThrow(`config file '${path}x' does not exist`);
    await expect(readConfigFile(directory, allowedKeys)).rejects.toThrow(`config file '${directory}' is a directory`);
    await writeFile(path, '#'.repeat(2 ** 20 + 1));
    await expect(readConfigFile(path, allowedKeys)).rejects.toThrow('has 1048577 bytes: at most 1048576 are allowed');
  });
});
