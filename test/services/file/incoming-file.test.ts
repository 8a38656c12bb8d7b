import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/base/failure.js';
import { FaultError, faultOf } from '../../../src/services/file/fault.js';
import type { FileSystem } from '../../../src/services/file/file-system.js';
import { checkReceiveDirectory, IncomingFile } from '../../../src/services/file/incoming-file.js';
import { failingFileSystem, systemError, temporaryDirectory } from './failing-file-system.js';

interface Wish {
  directory: string;
  name?: string;
  overwrite?: boolean;
  fileSystem?: FileSystem;
}

async function openFile({ directory, name = 'a', overwrite = false, fileSystem }: Wish): Promise<IncomingFile> {
  const extra = fileSystem === undefined ? {} : { fileSystem };
  const file = await IncomingFile.open({ directory, name, mode: 0o644, overwrite, ...extra });
  const content = Buffer.from('new');
  await file.handle.write(content, 0, content.length, 0);
  return file;
}

async function receive(wish: Wish): Promise<void> {
  const file = await openFile(wish);
  try {
    await file.publish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The code of the fault that receiving ends in. */
async function faultCode(wish: Wish): Promise<string> {
  try {
    await receive(wish);
  } catch (error) {
    return faultOf(error, wish.name ?? 'a').code;
  }
  return 'ok';
}

describe('a file on its way in', () => {
  it('has a temporary name until it is published', async () => {
    const directory = await temporaryDirectory();
    const file = await openFile({ directory });
    expect(await readdir(directory)).toEqual([expect.stringMatching(/^\.a\.[0-9a-f]{8}-\d+-[0-9a-f]{16}\.part$/)]);
    await file.publish();
    expect(await readdir(directory)).toEqual(['a']);
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('new');
  });

  it('leaves nothing when it is discarded, and discarding again does no harm', async () => {
    const directory = await temporaryDirectory();
    const file = await openFile({ directory });
    await file.discard();
    await file.discard();
    expect(await readdir(directory)).toEqual([]);
  });

  it("is its own user's alone until it is published, and then has its mode, whatever the umask", async () => {
    const directory = await temporaryDirectory();
    const file = await IncomingFile.open({ directory, name: 'tool', mode: 0o757, overwrite: false });
    expect((await stat(join(directory, file.temporaryName))).mode & 0o777).toBe(0o600);
    await file.publish();
    expect((await stat(join(directory, 'tool'))).mode & 0o777).toBe(0o757);
  });

  it('may have a name as long as names can be', async () => {
    const directory = await temporaryDirectory();
    const name = 'ü'.repeat(127);
    await receive({ directory, name });
    expect(await readdir(directory)).toEqual([name]);
  });

  it('never takes the place of a file, at the start or at the end', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a'), 'old');
    expect(await faultCode({ directory })).toBe('exists');
    const late = await openFile({ directory, name: 'b' });
    await writeFile(join(directory, 'b'), 'old');
    await expect(late.publish()).rejects.toMatchObject({ code: 'EEXIST' });
    await late.discard();
    expect((await readdir(directory)).sort()).toEqual(['a', 'b']);
    expect(await readFile(join(directory, 'b'), 'utf8')).toBe('old');
  });

  it('takes the place of a file when asked to', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a'), 'old');
    await receive({ directory, overwrite: true });
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('new');
  });

  it.each([true, false])('is not written through a symbolic link, overwriting %s', async (overwrite) => {
    const directory = await temporaryDirectory();
    const outside = join(await temporaryDirectory(), 'victim');
    await writeFile(outside, 'old');
    await symlink(outside, join(directory, 'a'));
    expect(await faultCode({ directory, overwrite })).toBe(overwrite ? 'ok' : 'exists');
    expect(await readFile(outside, 'utf8')).toBe('old');
    expect((await lstat(join(directory, 'a'))).isSymbolicLink()).toBe(!overwrite);
  });

  it('is not created through a symbolic link to nothing', async () => {
    const directory = await temporaryDirectory();
    const outside = join(await temporaryDirectory(), 'not-yet');
    await symlink(outside, join(directory, 'a'));
    expect(await faultCode({ directory })).toBe('exists');
    await expect(lstat(outside)).rejects.toThrow('ENOENT');
  });

  it.each([true, false])('does not take the place of a directory, overwriting %s', async (overwrite) => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'a'));
    expect(await faultCode({ directory, overwrite })).toBe('notAFile');
    const late = await openFile({ directory, name: 'b', overwrite });
    await mkdir(join(directory, 'b'));
    await expect(late.publish()).rejects.toThrow();
    await late.discard();
    expect((await readdir(directory)).sort()).toEqual(['a', 'b']);
  });

  it.each(['EPERM', 'ENOTSUP', 'EMLINK', 'EISDIR'])('does without hard links where they fail with %s', async (code) => {
    const directory = await temporaryDirectory();
    const fileSystem = failingFileSystem({ failures: { link: { code } } });
    await receive({ directory, fileSystem });
    expect(await readdir(directory)).toEqual(['a']);
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('new');
    const late = await openFile({ directory, name: 'b', fileSystem });
    await writeFile(join(directory, 'b'), 'old');
    await expect(late.publish()).rejects.toMatchObject({ code: 'EEXIST' });
    await late.discard();
    expect(await readFile(join(directory, 'b'), 'utf8')).toBe('old');
  });

  it.each([
    ['open', 'EACCES', 'permission'],
    ['open', 'EROFS', 'permission'],
    ['open', 'ENOSPC', 'noSpace'],
    ['open', 'ENAMETOOLONG', 'badName'],
    ['lstat', 'EIO', 'io'],
    ['sync', 'ENOSPC', 'noSpace'],
    ['sync', 'EIO', 'io'],
    ['link', 'EDQUOT', 'noSpace'],
    ['link', 'EBUSY', 'io'],
    ['close', 'EIO', 'io'],
  ] as const)('leaves nothing behind when %s fails with %s', async (verb, code, fault) => {
    const directory = await temporaryDirectory();
    const fileSystem = failingFileSystem({ failures: { [verb]: { code, times: 1 } } });
    expect(await faultCode({ directory, fileSystem })).toBe(fault);
    expect(await readdir(directory)).toEqual([]);
  });

  it('gives the claimed name back when the rename fails where there are no hard links', async () => {
    const directory = await temporaryDirectory();
    const fileSystem = failingFileSystem({ failures: { link: { code: 'EPERM' }, rename: { code: 'EIO' } } });
    expect(await faultCode({ directory, fileSystem })).toBe('io');
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('a fault', () => {
  it('is made of errors of the system and of the transfer, not of bugs', () => {
    expect(faultOf(systemError('EWEIRD'), 'a')).toMatchObject({
      code: 'io',
      message: "'a' cannot be stored: the system reports EWEIRD",
    });
    expect(faultOf(systemError('EBUSY'), 'a').message).toContain('is in use');
    expect(faultOf(new FaultError('exists', 'x'), 'a')).toEqual({ code: 'exists', message: 'x' });
    expect(() => faultOf(new TypeError('bug'), 'a')).toThrow('bug');
  });

  it('tells the peer nothing about directories', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a'), 'old');
    const error = await receive({ directory }).catch((caught: unknown) => caught);
    expect(faultOf(error, 'a').message).toBe(
      "'a' exists at the receiver, which overwrites nothing without --overwrite",
    );
  });
});

describe('a receive directory', () => {
  it('is known by its real path', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'real'));
    await symlink(join(directory, 'real'), join(directory, 'link'));
    expect(await checkReceiveDirectory(join(directory, 'link'))).toBe(join(directory, 'real'));
  });

  it('has to be a directory that exists', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expect(checkReceiveDirectory(file)).rejects.toThrow(`receive directory '${file}' is not a directory`);
    await expect(checkReceiveDirectory(join(directory, 'no'))).rejects.toThrow('does not exist');
    await expect(checkReceiveDirectory(join(directory, 'no'))).rejects.toThrow(Failure);
  });

  it('has to be one that may be written', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read and write everything');
    const directory = await temporaryDirectory();
    await chmod(directory, 0o555);
    await expect(checkReceiveDirectory(directory)).rejects.toThrow('its permissions must allow it');
    await chmod(directory, 0o755);
  });
});
