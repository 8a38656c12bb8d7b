import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { randomFile, send } from './send-lab.js';
import { scratchFolder, within } from './switch-lab.js';

const XPASS = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
const PATIENCE_MS = 30_000;

/** A command whose standard output is bytes; reads nothing of it unless told to. */
class Piped {
  readonly child: ChildProcess;
  stderr = '';
  readonly ended: Promise<number | null>;

  constructor(...args: string[]) {
    this.child = spawn(process.execPath, [XPASS, ...args], { stdio: 'pipe' });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    // What a sender cannot take because it has ended is no failure of the test.
    this.child.stdin?.on('error', () => undefined);
    this.ended = within(
      once(this.child, 'exit').then(([code]) => code as number | null),
      `the end of ${args.join(' ')}`,
      PATIENCE_MS,
    );
    onTestFinished(() => {
      this.child.kill('SIGKILL');
    });
  }

  async read(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.child.stdout ?? []) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
}

async function startReceiver(...args: string[]) {
  const receiver = new Piped('receive', '--listen', ':0', ...args);
  const listening = async () => {
    for (;;) {
      const [, address] = /listening at (\S+)/.exec(receiver.stderr) ?? [];
      if (address !== undefined) return address;
      await sleep(10);
    }
  };
  return { receiver, address: await within(listening(), 'a receiver that listens', PATIENCE_MS) };
}

it('passes files on, byte for byte and nothing else, and says no to one whose turn is over', async () => {
  const { receiver, address } = await startReceiver('--count', '2');
  const reading = receiver.read();
  const bytes = randomBytes(3_000_000);
  const sender = new Piped('send', '-', '--name', 'x.tar', '--to', address);
  sender.child.stdin?.end(bytes);
  expect(await sender.ended, sender.stderr).toBe(0);
  const path = await randomFile('y', 2_000_000);
  expect((await send(path, '--to', address)).code).toBe(0);
  expect(await receiver.ended, receiver.stderr).toBe(0);
  expect((await reading).equals(Buffer.concat([bytes, await readFile(path)]))).toBe(true);
});

it('holds the sender back while nobody reads, and ends by name on both sides when the reader goes', async () => {
  const { receiver, address } = await startReceiver();
  const sender = new Piped('send', '-', '--name', 'x.tar', '--to', address);
  let taken = 0;
  const feed = async (): Promise<void> => {
    for (const chunk = randomBytes(1_048_576); taken < 100e6; taken += chunk.length) {
      if (sender.child.stdin?.write(chunk) === false) await once(sender.child.stdin, 'drain');
    }
  };
  void feed().catch(() => undefined);
  let before = -1;
  while (taken === 0 || taken !== before) {
    before = taken;
    await sleep(500);
  }
  // Buffers of two pipes and two processes: a send buffer and a receive window among them.
  expect(taken).toBeLessThan(20e6);
  receiver.child.stdout?.destroy();
  expect(await receiver.ended).toBe(1);
  expect(await sender.ended).toBe(1);
  expect(receiver.stderr).toContain('the reader of what the receiver writes is gone');
  expect(sender.stderr).toContain('the reader of what the receiver writes is gone');
});

it('ends by name when it is interrupted, and when nobody comes', async () => {
  const { receiver, address } = await startReceiver();
  const sender = new Piped('send', '-', '--name', 'x.tar', '--to', address);
  sender.child.stdin?.write('the beginning');
  const reading = once(receiver.child.stdout!, 'data');
  await within(reading, 'the first bytes', PATIENCE_MS);
  receiver.child.kill('SIGINT');
  expect(await receiver.ended).toBe(1);
  expect(await sender.ended).toBe(1);
  expect(receiver.stderr).toContain('interrupted by SIGINT');
  expect(sender.stderr).toContain('the receiver was interrupted by SIGINT');
  const { receiver: lonely } = await startReceiver('--timeout', '300ms');
  expect(await lonely.ended).toBe(3);
  expect(lonely.stderr).toContain('no file came within 300.0 ms');
});

it('writes a file under the name of --output', async () => {
  const directory = await scratchFolder();
  const { receiver, address } = await startReceiver('--output', join(directory, 'named'));
  const path = await randomFile('other', 100_000);
  expect((await send(path, '--to', address)).code).toBe(0);
  expect(await receiver.ended, receiver.stderr).toBe(0);
  expect(await readdir(directory)).toEqual(['named']);
  expect((await readFile(join(directory, 'named'))).equals(await readFile(path))).toBe(true);
});
