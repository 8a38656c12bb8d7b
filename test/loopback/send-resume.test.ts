import { open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { areSame, filesOf, randomFile, received, send, startDaemon, startDaemonProcess } from './send-lab.js';
import {
  freePorts,
  type Starts,
  scratchFolder,
  silentPort,
  untilSo,
  XpassCommand,
  XpassProcess,
  type XpassRun,
} from './switch-lab.js';

const MIB = 1024 * 1024;
const FILE_MIB = 8;
/** A file takes 0.7 s, of which a third is over when something dies. */
const RATE = ['--rate', '100mbit'];
const IDLE = ['--idle-timeout', '1500ms'];
/** Much less than the file, and more than what nobody keeps. */
const BEGUN_BYTES = 3 * MIB;

/** A daemon at a known port and a sender whose file has begun, each in a process of its own or in that of the test. */
async function begun(Run: Starts<XpassRun>, ...daemonArgs: string[]) {
  const [port] = await freePorts(1);
  const at = `127.0.0.1:${port}`;
  const directory = await scratchFolder();
  const idle = daemonArgs.includes('--idle-timeout') ? [] : IDLE;
  const args = ['--listen', at, '-d', directory, '--interval', '20ms', ...RATE, ...idle, ...daemonArgs];
  const daemon = await (Run === XpassProcess ? startDaemonProcess : startDaemon)(...args);
  const file = await randomFile('big.bin', FILE_MIB * MIB);
  const sender = new Run(['send', file, '--to', at, ...RATE, ...IDLE]);
  await received(daemon, BEGUN_BYTES);
  return {
    daemon,
    sender,
    file,
    directory,
    again: (...more: string[]) => send(file, '--to', at, '--json', ...RATE, ...(more.length > 0 ? more : IDLE)),
    args,
  };
}

/** The same with a sender that was interrupted, and a part of its file at the daemon. */
async function interrupted(...daemonArgs: string[]) {
  const all = await begun(XpassCommand, ...daemonArgs);
  await all.sender.stop('SIGINT');
  expect(await all.daemon.process.event('file')).toMatchObject({ verified: false, code: 'aborted' });
  return all;
}

/** Less than the whole was sent, and the whole is there. */
async function expectResumed(sent: Awaited<ReturnType<typeof send>>, file: string, directory: string): Promise<void> {
  expect([sent.code, sent.stderr]).toEqual([0, '']);
  const [result] = filesOf(sent);
  const { size } = await stat(file);
  expect(result).toMatchObject({ name: 'big.bin', bytes: size, verified: true, skipped: false });
  expect(result.resumed_at).toBeGreaterThanOrEqual(BEGUN_BYTES / 2);
  expect(result.sent_bytes).toBe(size - Number(result.resumed_at));
  expect(await readdir(directory)).toEqual(['big.bin']);
  expect(await areSame(file, join(directory, 'big.bin'))).toBe(true);
}

/** Changes one byte. */
async function damage(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] ^= 0xff;
  await file.write(byte, 0, 1, at);
  await file.close();
}

describe('a file whose transfer died is gone on with', () => {
  it('after the sender was killed, though the daemon does not know it yet', async () => {
    const { sender, file, directory, again, daemon } = await begun(XpassProcess);
    await sender.stop('SIGKILL');
    await expectResumed(await again(), file, directory);
    const events = daemon.process.events.filter(({ event }) => event === 'file');
    expect(events[0]).toMatchObject({ verified: false, code: 'aborted' });
    expect(events[1]).toMatchObject({ verified: true, resumed_at: expect.any(Number) });
    expect(events[1].resumed_at).toBe(events[0].kept_bytes);
  });

  it('after daemon and sender were killed, and killed again', async () => {
    const { daemon, sender, file, directory, again, args } = await begun(XpassProcess);
    await daemon.process.stop('SIGKILL');
    await sender.stop('SIGKILL');
    const sizeOfPart = async () => (await stat(join(directory, (await readdir(directory))[0]))).size;
    const begunAt = await sizeOfPart();
    const next = await startDaemonProcess(...args);
    const running = new XpassProcess(['send', file, '--to', args[1], ...RATE, ...IDLE]);
    await received(next, 2 * MIB);
    await running.stop('SIGKILL');
    await next.process.stop('SIGKILL');
    expect(await sizeOfPart()).toBeGreaterThan(begunAt);
    await startDaemon(...args);
    await expectResumed(await again(), file, directory);
  });

  it('after the switch was killed', async () => {
    const [port] = await freePorts(1);
    const fabric = ['--hosts', '2', '--link-rate', '100mbit'];
    const listen = ['switch', '--json', '--listen', `127.0.0.1:${port}`, ...fabric];
    const first = new XpassProcess(listen);
    await first.event('listening');
    const at = ['--switch', `127.0.0.1:${port}`, ...IDLE];
    const daemon = await startDaemon(...at, '--host-id', '2', '--interval', '20ms');
    const file = await randomFile('big.bin', FILE_MIB * MIB);
    const sending = ['send', file, '--to', '2', '--host-id', '1', ...at, '--json'];
    const sender = new XpassCommand(sending);
    await received(daemon, BEGUN_BYTES);
    await first.stop('SIGKILL');
    expect((await sender.ended).code).toBe(3);
    expect(await daemon.process.event('file')).toMatchObject({ verified: false });
    const second = new XpassCommand(listen);
    await second.event('listening');
    await expectResumed(await send(...sending.slice(1)), file, daemon.directory);
  });

  it('after the daemon was told to end', async () => {
    const { daemon, sender, file, directory, again, args } = await begun(XpassCommand);
    expect((await daemon.process.stop('SIGTERM')).code).toBe(0);
    expect((await sender.ended).code).toBe(3);
    await startDaemon(...args);
    await expectResumed(await again(), file, directory);
  });
});

