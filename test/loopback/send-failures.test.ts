import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHost } from '../../src/net/host.js';
import { MessageInbox, TestWriter, type WritingHost } from '../harness/stream-world.js';
import {
  expectSentence,
  filesOf,
  HeldSender,
  namesWhen,
  randomFile,
  received,
  send,
  startDaemon,
  startDaemonProcess,
} from './send-lab.js';
import {
  freePorts,
  runHere,
  scratchFolder,
  startSwitch,
  startSwitchProcess,
  untilSo,
  within,
  XpassCommand,
  XpassProcess,
} from './switch-lab.js';

const MIB = 1024 * 1024;
/** Long enough for processes that have to wait a second for their turn. */
const IDLE_MS = 2_000;
const IDLE = `${IDLE_MS / 1_000}s`;
/** Processes that share two cores with others end this much later than they decide to. */
const SLACK_MS = 2_000;

/** A daemon behind a switch slow enough that a transfer of 24 MiB, which is begun, takes 2 s. `own` runs in a process of its own. */
async function transferring(own?: 'switch' | 'daemon' | 'sender', ...daemonOptions: string[]) {
  const fabricArgs = ['--hosts', '2', '--link-rate', '100mbit'];
  const { port, process: fabric } = await (own === 'switch' ? startSwitchProcess : startSwitch)(...fabricArgs);
  const at = ['--switch', `127.0.0.1:${port}`, '--idle-timeout', IDLE];
  const daemonArgs = [...at, '--host-id', '2', '--interval', '20ms', ...daemonOptions];
  const daemon = await (own === 'daemon' ? startDaemonProcess : startDaemon)(...daemonArgs);
  const file = await randomFile('big.bin', 24 * MIB);
  const sending = ['send', file, '--to', '2', '--host-id', '1', ...at, '--json'];
  const sender = own === 'sender' ? new XpassProcess(sending) : new XpassCommand(sending);
  await received(daemon, MIB);
  expect(await readdir(daemon.directory)).toEqual([PART]);
  return { daemon, sender, fabric };
}

const PART = expect.stringMatching(/^\.big\.bin\..*\.part$/);

const TICK_MS = 10;
/** A longer gap between two ticks is a machine that stood still, with all processes on it. */
const MOST_GAP_MS = 200;

/** How long `work` takes, ms, without the time in which the machine stood still. */
async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  let tookMs = 0;
  let lastMs = performance.now();
  const tick = (): void => {
    const nowMs = performance.now();
    tookMs += Math.min(nowMs - lastMs, MOST_GAP_MS);
    lastMs = nowMs;
  };
  const timer = setInterval(tick, TICK_MS);
  const result = await work.finally(() => clearInterval(timer));
  tick();
  return [result, tookMs];
}

describe('when the other side goes', () => {
  it('a sender whose daemon is killed says so within the idle timeout', async () => {
    const { daemon, sender } = await transferring('daemon');
    await daemon.process.stop('SIGKILL');
    const [ended, tookMs] = await timed(sender.ended);
    expect(ended.code).toBe(3);
    expectSentence(ended, /^xpass send: host 2 is lost: nothing came within the idle timeout of 2s$/);
    expect(tookMs).toBeLessThan(IDLE_MS + SLACK_MS);
  });

  it('a sender whose switch is killed names the switch', async () => {
    const { fabric, sender } = await transferring('switch');
    await fabric.stop('SIGKILL');
    const ended = await sender.ended;
    expect(ended.code).toBe(3);
    expectSentence(
      ended,
      /^xpass send: the switch at 127\.0\.0\.1:\d+ is lost: nobody listens at its port \(ECONNREFUSED\)$/,
    );
  });

  it('a sender whose daemon is stopped says so at once, and the daemon keeps what came', async () => {
    const { daemon, sender } = await transferring('daemon');
    const { code } = await daemon.process.stop('SIGTERM');
    expect(code).toBe(0);
    const ended = await within(sender.ended, 'the end of the sender');
    expect(ended.code).toBe(3);
    expectSentence(ended, /^xpass send: host 2 ended in the middle: its process is shutting down$/);
    expect(filesOf(ended)[0]).toMatchObject({ name: 'big.bin', verified: false, sha256: null, code: 'shutdown' });
    expect(await readdir(daemon.directory)).toEqual([PART]);
    expect(daemon.process.events.at(-1)).toMatchObject({ event: 'summary', files_verified: 0, files_failed: 1 });
  });

  it('a daemon whose sender is killed keeps what came', async () => {
    const { daemon, sender } = await transferring('sender');
    await sender.stop('SIGKILL');
    const [event, tookMs] = await timed(daemon.process.event('file'));
    expect(event).toMatchObject({ name: 'big.bin', verified: false, code: 'aborted' });
    expect(event.kept_bytes).toBeGreaterThanOrEqual(MIB);
    expect(await readdir(daemon.directory)).toEqual([PART]);
    expect(tookMs).toBeLessThan(IDLE_MS + SLACK_MS);
  });

  it('a daemon that keeps nothing leaves nothing half-written', async () => {
    const { daemon, sender } = await transferring('sender', '--keep-parts', '0');
    await sender.stop('SIGKILL');
    expect(await namesWhen(daemon.directory, (all) => all.length === 0)).toEqual([]);
    expect(await daemon.process.event('file')).toMatchObject({ code: 'aborted', kept_bytes: 0 });
  });

  it('a sender that is interrupted gives its file up, and what came is kept', async () => {
    const { daemon, sender } = await transferring();
    const ended = await sender.stop('SIGINT');
    expect(ended.code).toBe(1);
    expectSentence(ended, /^xpass send: interrupted by SIGINT: /);
    expect(filesOf(ended)[0]).toMatchObject({ verified: false });
    expect((await daemon.process.event('file')).kept_bytes).toBeGreaterThanOrEqual(MIB);
  });
});

