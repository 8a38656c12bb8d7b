// Tested by test/loopback/bench.test.ts

import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import type { Child } from '../shared/child.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import type { Workbench } from './workbench.js';

const SENDERS = [4, 8, 16];
const BOTTLENECK = 's1->h1';
/** How often the demonstration is asked whether it is there (ours). */
const HEARTBEAT_MS = 1_000;

/** What `xpass demo --json` prints, as far as it is used here. */
interface DemoOutcome {
  readonly utilisation: number | null;
  readonly jain: number | null;
  readonly files: readonly { verified: boolean }[];
  readonly ports: readonly { name: string; data_drops: number; data_queue_bytes_max: number }[];
}

/** The demonstration, as `npm start` runs it, with so many senders. */
export const DEMONSTRATION: readonly Benchmark[] = SENDERS.map((senders) => ({
  name: `demo/${senders}`,
  group: 'demo',
  rareParts: [],
  mostRuns: 1,
  isSlow: true,
  run: (bench: Workbench) => measure(bench, senders),
}));

/** It bounds its own waits, so it may take as long as it answers. */
async function outcomeOf(bench: Workbench, demo: Child): Promise<DemoOutcome> {
  let answers = 0;
  const timer = setInterval(() => {
    bench.usage().then(
      () => answers++,
      () => undefined,
    );
  }, HEARTBEAT_MS);
  try {
    return (await demo.result({ progress: () => answers })) as unknown as DemoOutcome;
  } finally {
    clearInterval(timer);
  }
}

async function measure(bench: Workbench, senders: number): Promise<BenchResult[]> {
  const outcome = await outcomeOf(bench, bench.start('demo', '--senders', `${senders}`, '--json'));
  const bottleneck = outcome.ports.find(({ name }) => name === BOTTLENECK);
  const queueFrames = (bottleneck?.data_queue_bytes_max ?? Number.NaN) / wireBytes(DEFAULT_FRAME_BYTES);
  const name = `demo/${senders}`;
  return [
    { name: `${name}/utilisation`, value: outcome.utilisation ?? Number.NaN, unit: 'of the data share', raw: null },
    { name: `${name}/jain`, value: outcome.jain ?? Number.NaN, unit: 'over 1 s', raw: null },
    { name: `${name}/queue`, value: queueFrames, unit: 'full frames at most', raw: null },
    { name: `${name}/dropped`, value: bottleneck?.data_drops ?? Number.NaN, unit: 'data frames', raw: null },
    {
      name: `${name}/verified`,
      value: outcome.files.filter(({ verified }) => verified).length,
      unit: 'files',
      raw: senders,
    },
  ];
}
