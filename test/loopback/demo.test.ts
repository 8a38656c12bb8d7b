import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

// Real processes on a machine that may be busy: what arrives and how processes end is tested here, how fast is `xpass bench demo`.

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
const children: ChildProcess[] = [];
/** Where the demonstrations of this file keep their files: those of other tests come and go meanwhile. */
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'xpass-of-demo-test-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function demo(...args: string[]) {
  const env = { ...process.env, TMPDIR: directory, TEMP: directory };
  const child = spawn(process.execPath, [EXECUTABLE, 'demo', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, output, ended };
}

async function leftovers(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith('xpass-demo-')).sort();
}

describe('the demonstration', () => {
  it('delivers every file intact and prints one JSON object', async () => {
    const before = await leftovers();
    const { output, ended } = demo('--senders', '2', '--bytes', '2MiB', '--json');
    expect(await ended, output.stderr).toBe(0);
    const result = JSON.parse(output.stdout);
    expect(Object.keys(result)).toEqual([
      'algorithm',
      'link_rate_bps',
      'link_rate_choice',
      'senders',
      'loss',
      'duration_s',
      'goodput_bps',
      'utilisation',
      'utilisation_of_left',
      'jain',
      'files',
      'failures',
      'ports',
    ]);
    expect(result.files.map((file: { verified: boolean }) => file.verified)).toEqual([true, true]);
    expect(result.files[0]).toMatchObject({ name: 'from-sender-1', bytes: 2 * 1024 * 1024 });
    expect(result.files[0].sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(result.link_rate_choice.warm_ups.at(-1).link_rate_bps).toBe(result.link_rate_bps);
    expect(result.failures).toEqual([]);
    const bottleneck = result.ports.find((port: { name: string }) => port.name === 's1->h1');
    expect(bottleneck.data_drops).toBe(0);
    expect(bottleneck.data_queue_bytes_max).toBeGreaterThan(0);
    expect(await leftovers()).toEqual(before);
  });

  it('delivers every file over links that lose frames, with another algorithm, and says so to people', async () => {
    const { output, ended } = demo(
      '--senders',
      '2',
      '--bytes',
      '512KiB',
      '--loss',
      '2%',
      '--algorithm',
      'naive',
      '--link-rate',
      '100mbit',
    );
    expect(await ended, output.stderr).toBe(0);
    expect(output.stdout).toContain('naive: 2 senders shared 100.0 Mbit/s');
    expect(output.stdout).toContain('files verified      2 of 2');
    expect(output.stdout).toMatch(/lost on the links {3}[1-9]/);
    expect(output.stderr.split('\n')).toEqual([
      'starting 4 processes: a switch, a receiver, 2 senders',
      'warming up at 100.0 Mbit/s',
      'sending 512.0 KiB from each sender',
      '',
    ]);
  });

  it('ends in order when it is interrupted, and leaves nothing behind', async () => {
    const before = await leftovers();
    const { child, output, ended } = demo('--senders', '2', '--bytes', '64MiB');
    while ((await leftovers()).length === before.length) await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.kill('SIGINT');
    expect(await ended, output.stderr).toBe(1);
    expect(output.stdout).toBe('interrupted\n');
    expect(await leftovers()).toEqual(before);
  });

  it.each([
    [['--file', '/nowhere/at/all'], "--file '/nowhere/at/all'"],
    [['--file', '/'], "--file '/' is not a file"],
    [['--bytes', '100g'], 'allowed: as much as the file has'],
    [['--algorithm', 'wishful'], 'allowed: steady'],
    [['--senders', '0'], 'a whole number from 1 to 64'],
  ])('names what is wrong with %j', async (args, sentence) => {
    const { output, ended } = demo(...args);
    expect(await ended).toBe(2);
    expect(output.stderr).toContain(sentence);
    expect(output.stdout).toBe('');
  });
});
