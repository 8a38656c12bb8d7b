import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { areSame, expectSentence, send, startDaemon } from './send-lab.js';
import { scratchFolder, startSwitch, XpassCommand } from './switch-lab.js';

/** A wire that somebody listens to: passes datagrams between one client and a daemon, and keeps them. */
class Tap {
  readonly seen: Buffer[] = [];
  private readonly near: Socket = createSocket('udp4');
  private readonly far: Socket = createSocket('udp4');
  private client: RemoteInfo | null = null;

  static async to(port: number): Promise<Tap> {
    const tap = new Tap();
    tap.near.bind(0, '127.0.0.1');
    await once(tap.near, 'listening');
    tap.near.on('message', (bytes, from) => {
      tap.client = from;
      tap.seen.push(bytes);
      tap.far.send(bytes, port, '127.0.0.1');
    });
    tap.far.on('message', (bytes) => {
      tap.seen.push(bytes);
      if (tap.client !== null) tap.near.send(bytes, tap.client.port, tap.client.address);
    });
    onTestFinished(() => {
      tap.near.close();
      tap.far.close();
    });
    return tap;
  }

  get address(): string {
    return `127.0.0.1:${this.near.address().port}`;
  }

  sees(text: string): boolean {
    return this.seen.some((bytes) => bytes.includes(text));
  }
}

const TEXT = 'The quick brown fox jumps over the lazy dog. ';

async function textFile(): Promise<string> {
  const path = join(await scratchFolder(), 'fox.txt');
  await writeFile(path, TEXT.repeat(4_000));
  return path;
}

async function newKey(...args: string[]): Promise<{ path: string; line: string }> {
  const path = join(await scratchFolder(), 'host.key');
  const { code, stdout } = await new XpassCommand(['key', 'new', ...args, path]).ended;
  expect(code).toBe(0);
  return { path, line: stdout.trim().split('\n').at(-1) ?? '' };
}

/** Options of a daemon and of a sender that calls it as `address`. */
type Options = (address: string) => Promise<{ daemon: string[]; sender: string[] }>;

const MODES: readonly [string, boolean, Options][] = [
  ['no key', true, async () => ({ daemon: [], sender: [] })],
  [
    'a shared secret',
    false,
    async () => {
      const { path } = await newKey();
      return { daemon: ['--key', path], sender: ['--key', path] };
    },
  ],
];

describe('a file that is sent with', () => {
  it.each(MODES)('%s arrives, and who listens reads it: %s', async (_name, isReadable, options) => {
    const { daemon, sender } = await options('');
    const receiver = await startDaemon(...daemon);
    const tap = await Tap.to(Number(receiver.address.split(':').at(-1)));
    const file = await textFile();
    expect((await send(file, '--to', tap.address, ...sender)).code).toBe(0);
    expect(await areSame(file, join(receiver.directory, 'fox.txt'))).toBe(true);
    expect(tap.sees(TEXT)).toBe(isReadable);
    expect(tap.sees('fox.txt')).toBe(isReadable);
  });

  it('identities arrives, and who listens reads nothing', async () => {
    const [ours, theirs] = [await newKey('--identity'), await newKey('--identity')];
    const publicKey = (line: string) => line.split(/\s+/).at(-1) ?? '';
    const known = join(await scratchFolder(), 'peers');
    await writeFile(known, `somebody ${publicKey(ours.line)}\n`);
    const receiver = await startDaemon('--key', theirs.path, '--peers', known);
    const tap = await Tap.to(Number(receiver.address.split(':').at(-1)));
    const peers = join(await scratchFolder(), 'peers');
    await writeFile(peers, `${tap.address} ${publicKey(theirs.line)}\n`);
    const file = await textFile();
    const ended = await send(file, '--to', tap.address, '--key', ours.path, '--peers', peers);
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('internal')]);
    expect(await areSame(file, join(receiver.directory, 'fox.txt'))).toBe(true);
    expect([tap.sees(TEXT), tap.sees('fox.txt')]).toEqual([false, false]);
  });

  it('identities behind a switch arrives, where peers are named by their host ids', async () => {
    const [ours, theirs] = [await newKey('--identity'), await newKey('--identity')];
    const publicKey = (line: string) => line.split(/\s+/).at(-1) ?? '';
    const peers = join(await scratchFolder(), 'peers');
    await writeFile(peers, `host-1 ${publicKey(ours.line)}\nhost-2 ${publicKey(theirs.line)}\n`);
    const { port } = await startSwitch('--hosts', '2');
    const at = ['--switch', `127.0.0.1:${port}`, '--peers', peers];
    const receiver = await startDaemon(...at, '--host-id', '2', '--key', theirs.path);
    const file = await textFile();
    const ended = await send(file, '--to', '2', ...at, '--host-id', '1', '--key', ours.path);
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('internal')]);
    expect(await areSame(file, join(receiver.directory, 'fox.txt'))).toBe(true);
  });

  it('a shared secret goes through a switch that knows it, which takes nobody without it', async () => {
    const { path } = await newKey();
    const { port } = await startSwitch('--hosts', '3', '--key', path);
    const at = ['--switch', `127.0.0.1:${port}`];
    const receiver = await startDaemon(...at, '--host-id', '2', '--key', path);
    const file = await textFile();
    expect((await send(file, '--to', '2', ...at, '--key', path)).code).toBe(0);
    expect(await areSame(file, join(receiver.directory, 'fox.txt'))).toBe(true);
    const stranger = await send(file, '--to', '2', ...at);
    expect(stranger.code).not.toBe(0);
    expectSentence(stranger, /does not take this host's key/);
  });
});

describe('a host without a key', () => {
  it.each([['daemon'], ['switch']])('does not listen to the network unless it is told to: %s', async (command) => {
    const ended = await new XpassCommand([command, '--listen', '0.0.0.0:0']).ended;
    expect(ended.code).toBe(2);
    expectSentence(ended, /--key FILE .* or say --insecure/);
  });
});
