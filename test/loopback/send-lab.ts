import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { type Ended, scratchFolder, within, XpassProcess } from './switch-lab.js';

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
/** For the slowest transfer here, on a machine that is busy with other things. */
const TRANSFER_PATIENCE_MS = 90_000;

/** A daemon that is ready, with a receive directory of its own; directly on a free port unless it attaches to a switch. */
export async function startDaemon(...args: string[]) {
  const directory = await scratchFolder();
  const isElsewhere = args.includes('--switch') || args.includes('--listen');
  const where = isElsewhere ? [] : ['--listen', ':0'];
  const running = new XpassProcess(['daemon', '--json', '-d', directory, ...where, ...args]);
  const listening = await running.event('listening');
  return { process: running, directory, address: String(listening.address), listening };
}

/** A file with random bytes; returns its path. */
export async function randomFile(name: string, bytes: number): Promise<string> {
  const path = join(await scratchFolder(), name);
  await writeFile(path, randomBytes(bytes));
  return path;
}

/** Sends to the end, however long that takes. */
export function send(...args: string[]): Promise<Ended> {
  return within(new XpassProcess(['send', ...args]).ended, `the end of send ${args.join(' ')}`, TRANSFER_PATIENCE_MS);
}

/** What `--json` says of each file. */
export function filesOf({ stdout }: Ended): Record<string, unknown>[] {
  return (JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { files: Record<string, unknown>[] }).files;
}

/** Whether the two files have the same bytes; vitest would compare them one by one, in seconds. */
export async function areSame(first: string, second: string): Promise<boolean> {
  return (await readFile(first)).equals(await readFile(second));
}

/** The names in a directory as soon as `isSo` holds for them: a daemon cleans up in its own time. */
export async function namesWhen(directory: string, isSo: (names: string[]) => boolean): Promise<string[]> {
  const look = async (): Promise<string[]> => {
    for (;;) {
      const names = await readdir(directory);
      if (isSo(names)) return names;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return within(look(), `other names in the receive directory than ${await readdir(directory)}`);
}

/** Resolves once a daemon with --interval has so many bytes of a file. */
export async function received({ process }: { process: XpassProcess }, bytes: number): Promise<void> {
  const look = async (): Promise<void> => {
    for (;;) {
      const flows = process.events.filter(({ event }) => event === 'progress').at(-1)?.flows ?? [];
      if ((flows as { bytes_delivered: number }[]).some(({ bytes_delivered }) => bytes_delivered >= bytes)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await within(look(), `${bytes} bytes at the daemon`);
}

/** One sentence, with a hint where usage was wrong, and no stack. */
export function expectSentence({ stderr }: Ended, pattern: RegExp): void {
  const lines = stderr.trimEnd().split('\n');
  const sentences = lines.filter((line) => line.startsWith('xpass'));
  expect(sentences).toEqual([expect.stringMatching(pattern)]);
  expect(stderr).not.toMatch(/internal error|^ {4}at /m);
}

/** A sender that waits for a line: `--hold`. */
export class HeldSender {
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly ready: Promise<void>;

  constructor(...args: string[]) {
    const child = spawn(process.execPath, [EXECUTABLE, 'send', '--hold', '--json', ...args]);
    this.child = child;
    const said = { stdout: '', stderr: '' };
    child.stderr.on('data', (chunk: Buffer) => {
      said.stderr += chunk.toString();
    });
    this.ready = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.stdout += `${line}\n`;
        if (line === '{"event":"ready"}') resolve();
      });
    });
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
  }

  async isReady(): Promise<void> {
    await within(this.ready, 'a sender that is ready');
  }

  go(): void {
    this.child.stdin.write('go\n');
  }

  /** Ends the input without a line. */
  leave(): void {
    this.child.stdin.end();
  }
}
