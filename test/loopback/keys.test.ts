import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { areSame, expectSentence, send, startDaemon } from './send-lab.js';
import { scratchFolder, startSwitch, XpassCommand } from './switch-lab.js';

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

describe('a file that is sent with', () => {
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
