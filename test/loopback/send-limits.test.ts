import { execFileSync } from 'node:child_process';
import { chmod, readdir, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectSentence, filesOf, randomFile, received, send, startDaemon } from './send-lab.js';
import { freePorts, scratchFile, untilSo, XpassCommand, XpassProcess } from './switch-lab.js';

const MIB = 1024 * 1024;

describe('a quota', () => {
  it('refuses what does not fit before its bytes flow, and takes what does', async () => {
    const daemon = await startDaemon('--quota', '5MiB');
    const to = ['--to', daemon.address];
    expect((await send(await randomFile('first', 3 * MIB), ...to)).code).toBe(0);
    const large = await send(await randomFile('large', 3 * MIB), ...to, '--json');
    expect(large.code).toBe(1);
    expectSentence(
      large,
      /^xpass send: 'large' cannot be stored: with it, the receiver's files would exceed their quota$/,
    );
    expect(filesOf(large)[0]).toMatchObject({ verified: false, code: 'quota', data_lost_frames: 0 });
    expect(await daemon.process.event('file')).toMatchObject({ name: 'first' });
    const refused = daemon.process.events.find(({ name }) => name === 'large');
    expect(refused).toMatchObject({ event: 'file', verified: false, code: 'quota', kept_bytes: 0 });
    expect((await send(await randomFile('fits', 2 * MIB), ...to)).code).toBe(0);
    // Below a mebibyte nothing is asked before.
    const small = await send(await randomFile('small', 10), ...to, '--json');
    expect(filesOf(small)[0]).toMatchObject({ code: 'quota' });
    expect((await readdir(daemon.directory)).sort()).toEqual(['first', 'fits']);
  });

  it('counts files under way, and unfinished ones', async () => {
    const daemon = await startDaemon('--quota', '30MiB', '--rate', '50mbit', '--interval', '20ms');
    const to = ['--to', daemon.address, '--rate', '50mbit'];
    const file = await randomFile('slow', 20 * MIB);
    const sender = new XpassCommand(['send', file, ...to]);
    await received(daemon, 2 * MIB);
    const other = await randomFile('other', 11 * MIB);
    expect(filesOf(await send(other, ...to, '--json'))[0]).toMatchObject({ code: 'quota' });
    await sender.stop('SIGINT');
    await untilSo(
      () => daemon.process.events.find(({ name }) => name === 'slow'),
      (event) => event !== undefined,
      'the end of the file',
    );
    expect(filesOf(await send(await randomFile('third', 29 * MIB), ...to, '--json'))[0]).toMatchObject({
      code: 'quota',
    });
  });
});

describe('a least free space', () => {
  it('refuses what would leave less', async () => {
    const daemon = await startDaemon('--min-free', '1000TB');
    const sent = await send(await randomFile('big', 2 * MIB), '--to', daemon.address, '--json');
    expect(sent.code).toBe(1);
    expectSentence(
      sent,
      /^xpass send: 'big' cannot be stored: the receiver's disk would have less free space than it keeps$/,
    );
    expect(filesOf(sent)[0]).toMatchObject({ code: 'minFree' });
    expect(await daemon.process.event('file')).toMatchObject({ name: 'big', code: 'minFree' });
    expect(await readdir(daemon.directory)).toEqual([]);
  });

  it('takes what leaves enough', async () => {
    const daemon = await startDaemon('--min-free', '1MiB');
    const { bavail, bsize } = await statfs(daemon.directory);
    expect(bavail * bsize).toBeGreaterThan(10 * MIB);
    expect((await send(await randomFile('big', 2 * MIB), '--to', daemon.address)).code).toBe(0);
  });
});

