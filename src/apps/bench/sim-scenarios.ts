/** The scenarios that show how fast the simulator is, as plain data (docs/SCENARIOS.md). */

/** What one of them is compared with: the authors' ns-2 code (C++) on one core of a machine of the project's kind, without a trace. */
export interface SimulatorWork {
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
