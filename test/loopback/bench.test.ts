import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runXpass, within, XpassProcess } from './switch-lab.js';

interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly raw: number | null;
  readonly ratio: number | null;
}

async function bench(...names: string[]): Promise<Result[]> {
  const process = new XpassProcess(['bench', ...names, '--seconds', '0.3', '--runs', '1', '--json']);
  const { code, stdout, stderr } = await within(process.ended, 'the end of a benchmark', 60_000);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { results: Result[] }).results;
}

/** Processes of this machine whose command line has `text` in it. */
async function processesWith(text: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'args=']);
  return stdout.split('\n').filter((line) => line.includes(text));
}

describe('xpass bench', () => {
  it('measures the bare program and xpass on the same work', async () => {
    const results = await bench('direct/1472/1', 'switch/8972/16');
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([
      ['direct/1472/1', 'frames/s'],
      ['direct/1472/1/cpu', 'us of CPU a frame'],
      ['switch/8972/16', 'frames/s'],
      ['switch/8972/16/cpu', 'us of CPU a frame'],
      ['switch/8972/16/forwarding', 'frames a core and second'],
    ]);
    for (const { unit, value, raw, ratio } of results) {
      const least = unit === 'us of CPU a frame' ? 1 : 100;
      expect(value).toBeGreaterThan(least);
      expect(raw).toBeGreaterThan(least);
      expect(ratio).toBeCloseTo(value / (raw ?? Number.NaN));
    }
  });

  it('measures how evenly credits come', async () => {
    const [median, p99] = await bench('pacing/1000');
    expect([median.name, p99.name]).toEqual(['pacing/1000/median', 'pacing/1000/p99']);
    expect(median).toMatchObject({ unit: 'us', raw: 1_000 });
    // Far from what it reaches on idle cores: here others may use them as well.
    expect(median.value).toBeGreaterThan(100);
    expect(p99.value).toBeGreaterThanOrEqual(median.value);
  });

  it('measures two bottlenecks in a row', async () => {
    const [{ name, value, raw, ratio }] = await bench('parking-lot/steady');
    expect([name, raw, ratio]).toEqual(['parking-lot/steady', null, null]);
    expect(value).toBeGreaterThan(0.01);
    expect(value).toBeLessThan(1.1);
  });

  it('measures the simulator in a process of its own', async () => {
    const results = await bench('sim/dumbbell/2/10ms');
    expect(results.map(({ name, unit, raw }) => [name.replace('sim/dumbbell/2/10ms/', ''), unit, raw])).toEqual([
      ['wall', 's', null],
      ['events', 'events/s', null],
      ['frame-hops', 'frames/s', null],
      ['memory', 'MiB', null],
    ]);
    const [wall, events, hops, memory] = results.map(({ value }) => value);
    // 10 ms of a full link of 10 Gbit/s: 7,500 data frames and their credits over three links each.
    expect(wall * hops).toBeGreaterThan(40_000);
    expect(events).toBeGreaterThan(hops);
    expect(memory).toBeGreaterThan(10);
  });

  it('prints a table for people, how far it is beside it, and leaves profiles when it is asked to', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'xpass-bench-test-'));
    try {
      const profiled = ['--profile', '--profile-directory', directory];
      const { code, stdout, stderr } = await runXpass('bench', 'pacing/1000', '--seconds', '0.3', ...profiled);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/^\[1\/1\] pacing\/1000\/median /);
      expect(stdout).toMatch(/^benchmark +value +unit +raw +ratio.*\npacing\/1000\/median +[\d.,]+ +us +1,000 +[\d.]+/);
      const profiles = ['pacing-1000.1-server.cpuprofile', 'pacing-1000.2-client.cpuprofile'];
      expect(await readdir(directory)).toEqual(profiles);
      for (const name of profiles) expect(stdout).toMatch(new RegExp(`\n${join(directory, name)}\n +self +function\n`));
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('leaves no process behind when it is interrupted', async () => {
    const running = new XpassProcess(['bench', 'pacing/10000', '--seconds', '60']);
    // The rate of the link, which no other process of this machine has.
    const mark = `--rate ${10_000 * 1626 * 8}`;
    await within(
      (async () => {
        while ((await processesWith(mark)).length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      })(),
      'the processes of the benchmark',
    );
    const { code, stderr } = await running.stop('SIGINT');
    expect([code, stderr]).toEqual([1, 'xpass bench: interrupted by SIGINT\n']);
    expect(await processesWith(mark)).toEqual([]);
  });
});
