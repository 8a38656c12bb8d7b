// Tested by test/loopback/bench.test.ts

import type { Benchmark, BenchResult } from './benchmark.js';
import { type FlowPair, startXpassPair } from './flows/flow-process.js';
import type { Workbench } from './workbench.js';

const FLOWS = [10, 1_000, 10_000];
/** What an idle flow may take at each end. */
const ALLOWED_BYTES = 2_048;
const ROLES = ['sink', 'source'] as const;
/** Memory hardly varies, and so many flows take their time (ours). */
const MOST_RUNS = 3;

/** What a flow takes of the memory of either end, idle and while all of them send, and what so many carry together. */
export const MANY_FLOWS: readonly Benchmark[] = FLOWS.map((flows) => ({
  name: `flows/${flows}`,
  group: 'flows',
  rareParts: [],
  mostRuns: MOST_RUNS,
  run: (bench: Workbench) => measure(bench, flows),
}));

/** Heap of each end without garbage, bytes. */
type Heaps = Readonly<Record<(typeof ROLES)[number], number>>;

async function measure(bench: Workbench, flows: number): Promise<BenchResult[]> {
  const one = await goodputOf(bench, await startXpassPair(bench));
  await bench.clear();
  const pair = await startXpassPair(bench);
  const empty = await heaps(bench);
  const { failed, reasons } = await pair.source.ask({ verb: 'idle', flows });
  const idle = await heaps(bench);
  const many = await goodputOf(bench, pair);
  const active = await heaps(bench);
  // Memory of flows that do not exist would look small.
  const open = failed === 0 ? flows : Number.NaN;
  const bytes = (role: (typeof ROLES)[number], now: Heaps) => (now[role] - empty[role]) / open;
  const name = `flows/${flows}`;
  return [
    ...ROLES.flatMap((role) => [
      {
        name: `${name}/idle/${role}`,
        value: bytes(role, idle),
        unit: 'B a flow',
        raw: ALLOWED_BYTES,
        rawIs: 'allowed',
      },
      { name: `${name}/active/${role}`, value: bytes(role, active), unit: 'B a flow', raw: null },
    ]),
    {
      name: `${name}/goodput`,
      value: many / 1e6,
      unit: 'Mbit/s',
      raw: one / 1e6,
      rawIs: 'one flow',
      ...noteOf(failed, reasons),
    },
  ];
}

function noteOf(failed: number, reasons: readonly string[]): { note?: string } {
  return failed === 0 ? {} : { note: `${failed} flows failed: ${reasons.join(', ')}` };
}

async function heaps(bench: Workbench): Promise<Heaps> {
  const usage = await bench.usage({ collect: true });
  const of = (role: string): number => usage.get(role)?.heapBytes ?? Number.NaN;
  return { sink: of('sink'), source: of('source') };
}

/** Goodput of flows that send endlessly, bit/s, after the warm-up. */
export async function goodputOf(bench: Workbench, { source, sink }: FlowPair, leastSeconds = 0): Promise<number> {
  await source.ask({ verb: 'bulk' });
  await bench.sleep(bench.warmUpSeconds);
  await sink.begin();
  await bench.sleep(bench.secondsOf(leastSeconds));
  const { bytes, seconds } = await sink.ask({ verb: 'take' });
  return (bytes * 8) / seconds;
}
