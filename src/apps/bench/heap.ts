// Tested by test/loopback/bench.test.ts

import { Data, DEFAULT_FRAME_BYTES } from '../../wire/layout.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { startXpassPair } from './flows/flow-process.js';
import { allocationRates, measureRaw } from './raw.js';
import { trendOf } from './soak/trend.js';
import type { Workbench } from './workbench.js';

/** As many times --seconds: so many frames that what the heap is larger by is not chance (ours). */
const LONGER = 8;
/** Looks at the heap (ours): a line through them is what it grows by. */
const SAMPLES = 24;
const MOST_RUNS = 3;
const KIBIBYTE = 1024;
/** Each end of a flow, and the end of the bare program that sends and receives the same. */
const ENDS = [
  { role: 'sink', rawRole: 'raw-client' },
  { role: 'source', rawRole: 'raw-server' },
];

/** What one busy flow leaves on the heap of either end, and what it allocates for each data frame. */
export const HEAP: readonly Benchmark[] = [
  { name: 'heap', group: 'heap', rareParts: [], mostRuns: MOST_RUNS, run: measure },
];

async function measure(bench: Workbench): Promise<BenchResult[]> {
  const raw = await measureRaw(bench, { kind: 'echo', payloadBytes: DEFAULT_FRAME_BYTES, allocations: true });
  const { sink, source } = await startXpassPair(bench);
  await source.ask({ verb: 'bulk' });
  await bench.sleep(bench.warmUpSeconds);
  await sink.begin();
  const log = await watch(bench, LONGER * bench.settings.seconds);
  const { bytes, seconds } = await sink.ask({ verb: 'take' });
  const frames = bytes / (DEFAULT_FRAME_BYTES - Data.overheadBytes);
  return ENDS.flatMap(({ role, rawRole }) => {
    const { slope, slopeError } = trendOf(log.seconds, log.heaps.get(role) ?? []);
    const perMillion = ((seconds / frames) * 1e6) / KIBIBYTE;
    const note = `+-${(slopeError * perMillion).toPrecision(3)} with 95 % confidence`;
    const perFrame = ((log.allocated.get(role) ?? Number.NaN) * seconds) / frames;
    const rawPerFrame = (raw.allocated.get(rawRole) ?? Number.NaN) / raw.framesPerSecond;
    return [
      { name: `heap/${role}/growth`, value: slope * perMillion, unit: 'KiB a million', raw: null, note },
      { name: `heap/${role}/allocated`, value: perFrame, unit: 'B a frame', raw: rawPerFrame },
    ];
  });
}

interface HeapLog {
  readonly seconds: number[];
  /** Of each process without garbage, at those times. */
  readonly heaps: Map<string, number[]>;
  /** Bytes a second that each allocates. */
  readonly allocated: Map<string, number>;
}

/** Looks at the heaps again and again, for one of them alone may hold what is just on its way. */
async function watch(bench: Workbench, lastsS: number): Promise<HeapLog> {
  const startMs = performance.now();
  const log: HeapLog = { seconds: [], heaps: new Map(), allocated: new Map() };
  for (let sample = 0; sample < SAMPLES; sample++) {
    await bench.sleep(lastsS / SAMPLES);
    const usage = await bench.usage({ collect: true, allocations: true });
    log.seconds.push((performance.now() - startMs) / 1e3);
    for (const [role, { heapBytes }] of usage) log.heaps.set(role, [...(log.heaps.get(role) ?? []), heapBytes]);
  }
  for (const [role, rate] of allocationRates(await bench.usage())) log.allocated.set(role, rate);
  return log;
}
