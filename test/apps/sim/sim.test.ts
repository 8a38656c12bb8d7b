import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { scratchDirectory } from '../../harness/scratch.js';
import { callSim, fileOf } from './invocation.js';

const SCENARIO =
  'topology: { pairs: 2, rate: 1gbit }\nduration: 3ms\nwarmUp: 1ms\nflows: [pairs, { from: 1, to: 3, bytes: 20kB }]\n';

// Whole runs, on a machine that may have other things to do.
vi.setConfig({ testTimeout: 60_000 });

const scenarioFile = (source = SCENARIO): Promise<string> => fileOf(source);

const withoutWall = (text: string): object => ({ ...JSON.parse(text), wall_s: null });

describe('xpass sim', () => {
  // The first run loads the simulator, which takes seconds where the machine is busy.
  beforeAll(async () => {
    await import('../../../src/report/run-report.js');
  }, 60_000);

  it('prints a summary', async () => {
    const { exitCode, output, log } = await callSim([await scenarioFile()]);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^lab: steady, seed 1\n3\.000 ms of virtual time in /);
    expect(output).toContain('left->right');
    expect(output).toContain('completion times');
    expect(log).toBe('');
  });

  it('prints one JSON object, the same for the same seed but for the wall time', async () => {
    const path = await scenarioFile();
    const call = async (seed: string) => {
      const { output } = await callSim([path], { json: ['true'], seed: [seed] });
      expect(output.split('\n')).toHaveLength(2);
      return output.replace(/"wall_s":[\d.e-]+\}\n$/, '');
    };
    const [one, again, other] = [await call('5'), await call('5'), await call('6')];
    expect(one).toContain('"seed":5');
    expect(one.endsWith(',')).toBe(true);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it('changes values of the scenario', async () => {
    const { output } = await callSim([await scenarioFile()], {
      set: ['topology.pairs=3', 'algorithm=naive', 'flows.1.bytes=1'],
      json: ['true'],
    });
    const { algorithm, flows } = JSON.parse(output);
    expect(algorithm).toBe('naive');
    expect(flows.map(({ bytes }: { bytes: number | null }) => bytes)).toEqual([null, null, null, 1]);
  });

  it('writes CSV files, and gives the same result as without', async () => {
    const path = await scenarioFile();
    const out = await scratchDirectory();
    const plain = await callSim([path], { json: ['true'] });
    const { output } = await callSim([path], {
      json: ['true'],
      csv: [join(out, 'csv')],
    });
    expect(withoutWall(output)).toEqual(withoutWall(plain.output));
    const tables = ['flows.csv', 'links.csv', 'queues.csv', 'rates.csv', 'states.csv'];
    expect((await readdir(join(out, 'csv'))).sort()).toEqual(tables);
    const rates = (await readFile(join(out, 'csv', 'rates.csv'), 'utf8')).trim().split('\n');
    expect(rates).toHaveLength(1 + 3 * 500);
    const queues = (await readFile(join(out, 'csv', 'queues.csv'), 'utf8')).trim().split('\n');
    expect(queues).toHaveLength(1 + 10 * 500);
  });

  it('samples as often as the scenario says', async () => {
    const out = await scratchDirectory();
    const probes = 'probes: { interval: 1ms, links: [right->left], maxFlows: 1 }\n';
    await callSim([await scenarioFile(SCENARIO + probes)], { csv: [out] });
    expect((await readFile(join(out, 'queues.csv'), 'utf8')).trim().split('\n')).toHaveLength(1 + 3);
    expect((await readFile(join(out, 'rates.csv'), 'utf8')).trim().split('\n')).toHaveLength(1 + 3);
  });

  it('samples the length of a run that ends with its flows, not the time that it may take', async () => {
    const out = await scratchDirectory();
    const path = await scenarioFile('flows: [{ from: 1, to: 5, bytes: 20kB }]\n');
    const plain = await callSim([path], { json: ['true'] });
    const { output } = await callSim([path], { csv: [out], json: ['true'] });
    expect(withoutWall(output)).toEqual(withoutWall(plain.output));
    const lines = (await readFile(join(out, 'rates.csv'), 'utf8')).trim().split('\n');
    expect(lines.length).toBeGreaterThan(490);
    expect(Number(lines[lines.length - 1].split(',')[0])).toBeCloseTo(JSON.parse(output).duration_s, 5);
  });

  it('prints the schema without a file', async () => {
    const { exitCode, output } = await callSim([], { schema: ['true'] });
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ title: 'xpass scenario' });
  });

  it('ends without a result when it is interrupted', async () => {
    const path = await scenarioFile();
    await expect(callSim([path], {}, true)).rejects.toThrow("interrupted: 'lab' has no result");
  });

  it.each([
    [{}, 'FILE is missing'],
    [{ file: ['x'], out: ['here'] }, '--out is for the runs of --sweep'],
    [{ file: ['x'], sweep: ['seed=1,2'], csv: ['here'] }, '--csv is for one run'],
    [{ file: ['/nowhere/x.yaml'] }, "scenario file '/nowhere/x.yaml' does not exist"],
  ])('refuses what makes no sense: %j', async ({ file = [], ...given }: Record<string, string[]>, sentence) => {
    await expect(callSim(file, given)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(sentence),
    });
  });

  it('says before the run that its results could not be written', async () => {
    const path = await scenarioFile();
    await expect(callSim([path], { csv: [join(path, 'csv')] })).rejects.toThrow(`'${path}' is a file`);
    await expect(callSim([path], { report: ['/nowhere/x.html'] })).rejects.toThrow(
      "directory '/nowhere' of report does not exist",
    );
  });

  it('fails where the device is full', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it needs Linux');
    const report = ['/dev/full'];
    await expect(callSim([await scenarioFile()], { report })).rejects.toMatchObject({ exitCode: 1 });
  });

  it('says what of a scenario the simulator cannot play', async () => {
    const path = await scenarioFile(`${SCENARIO}probes: { interval: 1ns, maxFlows: 100 }\n`);
    await expect(callSim([path])).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('probes.interval is 1 ns'),
    });
  });
});
