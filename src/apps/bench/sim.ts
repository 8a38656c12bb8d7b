// Tested by test/loopback/bench.test.ts
import type { Benchmark, BenchRow } from './benchmark.js';
import type { SimulatorFigures, ThreadedFigures } from './sim.child.js';
import type { Workbench } from './workbench.js';

/** The scenarios that show how fast the simulator is, as plain data (docs/SCENARIOS.md). */

/** What one of them is compared with: the authors' ns-2 code (C++) on one core of a machine of the project's kind, without a trace. */
interface SimulatorWork {
  /** A benchmark's name. */
  readonly name: string;
  readonly document: object;
  /** Wall time of the authors' code for the same work, s; null where it is not known. */
  readonly authorsS: number | null;
  /** How long it may take, s (ours): ten times what it took on one core of 2.1 GHz (docs/PERF-LOG.md). */
  readonly mostS: number;
  /** Runs only when asked for by this part of its name. */
  readonly isRare?: boolean;
}

/** One bottleneck of 10 Gbit/s and an RTT of 100 us, `pairs` endless flows that start together: the authors' runs on a dumbbell. */
function oneBottleneck(pairs: number, duration: string): object {
  return {
    duration,
    topology: { name: 'dumbbell', pairs, rate: '10gbit', edge: { delay: '10us' }, core: { delay: '30us' } },
    parameters: { initial_rate: 0.5 },
    flows: [{ kind: 'pairs' }],
  };
}

/** Flows of a web server on the fat tree of ExpressPass 2017, section 6.3: 192 hosts, load 0.6 of the links above the ToR switches. */
function fatTree(flows: number): object {
  return {
    topology: { name: 'fat-tree', rate: '10gbit', delay: '4us' },
    flows: [{ kind: 'poisson', workload: 'web-server', load: 0.6, loadRate: '640gbit', flows }],
  };
}

/**
 * The first millisecond of a shuffle: every task of 40 hosts of that tree sends to every task of the others, all at once, which is 99,840 flows for eight
 * tasks. What counts is the memory, once every flow is open. Rates begin as low as in the papers' large simulations.
 */
function shuffle(tasks: number): object {
  return {
    duration: '1ms',
    topology: { name: 'fat-tree', rate: '10gbit', delay: '4us' },
    parameters: { initial_rate: 0.0625 },
    flows: [{ kind: 'shuffle', hosts: '1-40', tasks, bytes: '1MB' }],
  };
}

/** Authors' figures: "Speed of the authors' simulator" of the measured references; N = 1024 as they have it, most of it set-up. */
export const SIMULATOR_WORKS: readonly SimulatorWork[] = [
  { name: 'sim/dumbbell/2/1s', document: oneBottleneck(2, '1s'), authorsS: 1.06, mostS: 40 },
  { name: 'sim/dumbbell/64/1s', document: oneBottleneck(64, '1s'), authorsS: 1.89, mostS: 90 },
  { name: 'sim/dumbbell/1024/60ms', document: oneBottleneck(1024, '60ms'), authorsS: 283, mostS: 200 },
  { name: 'sim/dumbbell/2/10ms', document: oneBottleneck(2, '10ms'), authorsS: null, mostS: 1, isRare: true },
  { name: 'sim/fat-tree/10000', document: fatTree(10_000), authorsS: 307, mostS: 300 },
  { name: 'sim/shuffle/99840', document: shuffle(8), authorsS: null, mostS: 250 },
];

const THREADS = 2;
/** Limit of both runs together, on one thread and on THREADS. Ours: more than ten times what they took (docs/PERF-LOG.md). */
const THREADED_MOST_S = 400;
const ONE_THREAD = { rawIs: 'one thread' };

const AUTHORS = { rawIs: "the authors' ns-2 code in C++" };
const MEBIBYTE = 1024 * 1024;

/**
 * How fast the simulator is on one core, beside the authors' simulator where its figure is known; how many seconds are measured is not for
 * `--seconds` to say.
 */
export const SIMULATOR: readonly Benchmark[] = [
  ...SIMULATOR_WORKS.map(benchmarkOf),
  {
    name: `sim/fat-tree-threads/${THREADS}`,
    group: 'sim',
    rareParts: [],
    mostRuns: 1,
    isSlow: true,
    run: measureThreads,
  },
];

function benchmarkOf(work: SimulatorWork): Benchmark {
  return {
    name: work.name,
    group: 'sim',
    rareParts: work.isRare === true ? [work.name.split('/').at(-1) as string] : [],
    mostRuns: 1,
    isSlow: true,
    run: (bench: Workbench) => measure(bench, work),
  };
}

/** The fat tree on THREADS threads, beside one thread. Each needs a core of its own. */
async function measureThreads(bench: Workbench): Promise<BenchRow[]> {
  const order = { document: { ...fatTree(10_000), ties: 'places' }, threads: THREADS };
  const { ready } = await bench.open<ThreadedFigures>('simulator', order, THREADED_MOST_S * 1e3, 'sim');
  return [{ part: 'wall', value: ready.wallS, unit: 's', raw: ready.oneS, ...ONE_THREAD }];
}

/** A run in a process of its own. It answers nothing while it simulates, so all that bounds it is its time. */
async function measure(bench: Workbench, { document, authorsS, mostS }: SimulatorWork): Promise<BenchRow[]> {
  const { ready } = await bench.open<SimulatorFigures>('simulator', { document }, mostS * 1e3, 'sim');
  const { wallS, events, frameHops, memoryBytes } = ready;
  return [
    { part: 'wall', value: wallS, unit: 's', raw: authorsS, ...(authorsS !== null && AUTHORS) },
    { part: 'events', value: events / wallS, unit: 'events/s' },
    { part: 'frame-hops', value: frameHops / wallS, unit: 'frames/s' },
    { part: 'memory', value: memoryBytes / MEBIBYTE, unit: 'MiB' },
  ];
}
