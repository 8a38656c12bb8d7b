import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { collectAll } from '../../src/scenario/play/run-all.js';
import {
  anotherVersion,
  HAS_REDIS,
  impatient,
  redisCli,
  start,
  startRedis,
  startTlsRedis,
  startWorker,
  sweepHere,
  WHY_NO_REDIS,
  WorkerHere,
  worlds,
} from './queue-lab.js';
import { scratchFile, scratchFolder, untilSo, type XpassProcess } from './switch-lab.js';

/** Runs of some 50 ms. */
const SCENARIO = 'topology: { pairs: 4, rate: 10gbit }\nduration: 5ms\nflows: [pairs]\n';
const SWEEP = ['--sweep', 'algorithm=steady,naive', '--seeds', '10'];
const RUNS = 20;

async function summaries(folder: string): Promise<string[]> {
  const names = (await readdir(join(folder, 'runs'))).sort();
  const files = ['summary.json', 'summary.csv', ...names.map((name) => join('runs', name))];
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text, at) => `${files[at]} ${text.replace(/"wall_s":[\d.e-]+/, '')}`);
}

const runsOf = (worker: XpassProcess): number => worker.events.filter(({ event }) => event === 'run').length;

/** Never answers. */
const hangs = () => new Promise<never>(() => undefined);

