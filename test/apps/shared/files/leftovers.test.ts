import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryName } from '../../../../src/apps/shared/files/file-name.js';
import { removeLeftovers, temporaryTag, thisWriter, writerOf } from '../../../../src/apps/shared/files/leftovers.js';
import { temporaryDirectory } from './temporary-directory.js';

const HERE = 'aaaaaaaa';
const SELF = { machine: HERE, pid: 100 };
/** Of the processes that a test names, this one runs. */
const RUNNING = 200;

const nameOf = (machine: string, pid: number) => temporaryName('big.iso', temporaryTag({ machine, pid }));

async function leftIn(names: readonly string[]) {
  const directory = await temporaryDirectory();
  for (const name of names) await writeFile(join(directory, name), Buffer.alloc(1_000));
  const found = await removeLeftovers(directory, { self: SELF, isRunning: (pid) => pid === RUNNING });
  return { found, names: await readdir(directory) };
}

describe('the name of an unfinished file', () => {
  it('says who writes it', () => {
    expect(writerOf(temporaryName('a\nb', temporaryTag()))).toEqual(thisWriter());
    expect(thisWriter().pid).toBe(process.pid);
  });

  it.each([
    'big.iso',
    '.part',
    '.a.part',
    '.a.0123456789ab.part',
    '.a.aaaaaaaa-1-0123456789ab.part~',
    'a.aaaaaaaa-1-0123456789ab.part',
  ])('is not %s', (name) => expect(writerOf(name)).toBeNull());
});

describe('unfinished files that a daemon finds at its start', () => {
  it('are removed when their process is gone, and counted', async () => {
    const { found, names } = await leftIn([nameOf(HERE, 300), nameOf(HERE, 301), 'big.iso']);
    expect(found).toEqual({ removed: 2, removedBytes: 2_000, kept: 0, keptBytes: 0 });
    expect(names).toEqual(['big.iso']);
  });

  it('are removed when they have its own process number: it was that of one before it', async () => {
    expect((await leftIn([nameOf(HERE, SELF.pid)])).names).toEqual([]);
  });

  it('are left alone when their process runs, or was one of another machine', async () => {
    const written = [nameOf(HERE, RUNNING), nameOf('bbbbbbbb', 300)];
    const { found, names } = await leftIn(written);
    expect(found).toEqual({ removed: 0, removedBytes: 0, kept: 2, keptBytes: 2_000 });
    expect(names.sort()).toEqual(written.sort());
  });

  it('are regular files only', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, nameOf(HERE, 300)));
    await symlink('/etc/hostname', join(directory, nameOf(HERE, 301)));
    const found = await removeLeftovers(directory, { self: SELF, isRunning: () => false });
    expect(found).toEqual({ removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 });
    expect(await readdir(directory)).toHaveLength(2);
  });

  it('are told from those of a process that runs, by asking the system', async () => {
    const directory = await temporaryDirectory();
    const { machine } = thisWriter();
    await writeFile(join(directory, nameOf(machine, process.ppid)), 'x');
    const found = await removeLeftovers(directory);
    expect(found).toMatchObject({ removed: 0, kept: 1 });
  });
});
