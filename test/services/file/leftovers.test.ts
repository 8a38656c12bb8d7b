import { lutimes, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryName } from '../../../src/services/file/file-name.js';
import {
  machineOf,
  removeLeftovers,
  temporaryTag,
  thisWriter,
  writerOf,
} from '../../../src/services/file/leftovers.js';
import { temporaryDirectory } from './failing-file-system.js';

const HERE = 'aaaaaaaa';
const SELF = { machine: HERE, pid: 100 };
/** Of the processes that a test names, this one runs. */
const RUNNING = 200;

const nameOf = (machine: string, pid: number) => temporaryName('big.iso', temporaryTag({ machine, pid }));

const secondsAgo = (seconds: number) => Date.now() / 1e3 - seconds;

/** Modified a good minute ago. */
async function leftIn(names: readonly string[], ageSeconds = 90) {
  const directory = await temporaryDirectory();
  for (const name of names) {
    await writeFile(join(directory, name), Buffer.alloc(1_000));
    await utimes(join(directory, name), secondsAgo(ageSeconds), secondsAgo(ageSeconds));
  }
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

describe('the machine of a writer', () => {
  const MACHINE_ID = '/etc/machine-id';
  const BOOT_ID = '/proc/sys/kernel/random/boot_id';
  const NAMESPACE = '/proc/self/ns/pid';
  const whole = {
    [MACHINE_ID]: `${'1'.repeat(32)}\n`,
    [BOOT_ID]: '22222222-3333-4444-5555-666666666666\n',
    [NAMESPACE]: 'pid:[4026531836]',
  };
  const named = (files: Record<string, string>, host = 'host') =>
    machineOf(host, (path) => {
      if (!(path in files)) throw new Error(`ENOENT: ${path}`);
      return files[path];
    });

  it('differs with the host name, the machine id and the process namespace', () => {
    const names = [
      named(whole),
      named(whole, 'other'),
      named({ ...whole, [MACHINE_ID]: '7'.repeat(32) }),
      named({ ...whole, [NAMESPACE]: 'pid:[4026532190]' }),
      named({}),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/);
  });

  it('stays the same after a restart, which only a machine without an id is told by', () => {
    const restarted = { ...whole, [BOOT_ID]: '99999999-3333-4444-5555-666666666666\n' };
    expect(named(restarted)).toBe(named(whole));
    for (const id of ['', 'uninitialized\n'])
      expect(named({ ...restarted, [MACHINE_ID]: id })).not.toBe(named({ ...whole, [MACHINE_ID]: id }));
  });
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

  it('are left alone when they were modified within the last minute, or will be by the clock of another machine', async () => {
    for (const age of [0, 50, -30]) {
      const { found, names } = await leftIn([nameOf(HERE, 300), nameOf(HERE, SELF.pid)], age);
      expect(found).toMatchObject({ removed: 0, kept: 2 });
      expect(names).toHaveLength(2);
    }
  });

  it('are regular files only', async () => {
    const directory = await temporaryDirectory();
    const [folder, link] = [join(directory, nameOf(HERE, 300)), join(directory, nameOf(HERE, 301))];
    await mkdir(folder);
    await utimes(folder, 0, 0);
    await symlink('/etc/hostname', link);
    await lutimes(link, 0, 0);
    const found = await removeLeftovers(directory, { self: SELF, isRunning: () => false });
    expect(found).toEqual({ removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 });
    expect(await readdir(directory)).toHaveLength(2);
  });

  it('are told from those of a process that runs, by asking the system', async () => {
    const directory = await temporaryDirectory();
    const { machine } = thisWriter();
    // Far above the numbers that systems give.
    const pids = [process.ppid, 2 ** 31 - 2];
    for (const pid of pids) {
      const path = join(directory, nameOf(machine, pid));
      await writeFile(path, 'x');
      await utimes(path, 0, 0);
    }
    const found = await removeLeftovers(directory);
    expect(found).toMatchObject({ removed: 1, kept: 1 });
  });
});