describe('what is not the same is not believed', () => {
  it.each([
    ['at its beginning starts anew', 0, 0],
    ['in the middle goes on before the change', MIB + 1, MIB],
  ])('a source that changed %s', async (_, changedAt, resumedAt) => {
    const { file, directory, again } = await interrupted();
    await damage(file, changedAt);
    const sent = await again();
    expect(filesOf(sent)[0]).toMatchObject({ verified: true, resumed_at: resumedAt });
    expect(await areSame(file, join(directory, 'big.bin'))).toBe(true);
    expect(await readdir(directory)).toEqual(['big.bin']);
  });

  it('a part that was corrupted is cut where it is', async () => {
    const { daemon, file, directory, again, args } = await interrupted();
    await daemon.process.stop();
    const [part] = await readdir(directory);
    await damage(join(directory, part), MIB + 5);
    await startDaemon(...args);
    const sent = await again();
    expect(filesOf(sent)[0]).toMatchObject({ verified: true, resumed_at: MIB });
    expect(await areSame(file, join(directory, 'big.bin'))).toBe(true);
  });
});

describe('two senders of one name', () => {
  it('never share a part: one has its file published, and the other is refused', async () => {
    const { daemon, directory } = await interrupted();
    const files = await Promise.all([randomFile('big.bin', 4 * MIB), randomFile('big.bin', 4 * MIB)]);
    const to = ['--to', daemon.address, '--json', ...RATE];
    const ended = await Promise.all(files.map((file) => send(file, ...to)));
    expect(ended.map((sent) => filesOf(sent)[0].code).sort()).toEqual(['exists', 'ok']);
    const winner = files[ended.findIndex(({ code }) => code === 0)];
    expect(await areSame(winner, join(directory, 'big.bin'))).toBe(true);
    expect(
      await untilSo(
        () => readdir(directory),
        (names) => names.length === 1,
        'the end of the parts',
      ),
    ).toEqual(['big.bin']);
  });

  it('of the same file, begun together behind one part, do not mix', async () => {
    const { daemon, directory, file } = await interrupted();
    const to = ['--to', daemon.address, '--json', ...RATE];
    const ended = await Promise.all([send(file, ...to), send(file, ...to)]);
    expect(ended.some(({ code }) => code === 0)).toBe(true);
    expect(await areSame(file, join(directory, 'big.bin'))).toBe(true);
  });
});

describe('a file that is there', () => {
  it.each([10, 3 * MIB])('with the same %i bytes is skipped', async (bytes) => {
    const daemon = await startDaemon();
    const file = await randomFile('there', bytes);
    await send(file, '--to', daemon.address);
    const again = await send(file, await randomFile('other', 5), '--to', daemon.address, '--json');
    expect(again.code).toBe(0);
    expect(filesOf(again)[0]).toMatchObject({ name: 'there', verified: true, skipped: true, sent_bytes: 0 });
    expect(JSON.parse(again.stdout).summary).toMatchObject({ files_sent: 1, files_skipped: 1, sent_bytes: 5 });
  });

  it('with other bytes is refused as before', async () => {
    const daemon = await startDaemon();
    await send(await randomFile('there', 3 * MIB), '--to', daemon.address);
    const again = await send(await randomFile('there', 3 * MIB), '--to', daemon.address, '--json');
    expect(filesOf(again)[0]).toMatchObject({ verified: false, code: 'exists' });
  });
});

/** A flow that waits speaks every third of it: the first refusal comes 3 s after a kill at the latest, the timeout itself 6 s at the earliest. */
const LONG_IDLE = ['--idle-timeout', '9s'];
const BEFORE_IDLE = ['--connect-timeout', '6s'];

describe('a sender that waits for an answer', () => {
  it('gives a daemon that was killed up by its refusals, before the idle timeout, though it has nothing to send', async () => {
    const { daemon, sender, file, again } = await begun(XpassProcess, ...LONG_IDLE);
    await sender.stop('SIGKILL');
    const waiting = again(...LONG_IDLE);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await daemon.process.stop('SIGKILL');
    const unanswered = send(file, '--to', `127.0.0.1:${await silentPort()}`, ...BEFORE_IDLE);
    const ended = await Promise.race([waiting, unanswered]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/is lost: nobody listens at its port \(ECONNREFUSED\)\n$/);
  });
});

describe('a file that replaces one of its size', () => {
  it('is gone on with as well', async () => {
    const { file, directory, again } = await interrupted('--overwrite');
    await writeFile(join(directory, 'big.bin'), Buffer.alloc(FILE_MIB * MIB));
    await expectResumed(await again(), file, directory);
  });
});

describe('a daemon that is started again', () => {
  it('removes what is older than --keep-parts', async () => {
    const { daemon, directory, args } = await interrupted();
    await daemon.process.stop();
    const next = await startDaemon(...args, '--keep-parts', '0');
    expect(await readdir(directory)).toEqual([]);
    expect((await next.process.stop()).stderr).toMatch(/removed 1 unfinished file, /);
  });

  it('is reached by a sender that meets nobody at first', async () => {
    const [port] = await freePorts(1);
    const file = await randomFile('a', 10);
    const sending = send(file, '--to', `127.0.0.1:${port}`);
    await new Promise((resolve) => setTimeout(resolve, 350));
    await startDaemon('--listen', `127.0.0.1:${port}`);
    expect((await sending).code).toBe(0);
  });
});
