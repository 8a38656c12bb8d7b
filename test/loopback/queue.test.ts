import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { anotherVersion, HAS_REDIS, start, startRedis, startWorker, WHY_NO_REDIS } from './queue-lab.js';
import { scratchFile, scratchFolder, untilSo, type XpassProcess } from './switch-lab.js';

/** Runs of some 100 ms. */
const SCENARIO = 'topology: { pairs: 4, rate: 10gbit }\nduration: 10ms\nflows: [pairs]\n';
const SWEEP = ['--sweep', 'algorithm=steady,naive', '--seeds', '12'];

const scenarioFile = (source = SCENARIO) => scratchFile('lab.yaml', source);

async function summaries(folder: string): Promise<string[]> {
  const names = (await readdir(join(folder, 'runs'))).sort();
  const files = ['summary.json', 'summary.csv', ...names.map((name) => join('runs', name))];
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text, at) => `${files[at]} ${text.replace(/"wall_s":[\d.e-]+/, '')}`);
}

const runsOf = (worker: XpassProcess): number => worker.events.filter(({ event }) => event === 'run').length;

describe('a queue', () => {
  beforeEach(({ skip }) => skip(!HAS_REDIS, WHY_NO_REDIS));

  it('gives the bytes of one machine, also where two of three workers are killed and one is of another version', async () => {
    const { url } = await startRedis();
    const path = await scenarioFile();
    const [here, there] = [await scratchFolder(), await scratchFolder()];
    const local = await start(['sim', path, ...SWEEP, '--json', '--out', here]).ended;
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(url)));
    const other = await startWorker(url, { executable: await anotherVersion() });
    const sweep = start(['sim', path, ...SWEEP, '--json', '--out', there, '--queue', url]);
    const [lasts, ...killed] = workers;
    for (const worker of killed) {
      await untilSo(
        async () => runsOf(worker),
        (runs) => runs > 0,
        'a run of each worker',
      );
      await worker.stop('SIGKILL');
    }
    const remote = await sweep.ended;
    expect({ ...remote, stderr: '' }).toEqual({ ...local, stderr: '' });
    expect(JSON.parse(remote.stdout).runs).toHaveLength(24);
    expect(await summaries(there)).toEqual(await summaries(here));
    expect(runsOf(lasts)).toBeLessThan(24);
    expect(await other.event('refused')).toMatchObject({ stamp: expect.stringMatching(/^0\.0\.9-/) });
    const { code } = await lasts.stop('SIGTERM');
    expect([code, lasts.events.at(-1)]).toEqual([0, expect.objectContaining({ event: 'summary', failed: 0 })]);
    await other.stop('SIGTERM');
    expect(other.events.at(-1)).toMatchObject({ event: 'summary', done: 0, refused: 1 });
  });
});
