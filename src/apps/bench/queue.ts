// Tested by test/loopback/queue.test.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScenario } from '../../scenario/parse-scenario.js';
import { type RunAllOptions, runAll } from '../../scenario/play/run-all.js';
import { runOnQueue } from '../../scenario/queue/run-on-queue.js';
import type { Scenario } from '../../sim/scenario.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import type { Workbench } from './workbench.js';

/** Workers, and threads of the pool on one machine that they are compared with: as many as the goals' machine has cores. */
const WORKERS = 2;
const SMOKE_RUNS = 4;
/** Runs for which workers compile their code before they are measured. */
const WARM_UP_RUNS = 20;

interface QueueWork {
  readonly name: string;
  readonly runs: number;
  /** Virtual time of a run. */
  readonly duration: string;
}

/** Runs of some milliseconds, where the queue's own time counts, and of some tenths of a second. */
const WORKS: readonly QueueWork[] = [
  { name: 'queue/short', runs: 1_000, duration: '1ms' },
  { name: 'queue/long', runs: 40, duration: '100ms' },
];

const LOCAL = { rawIs: 'threads of one process' };

/**
 * Runs over worker processes and a Redis of their own, beside the threads of one process. Ideal is that each core plays runs one after the other and does
 * nothing else: the number of runs, by the middle wall time of one among threads, over the cores.
 */
export const QUEUE: readonly Benchmark[] = WORKS.map((work) => ({
  name: work.name,
  group: 'queue',
  mostRuns: 1,
  isSlow: true,
  run: (bench: Workbench) => measure(bench, work),
}));

async function measure(bench: Workbench, { runs, duration }: QueueWork): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'xpass-queue-'));
  const socket = join(folder, 'redis.sock');
  const redis = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    if (!(await isReady(redis)))
      return [{ value: Number.NaN, unit: '% of ideal', note: 'redis-server is not installed' }];
    const queue = `unix://${socket}`;
    for (let at = 0; at < WORKERS; at++) {
      await bench.start('work', '--queue', queue, '--jobs', '1', '--json').event('listening');
    }
    const count = bench.settings.isSmoke === true ? SMOKE_RUNS : runs;
    const scenarios = Array.from({ length: count }, (_, at) => scenarioOf(duration, at + 1));
    const warmUp = scenarios.slice(0, WARM_UP_RUNS);
    const onQueue = (some: readonly Scenario[]) =>
      timed(some, (all, options) => runOnQueue(all, { ...options, queue, say: () => undefined }));
    const onThreads = (some: readonly Scenario[]) =>
      timed(some, (all, options) => runAll(all, { ...options, jobs: WORKERS }));
    await onQueue(warmUp);
    const local = await onThreads(scenarios);
    const idealS = (count * middle(local.wallsS)) / WORKERS;
    const remote = await onQueue(scenarios);
    const spentMs = (wallS: number): number => ((wallS - idealS) * WORKERS * 1e3) / count;
    return [
      { value: (100 * idealS) / remote.wallS, unit: '% of ideal', raw: (100 * idealS) / local.wallS, ...LOCAL },
      { part: 'spent', value: spentMs(remote.wallS), unit: 'ms a run', raw: spentMs(local.wallS), ...LOCAL },
    ];
  } finally {
    redis.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

/** False where there is no such program. */
async function isReady(redis: ChildProcess): Promise<boolean> {
  const missing = once(redis, 'error').then(() => false);
  const ready = (async () => {
    let said = '';
    while (!/ready to accept connections/i.test(said)) {
      said += String((await once(redis.stdout as NodeJS.ReadableStream, 'data'))[0]);
    }
    redis.stdout?.resume();
    return true;
  })();
  ready.catch(() => undefined);
  return Promise.race([missing, ready]);
}

function scenarioOf(duration: string, seed: number): Scenario {
  return parseScenario({ seed, duration, topology: { pairs: 2, rate: '10gbit' }, flows: ['pairs'] });
}

async function timed(
  scenarios: readonly Scenario[],
  play: (scenarios: readonly Scenario[], options: RunAllOptions) => Promise<void>,
): Promise<{ wallS: number; wallsS: number[] }> {
  const wallsS: number[] = [];
  const startMs = performance.now();
  await play(scenarios, { onOutcome: ({ wallS }) => void wallsS.push(wallS) });
  return { wallS: (performance.now() - startMs) / 1e3, wallsS };
}

function middle(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}