describe('a queue', () => {
  beforeEach(({ skip }) => skip(!HAS_REDIS, WHY_NO_REDIS));

  it('gives the bytes of one machine, also where two of three workers are killed and one is of another version', async () => {
    const { url } = await startRedis();
    const path = await scratchFile('lab.yaml', SCENARIO);
    const [here, there] = [await scratchFolder(), await scratchFolder()];
    const local = await start(['sim', path, ...SWEEP, '--json', '--out', here]).ended;
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(url)));
    const other = await startWorker(url, { executable: await anotherVersion() });
    const sweep = start(['sim', path, ...SWEEP, '--json', '--out', there, '--queue', url]);
    const [lasts, ...killed] = workers;
    for (const worker of killed) {
      await untilSo(
        () => runsOf(worker),
        (runs) => runs > 0,
        'a run of each worker',
      );
      await worker.stop('SIGKILL');
    }
    const remote = await sweep.ended;
    expect({ ...remote, stderr: '' }).toEqual({ ...local, stderr: '' });
    expect(JSON.parse(remote.stdout).runs).toHaveLength(RUNS);
    expect(await summaries(there)).toEqual(await summaries(here));
    expect(runsOf(lasts)).toBeLessThan(RUNS);
    expect(await other.event('refused')).toMatchObject({ stamp: expect.stringMatching(/^0\.0\.9-/) });
    expect(remote.stderr).toMatch(/workers of xpass 0\.0\.9-\w+ take none of these runs, which need /);
    const { code } = await lasts.stop('SIGTERM');
    expect([code, lasts.events.at(-1)]).toEqual([0, expect.objectContaining({ event: 'summary', failed: 0 })]);
    await other.stop('SIGTERM');
    expect(other.events.at(-1)).toMatchObject({ event: 'summary', done: 0, refused: 1 });
  });

  it('has a run that breaks tried three times and is then reported, and takes a result of megabytes', async () => {
    impatient('20s');
    const { url } = await startRedis();
    const large = Float64Array.from({ length: 500_000 }, (_, at) => Math.sin(at));
    const begun: number[] = [];
    const worker = new WorkerHere(url, ({ seed }) => {
      begun.push(seed);
      if (seed === 4) return Promise.resolve({ run: { large } as never, wallS: 1 });
      const breaks = seed === 2 || (seed === 3 && begun.filter((each) => each === seed).length === 1);
      return breaks ? Promise.reject(new Error(`broke by seed ${seed}`)) : null;
    });
    const scenarios = worlds(4);
    const { outcomes } = await sweepHere(url, scenarios);
    const [{ run: first }, , { run: third }] = await collectAll(scenarios);
    expect([outcomes[0].run, outcomes[2].run]).toEqual([first, third]);
    expect(outcomes[1].error?.message).toBe('3 workers began the run and none ended it: broke by seed 2');
    const { large: through } = outcomes[3].run as unknown as { large: Float64Array };
    expect(Buffer.from(through.buffer).equals(Buffer.from(large.buffer))).toBe(true);
    expect(begun.sort()).toEqual([1, 2, 2, 2, 3, 3, 4]);
    expect(await worker.stop()).toMatchObject({ done: 3, broke: 4, failed: 0 });
  });

  it('serves two sweeps at once, and has the run of a worker that is stopped played by another at once', async () => {
    impatient('600s');
    const { url } = await startRedis();
    let begun = 0;
    const stopped = new WorkerHere(url, () => {
      begun++;
      return hangs();
    });
    const scenarios = worlds(20);
    const sweeps = Promise.all([sweepHere(url, scenarios), sweepHere(url, scenarios)]);
    await untilSo(
      () => begun,
      (times) => times > 0,
      'a run under way',
    );
    expect(await stopped.stop()).toMatchObject({ done: 0, handed_back: 1 });
    const worker = new WorkerHere(url);
    // Locks are of 300 s: the run was not lost, it was handed back.
    const [one, other] = await sweeps;
    const local = await collectAll(scenarios);
    const runs = local.map(({ run }) => run);
    expect(one.outcomes.map(({ run }) => run)).toEqual(runs);
    expect(other.outcomes.map(({ run }) => run)).toEqual(runs);
    expect(await worker.stop()).toMatchObject({ done: 40, abandoned: 0 });
  });

  it('plays again what a server that was started anew without its data has lost', async () => {
    impatient('4s');
    const redis = await startRedis();
    const scenarios = worlds(1);
    let begun = 0;
    const worker = new WorkerHere(redis.url, () => (++begun === 1 ? hangs() : null));
    const swept = sweepHere(redis.url, scenarios);
    await untilSo(
      () => begun,
      (times) => times === 1,
      'a run under way',
    );
    redis.child.kill('SIGKILL');
    await once(redis.child, 'exit');
    await startRedis(redis.folder);
    const another = new WorkerHere(redis.url);
    const [{ run }] = await collectAll(scenarios);
    expect((await swept).outcomes).toMatchObject([{ run, error: null }]);
    await Promise.all([worker.stop(), another.stop()]);
  });

  it('is lost for both sides by name where it stays away, or answers no more', async () => {
    impatient();
    const ends = (['SIGKILL', 'SIGSTOP'] as const).map(async (signal) => {
      const { url, child } = await startRedis();
      let begun = 0;
      const worker = new WorkerHere(url, () => {
        begun++;
        return hangs();
      });
      const swept = sweepHere(url, worlds(1));
      swept.catch(() => undefined);
      await untilSo(
        () => begun,
        (times) => times > 0,
        'a run under way',
      );
      child.kill(signal);
      return Promise.allSettled([swept, worker.ended]);
    });
    const [away, silent] = await Promise.all(ends);
    for (const end of away) {
      expect(end).toMatchObject({
        reason: { exitCode: 3, message: expect.stringMatching(/^(lost )?the queue at unix:.*(reached|answer)/) },
      });
    }
    for (const end of silent) {
      expect(end).toMatchObject({ reason: { exitCode: 3, message: expect.stringContaining('did not answer within') } });
    }
  });

  it('has nothing of a sweep that was interrupted, and what one that was killed leaves expires', async () => {
    impatient('100ms');
    const redis = await startRedis();
    const abort = new AbortController();
    const interrupted = sweepHere(redis.url, worlds(4), abort.signal);
    const queued = () => redisCli(redis, 'keys', '*:runs');
    await untilSo(queued, (keys) => keys !== '', 'queued runs');
    abort.abort();
    expect((await interrupted).outcomes).toEqual([]);
    // What BullMQ has of the queue itself.
    expect(
      redisCli(redis, 'keys', '*')
        .replaceAll(/^.*:(events|id|marker|meta)$/gm, '')
        .trim(),
    ).toBe('');
    const sweep = start(['sim', await scratchFile('lab.yaml', SCENARIO), ...SWEEP, '--queue', redis.url]);
    const keys = () => redisCli(redis, 'keys', '*').split('\n');
    const immortal = () => keys().filter((key) => redisCli(redis, 'ttl', key) === '-1');
    // The runs are queued, and a moment later told to expire.
    await untilSo(
      () => !keys().some((key) => key.endsWith(':wait')) || immortal().length > 0,
      (isEarly) => !isEarly,
      'queued runs that expire',
    );
    await sweep.stop('SIGKILL');
    expect(immortal()).toEqual([]);
    // A worker takes what is left out of the queue.
    const worker = new WorkerHere(redis.url);
    await untilSo(
      () => worker.events.filter(({ event }) => event === 'abandoned').length + Number(queued() === ''),
      (done) => done > 0,
      'abandoned runs',
    );
  });

  it('names a password that is wrong or missing, a server that never answers, and no worker within the patience', async () => {
    impatient('100ms');
    const locked = await startRedis(undefined, ['--requirepass', 's3cret']);
    await expect(sweepHere(locked.url, worlds(1))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/^the queue at unix:\/\/.* cannot be used: NOAUTH/),
    });
    vi.stubEnv('XPASS_QUEUE_PASSWORD', 'other');
    await expect(sweepHere(locked.url, worlds(1))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/cannot be used: WRONGPASS(?!.*other)/),
    });
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    await expect(sweepHere(`redis://127.0.0.1:${port}`, worlds(1))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining(`the queue at redis://127.0.0.1:${port} did not answer within 0.1 s`),
    });
    const { url } = await startRedis();
    await expect(sweepHere(url, worlds(1))).rejects.toMatchObject({
      message: expect.stringMatching(/^no worker of xpass \S+ takes runs from unix:.* for 1.5 s; last heard: 0 of 1/),
    });
  });

  it('is reached by TLS with the files that the address names, and not without', async () => {
    impatient('20s');
    const { url, files } = await startTlsRedis();
    await expect(sweepHere(url, worlds(1))).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('self-signed certificate'),
    });
    const worker = new WorkerHere(url + files);
    expect((await sweepHere(url + files, worlds(2))).outcomes).toMatchObject([{ error: null }, { error: null }]);
    expect(await worker.stop()).toMatchObject({ done: 2 });
  });

  it('is measured beside the threads of one process', async () => {
    const { stdout } = await start(['bench', 'queue/short', '--smoke', '--json'], { env: process.env }).ended;
    const { results } = JSON.parse(stdout) as { results: { name: string; value: number; raw: number }[] };
    expect(results.map(({ name }) => name)).toEqual(['queue/short', 'queue/short/spent']);
    for (const { value, raw } of results) expect(value * raw).not.toBe(0);
  });
});