describe('when nobody answers', () => {
  it.each(['dgram', 'mmsg'])('a sender on %s says so within a second of refusals', async (datapath) => {
    const [port] = await freePorts(1);
    const file = await randomFile('a', 10);
    const [ended, tookMs] = await timed(send(file, '--to', `127.0.0.1:${port}`, '--datapath', datapath));
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/127\.0\.0\.1:\d+ does not answer: nobody listens at its port \(ECONNREFUSED\)\n$/);
    expect(tookMs).toBeGreaterThan(750);
    expect(tookMs).toBeLessThan(1_000 + SLACK_MS);
  });

  it('a sender whose daemon is killed says so within a second of refusals, without a switch', async () => {
    const daemon = await startDaemonProcess('--listen', '127.0.0.1:0', '--rate', '100mbit', '--interval', '20ms');
    const file = await randomFile('big.bin', 24 * MIB);
    const address = String((await daemon.process.event('listening')).address);
    const sender = new XpassCommand(['send', file, '--to', address, '--rate', '100mbit']);
    await received(daemon, MIB);
    await daemon.process.stop('SIGKILL');
    const [ended, tookMs] = await timed(sender.ended);
    expect(ended.code).toBe(3);
    expectSentence(ended, /^xpass send: 127\.0\.0\.1:\d+ is lost: nobody listens at its port \(ECONNREFUSED\)$/);
    expect(tookMs).toBeLessThan(1_000 + SLACK_MS);
  });

  it('behind a switch, a sender says so as well', async () => {
    const { port } = await startSwitch('--hosts', '2');
    const file = await randomFile('a', 10);
    const ended = await send(file, '--to', '2', '--switch', `127.0.0.1:${port}`, '--connect-timeout', '500ms');
    expect(ended.code).toBe(3);
    expectSentence(ended, /^xpass send: host 2 does not answer: nothing came within the connect timeout of 500ms$/);
  });

  it.each([
    ['send', ['/etc/hostname', '--to', '2']],
    ['daemon', ['-d', '/tmp']],
  ])('%s says so of a switch', async (command, args) => {
    const [port] = await freePorts(1);
    const [ended, tookMs] = await timed(runHere(command, ...args, '--switch', `127.0.0.1:${port}`));
    expect(ended.code).toBe(3);
    const sentence = `nobody listens at 127.0.0.1:${port}, where the switch should be (ECONNREFUSED)\n`;
    expect(ended.stderr).toContain(`xpass ${command}: ${sentence}`);
    expect(tookMs).toBeLessThan(1_000 + SLACK_MS);
  });
});

