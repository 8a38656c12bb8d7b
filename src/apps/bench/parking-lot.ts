// Tested by test/loopback/bench.test.ts

import { DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../wire/layout.js';
import type { SwitchControl, SwitchReport } from '../shared/switch-control.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import type { Workbench } from './workbench.js';

/** Shorter averages vary with what the flows did just then (ours). */
const LEAST_SECONDS = 3;
/** Between looks at whether the links carry data (ours). */
const LOOK_S = 0.05;
const ALGORITHMS = ['naive', 'steady'];
/** Half of the demonstration's: seven processes share the cores, and the algorithms are what is measured (ours). */
const LINK_RATE_BPS = 50e6;
/** Both bottlenecks, in the direction of the data. */
const LINKS = ['s1->s2', 's2->s3'];
/** Sender and receiver of the flow over both links, and of the flow over each. */
const FLOWS = [
  [1, 2],
  [3, 4],
  [5, 6],
];

/** The bound on the queue, which the paper does not have, holds naive credits back. */
const AS_IN_PAPER = ['--queue-bound', 'none'];

/** The paper's Figure 3: the lowest utilisation of two bottlenecks in a row, of what data may have of a link. */
export const PARKING_LOT: readonly Benchmark[] = ALGORITHMS.map((algorithm) => ({
  name: `parking-lot/${algorithm}`,
  group: 'parking-lot',
  rareParts: [],
  mostRuns: 1,
  isSlow: true,
  run: (bench: Workbench) => measure(bench, algorithm),
}));

async function measure(bench: Workbench, algorithm: string): Promise<BenchResult[]> {
  const shape = ['--topology', 'parking-lot', '--bottlenecks', '2', '--link-rate', `${LINK_RATE_BPS}`];
  const { address, control } = await bench.listen('switch', '--listen', ':0', ...shape);
  const host = (id: number): string[] => [
    '--switch',
    address,
    '--host-id',
    `${id}`,
    '--algorithm',
    algorithm,
    ...AS_IN_PAPER,
  ];
  await Promise.all(FLOWS.map(([, receiver]) => bench.listen('perf', '-s', ...host(receiver))));
  const seconds = bench.secondsOf(LEAST_SECONDS);
  const times = ['-t', `${seconds + 1}s`, '-O', `${bench.warmUpSeconds}s`];
  const takesMs = 1e3 * bench.perfSeconds(seconds + 1);
  const clients = FLOWS.map(([sender, receiver]) =>
    bench.start('perf', '-c', `${receiver}`, ...host(sender), ...times, '--json').result({ takesMs }),
  );
  const ended = Promise.all(clients);
  // A client that fails ends the benchmark at once.
  const value = await Promise.race([lowestUtilisation(bench, control, seconds), ended.then(() => Number.NaN)]);
  await ended;
  return [{ name: `parking-lot/${algorithm}`, value, unit: 'of the data share', raw: null }];
}

async function lowestUtilisation(bench: Workbench, controlAddress: string, seconds: number): Promise<number> {
  const control = await bench.connect(controlAddress);
  try {
    await untilCarrying(bench, control);
    await bench.sleep(bench.warmUpSeconds);
    const before = await control.ports();
    await bench.sleep(seconds);
    const after = await control.ports();
    return Math.min(...LINKS.map((link) => utilisation(link, before, after)));
  } finally {
    control.close();
  }
}

/** The clients have started, which takes as long as the machine needs. */
async function untilCarrying(bench: Workbench, control: SwitchControl): Promise<void> {
  for (;;) {
    const report = await control.ports();
    if (LINKS.every((link) => sentBytes(link, report) > 0)) return;
    await bench.sleep(LOOK_S);
  }
}

function sentBytes(link: string, { ports }: SwitchReport): number {
  return ports.find(({ name }) => name === link)?.data.wireBytes ?? 0;
}

function utilisation(link: string, before: SwitchReport, after: SwitchReport): number {
  const dataBytes = wireBytes(DEFAULT_FRAME_BYTES);
  const shareBps = (LINK_RATE_BPS * dataBytes) / (MEAN_CREDIT_WIRE_BYTES + dataBytes);
  return ((sentBytes(link, after) - sentBytes(link, before)) * 8e9) / (after.atNs - before.atNs) / shareBps;
}
