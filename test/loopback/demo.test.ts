import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratchFolder, untilSo, XpassCommand } from './switch-lab.js';

// Real processes on a machine that may be busy: what arrives and how processes end is tested here, how fast is `xpass bench demo`.

/** Where the demonstrations of this file keep their files: those of other tests come and go meanwhile. */
let directory = '';

beforeEach(async () => {
  directory = await scratchFolder();
  vi.stubEnv('TMPDIR', directory);
  vi.stubEnv('TEMP', directory);
});
afterEach(() => void vi.unstubAllEnvs());

const demo = (...args: string[]) => new XpassCommand(['demo', ...args]).ended;

async function leftovers(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith('xpass-demo-')).sort();
}

describe('the demonstration', () => {
  it('delivers every file intact and prints one JSON object', async () => {
    const { code, stdout, stderr } = await demo('--senders', '2', '--bytes', '2MiB', '--json');
    expect(code, stderr).toBe(0);
    const result = JSON.parse(stdout);
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
    expect(await leftovers()).toEqual([]);
  });

  it('delivers every file over links that lose frames, with another algorithm, and says so to people', async () => {
    const bed = ['--senders', '2', '--bytes', '512KiB', '--link-rate', '100mbit'];
    const { code, stdout, stderr } = await demo(...bed, '--loss', '2%', '--algorithm', 'naive');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('naive: 2 senders shared 100.0 Mbit/s');
    expect(stdout).toContain('files verified      2 of 2');
    expect(stdout).toMatch(/lost on the links {3}[1-9]/);
    expect(stderr.split('\n')).toEqual([
      'starting 4 processes: a switch, a receiver, 2 senders',
      'warming up at 100.0 Mbit/s',
      'sending 512.0 KiB from each sender',
      '',
    ]);
  });

  it('ends in order when it is interrupted, and leaves nothing behind', async () => {
    const running = new XpassCommand(['demo', '--senders', '2', '--bytes', '64MiB']);
    await untilSo(leftovers, ({ length }) => length > 0, 'the folder of the demonstration');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const { code, stdout, stderr } = await running.stop('SIGINT');
    expect([code, stdout], stderr).toEqual([1, 'interrupted\n']);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    [['--file', '/nowhere/at/all'], "--file '/nowhere/at/all'"],
    [['--file', '/'], "--file '/' is not a file"],
    [['--bytes', '100g'], 'allowed: as much as the file has'],
    [['--algorithm', 'wishful'], 'allowed: steady'],
    [['--senders', '0'], 'a whole number from 1 to 64'],
  ])('names what is wrong with %j', async (args, sentence) => {
    const { code, stdout, stderr } = await demo(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });
});