describe('a file that the daemon does not take', () => {
  it('because of its name is left as it was, and others are sent', async () => {
    const daemon = await startDaemon();
    await writeFile(join(daemon.directory, 'taken'), 'mine');
    const files = [await randomFile('taken', 5 * MIB), await randomFile('free', 10)];
    const ended = await send(...files, '--to', daemon.address, '--json');
    expect(ended.code).toBe(1);
    expectSentence(ended, /^xpass send: 1 of 2 failed: 'taken' exists at the receiver, /);
    expect(filesOf(ended).map(({ verified, code }) => [verified, code])).toEqual([
      [false, 'exists'],
      [true, 'ok'],
    ]);
    expect(await readFile(join(daemon.directory, 'taken'), 'utf8')).toBe('mine');
    expect((await readdir(daemon.directory)).sort()).toEqual(['free', 'taken']);
  });

  it('is taken by one that may overwrite', async () => {
    const daemon = await startDaemon('--overwrite');
    await writeFile(join(daemon.directory, 'taken'), 'mine');
    const ended = await send(await randomFile('taken', 10), '--to', daemon.address);
    expect(ended.code).toBe(0);
    expect(await readFile(join(daemon.directory, 'taken'))).toHaveLength(10);
  });

  it('because of a name that is none gets a verdict, and nothing is written anywhere', async () => {
    const daemon = await startDaemon();
    const inbox = new MessageInbox();
    const stranger = await openHost({ peer: daemon.address });
    onTestFinished(() => stranger.destroy());
    const peer = await stranger.resolve(daemon.address);
    const writing: WritingHost = { openSender: stranger.openSender.bind(stranger), take: inbox.accept };
    const escapee = `escape-${process.pid}`;
    for (const name of [
      `../${escapee}`,
      `/tmp/${escapee}`,
      `a/../${escapee}`,
      `a//${escapee}`,
      `..\\${escapee}`,
      '..',
      '.hidden',
      'a\0b',
      '',
    ]) {
      const header = { kind: 'file', name, bytes: 3 };
      const writer = new TestWriter(writing).open(peer, [header, new Uint8Array(3)]);
      const what = `a verdict on ${JSON.stringify(name)}`;
      const verdict = await untilSo(
        () => inbox.answerTo(writer),
        (answer) => answer !== undefined,
        what,
      );
      expect(verdict).toMatchObject({ ok: false, code: 'badName' });
    }
    expect(await readdir(daemon.directory)).toEqual([]);
    expect(await readdir(join(daemon.directory, '..'))).not.toContain(escapee);
    const sent = await send(await randomFile('good', 10), '--to', daemon.address);
    expect(sent.code).toBe(0);
  });

  it('because its disk is full leaves nothing behind', async (context) => {
    const directory = await smallFileSystem();
    if (directory === null) {
      context.skip('a small file system can be mounted by root alone');
      return;
    }
    const [port] = await freePorts(1);
    const daemon = new XpassCommand(['daemon', '--json', '-d', directory, '--listen', `127.0.0.1:${port}`]);
    await daemon.event('listening');
    const ended = await send(await randomFile('big', 8 * MIB), '--to', `127.0.0.1:${port}`);
    expect(ended.code).toBe(1);
    expectSentence(ended, /^xpass send: 'big' cannot be stored: the receiver has no space left$/);
    expect(await readdir(directory)).toEqual([]);
    const small = await send(await randomFile('small', 1_000), '--to', `127.0.0.1:${port}`);
    expect(small.code).toBe(0);
    await daemon.stop();
  });
});

