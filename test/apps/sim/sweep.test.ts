import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../../src/base/failure.js';
import { scratchDirectory } from '../../harness/scratch.js';
import { callSim, fileOf } from './invocation.js';

const SCENARIO = 'topology: { pairs: 1, rate: 1gbit }\nflows: [{ kind: pairs, bytes: 30kB }]\n';
const SWEEP = { sweep: ['algorithm=steady,naive', 'topology.pairs=1,2'], seeds: ['2'], jobs: ['2'] };

// Whole runs, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 });

const scenarioFile = (source = SCENARIO): Promise<string> => fileOf(source);

describe('a sweep', () => {
  beforeAll(async () => {
    await import('../../../src/apps/sim/sim.js');
  }, 60_000);

  it('plays every combination with every seed, and lists them in order', async () => {
    const { exitCode, output } = await callSim([await scenarioFile()], { ...SWEEP, json: ['true'] });
    const { scenario, swept, runs } = JSON.parse(output);
    expect({ exitCode, scenario, swept }).toEqual({
      exitCode: 0,
      scenario: 'lab',
      swept: ['algorithm', 'topology.pairs'],
    });
    expect(
      runs.map((run: Record<string, unknown>) => [run.algorithm, run['topology.pairs'], run.seed, run.complete]),
    ).toEqual([
      ['steady', '1', 1, 1],
      ['steady', '1', 2, 1],
      ['steady', '2', 1, 2],
      ['steady', '2', 2, 2],
      ['naive', '1', 1, 1],
      ['naive', '1', 2, 1],
      ['naive', '2', 1, 2],
      ['naive', '2', 2, 2],
    ]);
  });

  it('gives the same bytes whatever the number of jobs', async () => {
    const path = await scenarioFile();
    const [one, two] = [await scratchDirectory(), await scratchDirectory()];
    const first = await callSim([path], { ...SWEEP, jobs: ['1'], out: [one] });
    const second = await callSim([path], { ...SWEEP, jobs: ['4'], out: [two] });
    expect(second.output).toBe(first.output);
    for (const name of ['summary.csv', 'summary.json']) {
      expect(await readFile(join(two, name), 'utf8')).toBe(await readFile(join(one, name), 'utf8'));
    }
    expect((await readdir(join(two, 'runs'))).sort()).toEqual((await readdir(join(one, 'runs'))).sort());
    expect((await readFile(join(one, 'summary.csv'), 'utf8')).split('\n')).toHaveLength(1 + 8 + 1);
  });

  it('runs only what is missing when it is started again', async () => {
    const path = await scenarioFile();
    const out = await scratchDirectory();
    const first = await callSim([path], { ...SWEEP, out: [out] });
    const names = (await readdir(join(out, 'runs'))).sort();
    for (const name of names) await utimes(join(out, 'runs', name), 1, 1);
    await rm(join(out, 'runs', names[0]));
    await writeFile(join(out, 'runs', names[1]), '{"scenario":"la');
    const second = await callSim([path], { ...SWEEP, out: [out] });
    expect(second.output).toBe(first.output);
    expect(second.log).toBe('6 of 8 runs are done already\n');
    const times = await Promise.all(names.map(async (name) => (await stat(join(out, 'runs', name))).mtimeMs > 1_000));
    expect(times).toEqual(names.map((_, at) => at < 2));
  });

  it('may be given more seeds and values later, but not another scenario', async () => {
    const path = await scenarioFile();
    const out = [await scratchDirectory()];
    await callSim([path], { sweep: ['topology.pairs=1'], out });
    const { output } = await callSim([path], { sweep: ['topology.pairs=1,2'], seeds: ['2'], out });
    expect(output.trim().split('\n')).toHaveLength(1 + 4);
    await expect(callSim([path], { sweep: ['algorithm=naive'], out })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('has the results of another sweep'),
    });
    await expect(callSim([path], { sweep: ['topology.pairs=1'], set: ['duration=1s'], out })).rejects.toThrow(
      'another sweep',
    );
  });

  it('reports failures with the command that replays them, and goes on', async () => {
    const path = await scenarioFile();
    const sweep = ['probes.interval=0,1ns'];
    const { exitCode, output, log } = await callSim([path], {
      sweep,
      set: ['probes.maxFlows=10000', 'topology.pairs=50'],
    });
    expect(exitCode).toBe(1);
    expect(output).toContain('probes.interval is 1 ns');
    const command = `xpass sim ${path} --set probes.maxFlows=10000 --set topology.pairs=50 --set probes.interval=1ns --seed 1`;
    expect(log).toContain(`to see it again: ${command}\n`);
    expect(output.split('\n')[1]).toContain('50 of 50');
  });

  it('keeps what is done when it is interrupted', async () => {
    const out = [await scratchDirectory()];
    const { exitCode, log } = await callSim([await scenarioFile()], { ...SWEEP, out }, true);
    expect(exitCode).toBe(1);
    expect(log).toBe('interrupted with 0 of 8 runs done; start it again to go on\n');
  });

  it.each([
    [{ sweep: ['algorithm'] }, "--sweep 'algorithm' is not allowed; allowed: PATH=VALUE,VALUE..."],
    [{ sweep: ['algorithm=naive,'] }, "--sweep 'algorithm=naive,' is not allowed"],
    [{ sweep: ['algorithm=naive,naive'] }, 'with different values'],
    [{ sweep: ['seed=1', 'seed=2'] }, "--sweep gives 'seed' more than once"],
    [{ sweep: ['topology.pairs=1,none'] }, "topology.pairs is 'none'; allowed: a whole number"],
    [{ seeds: ['2'], seed: ['4294967295'] }, 'seed 4294967296 is too large'],
    [{ sweep: ['seed=1,2,3'], seeds: ['50000'] }, 'the sweep has 150000 runs; allowed: at most 100000'],
  ])('is refused before its first run where it cannot be: %j', async (given, sentence) => {
    const failed = callSim([await scenarioFile()], given);
    const failure = await failed.then(() => null, failureOf);
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(sentence) });
  });

  it('plays what is the same by two names once, and lists it twice', async () => {
    const out = await scratchDirectory();
    const { output, log } = await callSim([await scenarioFile()], {
      sweep: ['topology.rate=1gbit,1000mbit'],
      out: [out],
    });
    const [, first, second] = output.split('\n').map((line) => line.replace(/^\S+ +/, ''));
    expect(second).toBe(first);
    expect(await readdir(join(out, 'runs'))).toHaveLength(1);
    expect(log).toBe('');
  });

  it('takes lists as values', async () => {
    const sweep = ['jainWindows=[1ms, 2ms],[3ms]'];
    const { output } = await callSim([await scenarioFile()], { sweep, json: ['true'] });
    expect(JSON.parse(output).runs.map((run: Record<string, unknown>) => run.jainWindows)).toEqual([
      '[1ms, 2ms]',
      '[3ms]',
    ]);
  });
});
