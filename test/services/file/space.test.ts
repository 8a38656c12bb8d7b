import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_LIMITS, SpaceBook } from '../../../src/services/file/space.js';
import { temporaryDirectory } from './failing-file-system.js';

async function book({ quota = Number.POSITIVE_INFINITY, minFree = 0, free = 1e12, stored = 0 }) {
  const directory = await temporaryDirectory();
  if (stored > 0) await writeFile(join(directory, 'stored'), Buffer.alloc(stored));
  const disk = { free };
  const limits = { quotaBytes: quota, minFreeBytes: minFree };
  return { directory, disk, space: new SpaceBook({ directory, limits, freeBytes: async () => disk.free }) };
}

const QUOTA = { fault: { code: 'quota' } };
const MIN_FREE = { fault: { code: 'minFree' } };

describe('a quota', () => {
  it('counts what is in the directory and what is under way', async () => {
    const { space } = await book({ quota: 1_000, stored: 400 });
    const first = await space.reserve('a', 500);
    await expect(space.reserve('b', 101)).rejects.toMatchObject(QUOTA);
    await space.reserve('b', 100);
    first.settle(0);
    await space.reserve('c', 500);
  });

  it('holds for files that ask at the same time', async () => {
    const { space } = await book({ quota: 1_000 });
    const asked = await Promise.allSettled([space.reserve('a', 600), space.reserve('b', 600), space.reserve('c', 400)]);
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('keeps counting what a transfer has left, until it is removed', async () => {
    const { space, directory } = await book({ quota: 1_000 });
    const first = await space.reserve('a', 800);
    await writeFile(join(directory, 'a'), Buffer.alloc(800));
    first.settle(800);
    await expect(space.check('b', 201)).rejects.toMatchObject(QUOTA);
    await rm(join(directory, 'a'));
    await space.check('b', 201);
  });

  it('counts the part that a transfer goes on with once', async () => {
    const { space, directory } = await book({ quota: 1_000, stored: 700 });
    await expect(space.check('a', 1_001, 700)).rejects.toMatchObject(QUOTA);
    const going = await space.reserve('a', 1_000, 700);
    await writeFile(join(directory, 'stored'), Buffer.alloc(1_000));
    going.settle(1_000);
    await expect(space.check('b', 1)).rejects.toMatchObject(QUOTA);
  });
});

describe('a least free space', () => {
  it('refuses what would leave less, with what is on its way counted', async () => {
    const { space } = await book({ minFree: 100, free: 1_000 });
    await expect(space.check('a', 901)).rejects.toMatchObject(MIN_FREE);
    const first = await space.reserve('a', 600);
    await expect(space.check('b', 301)).rejects.toMatchObject(MIN_FREE);
    await space.check('b', 300);
    await space.check('b', 900, 600);
    first.settle(0);
    await space.check('b', 900);
  });

  it('ends a transfer while it flows, when others fill the disk', async () => {
    const { space, disk } = await book({ minFree: 100, free: 1e9 });
    const going = await space.reserve('a', 5e8);
    await going.wrote(1e8);
    disk.free = 99;
    await expect(going.wrote(1e8)).rejects.toMatchObject(MIN_FREE);
  });
});

describe('no bound', () => {
  it('asks nobody', async () => {
    const space = new SpaceBook({
      directory: '/nowhere',
      limits: NO_LIMITS,
      freeBytes: () => Promise.reject(new Error('asked')),
    });
    const going = await space.reserve('a', 2 ** 53);
    await going.wrote(1e9);
  });

  it('is met by a directory whose disk says nothing', async () => {
    const limits = { quotaBytes: Number.POSITIVE_INFINITY, minFreeBytes: 1e15 };
    await new SpaceBook({ directory: '/nowhere', limits }).check('a', 1);
    const here = new SpaceBook({ directory: await temporaryDirectory(), limits: { ...limits, minFreeBytes: 1e18 } });
    await expect(here.check('a', 1)).rejects.toMatchObject(MIN_FREE);
  });
});
