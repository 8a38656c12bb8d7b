import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  type Ended,
  type Starts,
  scratchFolder,
  untilSo,
  within,
  XpassCommand,
  XpassProcess,
  type XpassRun,
} from './switch-lab.js';

/** For the slowest transfer here, on a machine that is busy with other things. */
const TRANSFER_PATIENCE_MS = 90_000;

/** A daemon that is ready, with a receive directory of its own; directly on a free port unless it attaches to a switch. */
export const startDaemon = (...args: string[]) => readyDaemon(XpassCommand, args);

/** The same in a process of its own, for who kills it. */
export const startDaemonProcess = (...args: string[]) => readyDaemon(XpassProcess, args);

async function readyDaemon<T extends XpassRun>(Run: Starts<T>, args: readonly string[]) {
  const directory = args.includes('-d') ? args[args.indexOf('-d') + 1] : await scratchFolder();
  const isElsewhere = args.includes('--switch') || args.includes('--listen');
  const where = isElsewhere ? [] : ['--listen', ':0'];
  const running = new Run(['daemon', '--json', ...(args.includes('-d') ? [] : ['-d', directory]), ...where, ...args]);
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
export const send = (...args: string[]) => sent(XpassCommand, args);

/** The same in a process of its own. */
export const sendProcess = (...args: string[]) => sent(XpassProcess, args);

function sent(Run: Starts<XpassRun>, args: readonly string[]): Promise<Ended> {
  return within(new Run(['send', ...args]).ended, `the end of send ${args.join(' ')}`, TRANSFER_PATIENCE_MS);
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
  const what = `other names in the receive directory than ${await readdir(directory)}`;
  return untilSo(() => readdir(directory), isSo, what);
}

/** Resolves once a daemon with --interval has so many bytes of a file. */
export async function received({ process }: { process: XpassRun }, bytes: number): Promise<void> {
  const flows = () => process.events.filter(({ event }) => event === 'progress').at(-1)?.flows ?? [];
  const isThere = (all: unknown) =>
    (all as { bytes_delivered: number }[]).some(({ bytes_delivered }) => bytes_delivered >= bytes);
  await untilSo(flows, isThere, `${bytes} bytes at the daemon`);
}

/** One sentence, with a hint where usage was wrong, and no stack. */
export function expectSentence({ stderr }: Ended, pattern: RegExp): void {
  const lines = stderr.trimEnd().split('\n');
  const sentences = lines.filter((line) => line.startsWith('xpass'));
  expect(sentences).toEqual([expect.stringMatching(pattern)]);
  expect(stderr).not.toMatch(/internal error|^ {4}at /m);
}

/** A sender that waits for a line: `--hold`. */
export class HeldSender extends XpassProcess {
  constructor(...args: string[]) {
    super(['send', '--hold', '--json', ...args]);
  }

  async isReady(): Promise<void> {
    await this.event('ready');
  }

  go(): void {
    this.child.stdin.write('go\n');
  }

  /** Ends the input without a line. */
  leave(): void {
    this.child.stdin.end();
  }
}
