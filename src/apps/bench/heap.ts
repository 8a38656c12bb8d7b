// Tested by test/loopback/bench.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { Data, DEFAULT_FRAME_BYTES } from '../../wire/layout.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { startXpassPair } from './flows/flow-process.js';
import { allocationRates, measureRaw } from './raw.js';
import { WARM_UP_SECONDS, type Workbench } from './workbench.js';

/** As many times --seconds: so many frames that what the heap is larger by is not chance (ours). */
const LONGER = 8;
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
  await sleep(2e3 * WARM_UP_SECONDS);
  await sink.ask({ verb: 'take' });
  const before = await bench.usage({ collect: true, allocations: true });
  await sleep(LONGER * bench.settings.seconds * 1e3);
  // Before the collection, which would be among the growth.
  const rates = allocationRates(await bench.usage());
  const after = await bench.usage({ collect: true });
  const { bytes, seconds } = await sink.ask({ verb: 'take' });
  const frames = bytes / (DEFAULT_FRAME_BYTES - Data.overheadBytes);
  return ENDS.flatMap(({ role, rawRole }) => {
    const grownBytes = (after.get(role)?.heapBytes ?? Number.NaN) - (before.get(role)?.heapBytes ?? Number.NaN);
    const perFrame = ((rates.get(role) ?? Number.NaN) * seconds) / frames;
    const rawPerFrame = (raw.allocated.get(rawRole) ?? Number.NaN) / raw.framesPerSecond;
    return [
      { name: `heap/${role}/growth`, value: (grownBytes / KIBIBYTE / frames) * 1e6, unit: 'KiB a million', raw: null },
      { name: `heap/${role}/allocated`, value: perFrame, unit: 'B a frame', raw: rawPerFrame },
    ];
  });
}