/** A Node.js that may open so few files. */
async function fewFiles(most: number): Promise<string> {
  const path = await scratchFile('node', `#!/bin/sh\nulimit -n ${most}\nexec '${process.execPath}' "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

const FEW_FILES = 40;

describe('a process that has too many files open', () => {
  const FILES = 40;

  it('as a daemon refuses files by name, and goes on', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no ulimit');
    const [port] = await freePorts(1);
    const directory = join(await scratchFile('unused', ''), '..', 'in');
    const args = ['daemon', '--json', '-d', directory, '--listen', `127.0.0.1:${port}`, '--rate', '400mbit'];
    const daemon = new XpassProcess(args, await fewFiles(FEW_FILES));
    await daemon.event('listening');
    const files = await Promise.all(Array.from({ length: FILES }, (_, at) => randomFile(`f${at}`, 1_100_000)));
    const to = ['--to', `127.0.0.1:${port}`, '--rate', '400mbit', '--json'];
    const sent = filesOf(await send(...files, '-P', `${FILES}`, ...to));
    const refused = sent.filter(({ verified }) => verified !== true);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['tooManyFiles']));
    expect(refused[0].message).toContain('the receiver has too many files open');
    const told = daemon.events.filter(({ event, code }) => event === 'file' && code === 'tooManyFiles');
    expect(told).toHaveLength(refused.length);
    const again = await send(...refused.map(({ name }) => files[Number(String(name).slice(1))]), ...to);
    expect(again.code).toBe(0);
    expect((await readdir(directory)).sort()).toEqual(files.map((_, at) => `f${at}`).sort());
    expect((await daemon.stop()).code).toBe(0);
  });

  it('as a sender says so of the files that it cannot open', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no ulimit');
    const daemon = await startDaemon('--rate', '400mbit');
    const files = await Promise.all(Array.from({ length: FILES }, (_, at) => randomFile(`f${at}`, 1_100_000)));
    const args = ['send', ...files, '-P', `${FILES}`, '--to', daemon.address, '--rate', '400mbit', '--json'];
    const ended = await new XpassProcess(args, await fewFiles(FEW_FILES)).ended;
    expect(ended.code).toBe(1);
    const failed = filesOf(ended).filter(({ verified }) => verified !== true);
    expect(failed.length).toBeGreaterThan(0);
    for (const { code, message } of failed) {
      expect(code).toBe('failed');
      expect(message).toContain('too many files open');
    }
  });
});

describe('the mode of a received file', () => {
  const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;

  it.each([
    ['0644 whatever the sender has', [], 0o777, 0o644 & ~process.umask()],
    ["the sender's with --keep-mode", ['--keep-mode'], 0o750, 0o750],
    ["the sender's without setuid, setgid and sticky bits", ['--keep-mode'], 0o7775, 0o775],
  ])('is %s', async (_, args, given, kept) => {
    const daemon = await startDaemon(...args);
    const file = await randomFile('tool', 100);
    await chmod(file, given);
    expect((await send(file, '--to', daemon.address)).code).toBe(0);
    expect(await modeOf(join(daemon.directory, 'tool'))).toBe(kept);
  });
});

describe('a full disk', () => {
  it('is told by name on both sides, and the daemon goes on', async ({ skip, onTestFinished }) => {
    const directory = join(await scratchFile('unused', ''), '..', 'small');
    execFileSync('mkdir', [directory]);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory], { stdio: 'ignore' });
    } catch {
      skip('a small file system can be mounted by root alone');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', directory]));
    const daemon = await startDaemon('-d', directory);
    await writeFile(join(directory, 'there'), Buffer.alloc(MIB));
    const sent = await send(await randomFile('big', 8 * MIB), '--to', daemon.address, '--json');
    expect(filesOf(sent)[0]).toMatchObject({ code: 'noSpace' });
    expect(await daemon.process.event('file')).toMatchObject({ name: 'big', code: 'noSpace', kept_bytes: 0 });
    expect(await readdir(directory)).toEqual(['there']);
    expect((await send(await randomFile('small', 2 * MIB), '--to', daemon.address)).code).toBe(0);
  });
});
