// Tested by test/loopback/bench.test.ts

import { type Benchmark, type BenchRow, failureNote } from './benchmark.js';
import { type Exchanged, startPair, type Talk, timeMessages } from './flows/flow-process.js';
import type { Carrier } from './flows/orders.js';
import type { Workbench } from './workbench.js';

/** All benchmarks together take twenty minutes (ours). */
const MOST_RUNS = 3;
const KIBIBYTE = 1024;
const SIZES_KIB = [1, 4, 16, 64];
/** Flows that are opened and closed at the same time, where their number counts (ours). */
const PARALLEL = 32;
/** Of a flow that is opened for nothing: the time at which it was. */
const LEAST_BYTES = 8;
const TCP_IS = 'TCP by node:net';

/**
 * Messages on a flow each, one after the other: from the opening of the flow until its receiver has its end. Messages on one flow that stays open: from the
 * write until its receiver has the last byte. And flows that are opened and closed a second.
 */
export const MESSAGES: readonly Benchmark[] = [
  ...SIZES_KIB.map((sizeKib) => timed(`message/${sizeKib}KiB`, { bytes: sizeKib * KIBIBYTE, parallel: 1 })),
  ...SIZES_KIB.map((sizeKib) =>
    timed(`open-message/${sizeKib}KiB`, { bytes: sizeKib * KIBIBYTE, parallel: 1, isRow: true }),
  ),
  benchmark('openings', { bytes: LEAST_BYTES, parallel: PARALLEL }, (ours, raw) => [
    { value: perSecond(ours), unit: 'flows/s', raw: perSecond(raw), rawIs: TCP_IS, ...failureNote(ours.source) },
  ]),
];

function timed(name: string, talk: Talk): Benchmark {
  return benchmark(name, talk, (ours, raw) =>
    (['p50', 'p99', 'p999'] as const).map((part) => ({
      part,
      value: ours.sink.completion[part],
      unit: 'us',
      raw: raw.sink.completion[part],
      rawIs: TCP_IS,
      ...(part === 'p50' && failureNote(ours.source)),
    })),
  );
}

function benchmark(name: string, talk: Talk, rows: (ours: Exchanged, raw: Exchanged) => BenchRow[]): Benchmark {
  const run = async (bench: Workbench): Promise<BenchRow[]> => {
    const raw = await exchange(bench, 'tcp', talk);
    return rows(await exchange(bench, 'xpass', talk), raw);
  };
  return { name, group: 'messages', mostRuns: MOST_RUNS, run };
}

function perSecond({ source }: Exchanged): number {
  return source.flows / source.seconds;
}

async function exchange(bench: Workbench, carrier: Carrier, talk: Talk): Promise<Exchanged> {
  const pair = await startPair(bench, { carrier, messageBytes: talk.isRow === true ? talk.bytes : null });
  if (typeof pair === 'string') throw new Error(pair);
  const exchanged = await timeMessages(bench, pair, talk);
  await bench.clear();
  return exchanged;
}
