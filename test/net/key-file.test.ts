import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint, formatKey, type HostKey, makeKey, readKeyFile, writeKeyFile } from '../../src/net/key-file.js';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'xpass-key-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** A file with the text of a key, changed. */
async function changedFile(change: (text: string) => string, kind: HostKey['kind'] = 'secret'): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const whole = join(directory, 'whole.key');
  await writeKeyFile(whole, makeKey(kind));
  const file = join(directory, 'changed.key');
  await writeFile(file, change(await readFile(whole, 'utf8')), { mode: 0o600 });
  return file;
}

describe('a key file', () => {
  it.each(['secret', 'identity'] as const)('gives back the %s that was written', async (kind) => {
    const file = join(directory, 'a.key');
    const key = makeKey(kind);
    await writeKeyFile(file, key);
    expect(await readKeyFile(file)).toEqual(key);
  });

  it('may have line ends of Windows and empty lines behind', async () => {
    expect(await readKeyFile(await changedFile((text) => `${text.replaceAll('\n', '\r\n')}\r\n`))).toMatchObject({
      kind: 'secret',
    });
  });

  it.each<[string, (text: string) => string, string]>([
    ['another first line', (text) => text.replace('version 1', 'version 2'), 'line 1: is not the first line'],
    ['no content', () => '', 'line 1: is not the first line'],
    ['a short key', (text) => text.replace(/.{5}\n$/, '\n'), 'line 2: has to be 32 bytes in base64'],
    ['no key', (text) => `${text.split('\n')[0]}`, 'line 2: has to be 32 bytes'],
    ['a third line', (text) => `${text}\nmore`, 'line 4: a key file has two lines'],
    ['a megabyte', (text) => text.repeat(10_000), 'allowed: up to 4096 bytes'],
  ])('with %s is refused by file and line', async (_, change, why) => {
    const file = await changedFile(change);
    const error = await readKeyFile(file).catch(String);
    expect(error).toContain(`key file '${file}'`);
    expect(error).toContain(why);
  });

  it('that others can use is refused with the command that helps', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no modes of files');
    const file = await changedFile((text) => text);
    for (const mode of [0o640, 0o604, 0o620, 0o601]) {
      await chmod(file, mode);
      const why = `can be used by others (mode ${mode.toString(8)}): run chmod 600 '${file}'`;
      await expect(readKeyFile(file)).rejects.toThrow(why);
      expect(await readKeyFile(file, 'win32')).toMatchObject({ kind: 'secret' });
    }
    await chmod(file, 0o400);
    expect(await readKeyFile(file)).toMatchObject({ kind: 'secret' });
  });

  it('has a fingerprint of its own, which is no part of the key', () => {
    const keys = [makeKey('secret'), makeKey('secret'), makeKey('identity'), makeKey('identity')];
    expect(new Set(keys.map(fingerprint)).size).toBe(4);
    const bytes = new Uint8Array(32).fill(1);
    const asSecret = fingerprint({ kind: 'secret', secret: bytes });
    expect(asSecret).not.toBe(fingerprint({ kind: 'identity', identity: { secret: bytes, public: bytes } }));
    expect(asSecret).not.toContain(formatKey(bytes).slice(0, 4));
  });
});
