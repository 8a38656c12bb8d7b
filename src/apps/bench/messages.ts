// Tested by test/loopback/bench.test.ts

import type { Benchmark, BenchResult } from './benchmark.js';
import { type FlowPair, startPair } from './flows/flow-process.js';
import type { Carrier, FlowsFigures } from './flows/orders.js';
import type { Workbench } from './workbench.js';

/** So that all benchmarks together take twenty minutes (ours). */
const MOST_RUNS = 3;
const KIBIBYTE = 1024;
const SIZES_KIB = [1, 4, 16, 64];
/** Flows that are opened and closed at the same time, where their number counts (ours). */
const PARALLEL = 32;
/** Of a flow that is opened for nothing: the time at which it was. */
const LEAST_BYTES = 8;
const TCP_IS = 'TCP by node:net';

/** Messages on a flow each, one after the other: from the opening of the flow until its receiver has its end. */
const MESSAGES: readonly Benchmark[] = SIZES_KIB.map((sizeKib) => ({
  name: `message/${sizeKib}KiB`,
  group: 'messages',
  rareParts: [],
  mostRuns: MOST_RUNS,
  run: (bench: Workbench) => measureMessages(bench, sizeKib),
}));

/** Flows that are opened and closed a second. */
const HANDSHAKES: Benchmark = {
  name: 'handshakes',
  group: 'messages',
  rareParts: [],
  mostRuns: MOST_RUNS,
  run: measureHandshakes,
};

export const MESSAGE_BENCHMARKS: readonly Benchmark[] = [...MESSAGES, HANDSHAKES];

async function measureMessages(bench: Workbench, sizeKib: number): Promise<BenchResult[]> {
  const work = { bytes: sizeKib * KIBIBYTE, parallel: 1 };
  const [raw, ours] = [await exchange(bench, 'tcp', work), await exchange(bench, 'xpass', work)];
  const row = (part: 'p50' | 'p99' | 'p999'): BenchResult => ({
    name: `message/${sizeKib}KiB/${part}`,
    value: ours.sink.completion[part],
    unit: 'us',
    raw: raw.sink.completion[part],
    rawIs: TCP_IS,
  });
  return [{ ...row('p50'), ...failures(ours.source) }, row('p99'), row('p999')];
}

async function measureHandshakes(bench: Workbench): Promise<BenchResult[]> {
  const work = { bytes: LEAST_BYTES, parallel: PARALLEL };
  const [raw, ours] = [await exchange(bench, 'tcp', work), await exchange(bench, 'xpass', work)];
  const perSecond = ({ source }: Exchanged): number => source.flows / source.seconds;
  const figures = { value: perSecond(ours), unit: 'flows/s', raw: perSecond(raw), rawIs: TCP_IS };
  return [{ name: 'handshakes', ...figures, ...failures(ours.source) }];
}

/** A failed flow is in no percentile: so it is told. */
function failures({ failed, reasons }: FlowsFigures): { note?: string } {
  return failed === 0 ? {} : { note: `${failed} flows failed: ${reasons.join(', ')}` };
}

interface Exchanged {
  readonly source: FlowsFigures;
  readonly sink: FlowsFigures;
}

async function exchange(bench: Workbench, carrier: Carrier, work: Work): Promise<Exchanged> {
  const pair = await startPair(bench, { carrier });
  if (typeof pair === 'string') throw new Error(pair);
  const exchanged = await timeMessages(bench, pair, work);
  await bench.clear();
  return exchanged;
}

interface Work {
  readonly bytes: number;
  readonly parallel: number;
}

/** Messages between the two, measured after the warm-up. */
export async function timeMessages(bench: Workbench, { source, sink }: FlowPair, work: Work): Promise<Exchanged> {
  await source.ask({ verb: 'messages', ...work, ms: bench.warmUpSeconds * 1e3 });
  await sink.begin();
  const sent = await source.ask({ verb: 'messages', ...work, ms: bench.settings.seconds * 1e3 });
  return { source: sent, sink: await sink.ask({ verb: 'take' }) };
}
