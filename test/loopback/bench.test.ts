import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runXpass, within, XpassProcess } from './switch-lab.js';

interface Result {
  readonly name: string;
  /** Null for what could not be measured. */
  readonly value: number;
  readonly unit: string;
  readonly raw: number | null;
  readonly ratio: number | null;
  readonly note?: string;
}

async function bench(...names: string[]): Promise<Result[]> {
  const process = new XpassProcess(['bench', ...names, '--smoke', '--json']);
  const { code, stdout, stderr } = await within(process.ended, 'the end of a benchmark', 60_000);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { results: Result[] }).results;
}

/** All processes of this machine, without those that have ended and were not waited for. */
async function processes(): Promise<{ pid: number; parent: number }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** The children of a process, once it has two. */
async function someChildren(pid: number): Promise<number[]> {
  for (;;) {
    const children = (await processes()).filter(({ parent }) => parent === pid);
    if (children.length >= 2) return children.map((child) => child.pid);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('xpass bench', () => {
  it('measures the bare program and xpass on the same work', async () => {
    const results = await bench('direct/1472/1', 'direct/1472/check', 'switch/8972/16');
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([
      ['direct/1472/1', 'frames/s'],
      ['direct/1472/1/cpu', 'us of CPU a frame'],
      ['direct/1472/check', 'frames/s'],
      ['direct/1472/check/cpu', 'us of CPU a frame'],
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
    const [rate, deviation, p99] = await bench('pacing/1000');
    expect(rate).toMatchObject({ name: 'pacing/1000/rate', unit: 'credits/s', raw: 1_000 });
    // Far from what it reaches on idle cores: here others may use them as well.
    expect(rate.value).toBeGreaterThan(10);
    expect(rate.value).toBeLessThan(1_100);
    expect(deviation).toMatchObject({ name: 'pacing/1000/deviation', unit: 'us' });
    expect(deviation.value).toBeGreaterThan(0);
    expect(p99).toMatchObject({ name: 'pacing/1000/p99-error', unit: 'us' });
    for (const { raw } of [deviation, p99]) expect(raw).toBeGreaterThan(0);
  });

  it('measures how long short flows take, beside TCP, and how many there can be', async () => {
    const results = await bench('message/1KiB', 'handshakes');
    const names = ['p50', 'p99', 'p999'].map((part) => `message/1KiB/${part}`);
    expect(results.map(({ name }) => name)).toEqual([...names, 'handshakes']);
    for (const { value, raw } of results) {
      expect(value).toBeGreaterThan(1);
      expect(raw).toBeGreaterThan(1);
    }
    expect(results[1].value).toBeGreaterThanOrEqual(results[0].value);
  });

  it('measures streams, beside one-way flows and beside TCP', async () => {
    const results = await bench('stream/8972', 'stream/ping', 'stream/open');
    const timed = ['ping', 'open'].flatMap((name) => ['p50', 'p99'].map((part) => [`stream/${name}/${part}`, 'us']));
    expect(results.map(({ name, unit }) => [name, unit])).toEqual([['stream/8972', 'Mbit/s'], ...timed]);
    for (const { value, raw } of results) {
      expect(value).toBeGreaterThan(1);
      expect(raw).toBeGreaterThan(1);
    }
    for (const at of [1, 3]) expect(results[at + 1].value).toBeGreaterThanOrEqual(results[at].value);
  });

  it('measures short flows through a busy switch', async () => {
    const [p50, p99, seldom, load] = await bench('loaded/speculative');
    expect([p50, p99, seldom, load].map(({ name }) => name)).toEqual(
      ['p50', 'p99', 'seldom', 'load'].map((part) => `loaded/speculative/${part}`),
    );
    expect(load.value).toBeGreaterThan(0);
    expect(load.raw).toBe(0.6);
    expect(p50.raw).toBe(p99.raw);
    expect(p50.raw).toBeGreaterThan(10);
    expect([seldom.value, (seldom.raw ?? 0) > 10]).toEqual([p50.value, true]);
    // Here others may use the cores as well.
    if (p50.value === null) expect(Math.abs(load.value - 0.6)).toBeGreaterThan(0.07);
    else expect(p99.value).toBeGreaterThanOrEqual(p50.value);
  });

  it('measures what flows take of the memory, and what is allocated', async () => {
    const results = await bench('flows/10', 'heap');
    const units = new Map(results.map(({ name, unit }) => [name, unit]));
    expect(units).toEqual(
      new Map([
        ['flows/10/idle/sink', 'B a flow'],
        ['flows/10/active/sink', 'B a flow'],
        ['flows/10/idle/source', 'B a flow'],
        ['flows/10/active/source', 'B a flow'],
        ['flows/10/goodput', 'Mbit/s'],
        ['heap/sink/growth', 'KiB a million'],
        ['heap/sink/allocated', 'B a frame'],
        ['heap/source/growth', 'KiB a million'],
        ['heap/source/allocated', 'B a frame'],
      ]),
    );
    for (const { value } of results.filter(({ name }) => /goodput|allocated/.test(name)))
      expect(value).toBeGreaterThan(0);
    for (const { value } of results) expect(Number.isFinite(value)).toBe(true);
  });

  it('measures other transports, or says why not', async () => {
    const results = await bench('peers/tcp/1472', 'peers/utp', 'peers/iperf3');
    expect(results).toHaveLength(5);
    for (const { name, value, raw, note } of results) {
      expect(value, name).toBeGreaterThan(0);
      if (name.includes('/tcp/')) expect(raw, name).toBeGreaterThan(0);
      else if (raw === null) expect(note, name).toMatch(/cannot be loaded here|is not installed|failed/);
    }
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
      const { code, stdout, stderr } = await runXpass('bench', 'pacing/1000', '--smoke', ...profiled);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/^\[1\/1\] pacing\/1000\/rate /);
      expect(stdout).toMatch(
        /^benchmark +value +unit +raw +ratio.*\npacing\/1000\/rate +[\d.,]+ +credits\/s +1,000 +[\d.]+/,
      );
      const profiles = ['1-bare-pacer', '2-sink', '3-source'].map((role) => `pacing-1000.${role}.cpuprofile`);
      expect(await readdir(directory)).toEqual(profiles);
      for (const name of profiles) expect(stdout).toMatch(new RegExp(`\n${join(directory, name)}\n +self +function\n`));
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it.each([
    ['programs of its own', 'flows/10'],
    ['processes of xpass', 'parking-lot/naive'],
  ])('leaves none of %s behind when it is interrupted', async (_, name) => {
    const running = new XpassProcess(['bench', name, '--seconds', '60']);
    const children = await within(someChildren(running.pid ?? 0), 'the processes of the benchmark');
    const { code, stderr } = await running.stop('SIGINT');
    expect([code, stderr]).toEqual([1, 'xpass bench: interrupted by SIGINT\n']);
    const left = await processes();
    expect(left.filter(({ pid }) => children.includes(pid))).toEqual([]);
  });

  it('watches the memory of busy processes, and says whether it grew', async () => {
    const soak = new XpassProcess(['bench', 'soak', '--duration', '4s', '--link-rate', '5mbit', '--json']);
    const { code, stdout, stderr } = await within(soak.ended, 'the end of a soak', 40_000);
    const report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual([
      'duration_s',
      'load',
      'flows',
      'failed_flows',
      'reasons',
      'bytes',
      'memory',
      'grew',
    ]);
    const kinds = ['switch', 'sink', 'source'].flatMap((role) => ['heap', 'rss'].map((kind) => [role, kind]));
    expect(report.memory.map(({ role, kind }: { role: string; kind: string }) => [role, kind])).toEqual(kinds);
    // So short a run may well find growth, while code is compiled.
    expect(code).toBe(report.grew || report.failed_flows > 0 ? 1 : 0);
    expect(report.bytes).toBeGreaterThan(0);
    expect(stderr).toMatch(/^\d+ of 4 s: switch [\d.]+ MiB, sink [\d.]+ MiB, source [\d.]+ MiB\n/);
  });
});