describe('wrong usage', () => {
  const TO_NOBODY = ['--to', '127.0.0.1:9'];

  it.each<[string, (folder: string) => string[], RegExp]>([
    ['a file that does not exist', (folder) => [`${folder}/none`, ...TO_NOBODY], /\/none' does not exist/],
    [
      'a warm-up that nobody ends',
      (folder) => [`${folder}/a`, '--warm-up', 'hold', ...TO_NOBODY],
      /without --hold; allowed: a duration/,
    ],
    ['a directory without a name', (folder) => [`${folder}/.`, ...TO_NOBODY], /has no name of its own/],
    ['a pipe', (folder) => [`${folder}/pipe`, ...TO_NOBODY], /\/pipe' is not a regular file: only regular files/],
    ['a hidden name', (folder) => [`${folder}/.hidden`, ...TO_NOBODY], /begins with a dot: receivers do not take/],
    ['one file of two', (folder) => [`${folder}/a`, `${folder}/none`, ...TO_NOBODY], /\/none' does not exist/],
    [
      'more bytes than there are',
      (folder) => [`${folder}/a`, '--bytes', '1k', ...TO_NOBODY],
      /has 1 bytes, fewer than/,
    ],
    ['one name for two files', (f) => [`${f}/a`, `${f}/b`, '--as', 'x', ...TO_NOBODY], /--as 'x' is given for 2 files/],
    ['a name that leads up', (folder) => [`${folder}/a`, '--as', 'x/../y', ...TO_NOBODY], /has the component '\.\.'/],
    ['no file', () => TO_NOBODY, /FILE\.\.\. is missing/],
    ['no host', (folder) => [`${folder}/a`], /--to is missing/],
    ['a host that is none', (folder) => [`${folder}/a`, '--to', 'a b'], /'a b' is not an address/],
    [
      'an address behind a switch',
      (f) => [`${f}/a`, '--to', 'x', '--switch', '127.0.0.1'],
      /host 'x' is not allowed behind/,
    ],
    [
      'an unknown algorithm',
      (f) => [`${f}/a`, ...TO_NOBODY, '-C', 'bbr'],
      /'bbr' is not allowed; allowed: steady, leaning, express/,
    ],
    ['an unknown parameter', (f) => [`${f}/a`, ...TO_NOBODY, '-C', 'dctcp', '--set', 'speed=9'], /speed/],
    ['parameters without an algorithm', (f) => [`${f}/a`, ...TO_NOBODY, '--set', 'speed=9'], /--set is about credits/],
  ])('of send: %s', async (_, args, sentence) => {
    const folder = await scratchFolder();
    for (const name of ['a', 'b', '.hidden']) await writeFile(join(folder, name), '1');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const ended = await runHere('send', ...args(folder));
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expectSentence(ended, sentence);
  });

  it.each<[string, (folder: string) => string[], RegExp]>([
    ['a file as directory', (folder) => ['-d', `${folder}/a`], /receive directory '.*\/a' is not a directory/],
    ['a directory in none', (folder) => ['-d', `${folder}/none/in`], /receive directory '.*' does not exist/],
    [
      'an address beside a switch',
      (folder) => ['-d', folder, '--listen', ':0', '--switch', '127.0.0.1'],
      /leave it out/,
    ],
    [
      'an unknown algorithm',
      (folder) => ['-d', folder, '-C', 'bbr'],
      /'bbr' is not allowed; allowed: steady, leaning, express/,
    ],
    ['an interval without a unit', (folder) => ['-d', folder, '--interval', '5'], /--interval '5' is not allowed/],
  ])('of daemon: %s', async (_, args, sentence) => {
    const folder = await scratchFolder();
    await writeFile(join(folder, 'a'), '1');
    const ended = await runHere('daemon', ...args(folder));
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expectSentence(ended, sentence);
  });

  it('of daemon: a port that is in use', async () => {
    const daemon = await startDaemon();
    const ended = await runHere('daemon', '-d', await scratchFolder(), '--listen', daemon.address);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expectSentence(ended, /UDP port \d+ is in use: another process is bound to 127\.0\.0\.1:\d+$/);
  });

  it('of both: host ids that the switch does not have, or that are taken', async () => {
    const { port } = await startSwitch('--hosts', '2');
    const at = ['--switch', `127.0.0.1:${port}`];
    await startDaemon(...at, '--host-id', '2');
    const file = await randomFile('a', 10);
    const unknown = await send(file, '--to', '2', ...at, '--host-id', '9');
    expect(unknown.code).toBe(2);
    expectSentence(unknown, /9/);
    const taken = await send(file, '--to', '2', ...at, '--host-id', '2');
    expect(taken.code).toBe(2);
    expectSentence(taken, /2/);
  });

  it('of --hold: an input that ends', async () => {
    const daemon = await startDaemon();
    const sender = new HeldSender(await randomFile('a', 10), '--to', daemon.address);
    await sender.isReady();
    sender.leave();
    const ended = await sender.ended;
    expect(ended.code).toBe(1);
    expectSentence(ended, /standard input ended before the line that --hold waits for$/);
  });
});

/** A file system of 2 MiB that is there until the end of the test; null where none can be had. */
async function smallFileSystem(): Promise<string | null> {
  const directory = await scratchFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory]);
  });
  return directory;
}
