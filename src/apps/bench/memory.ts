// Tested by test/loopback/bench.test.ts

import { Data, DEFAULT_FRAME_BYTES } from '../../wire/layout.js';
import { type Benchmark, type BenchRow, failureNote } from './benchmark.js';
import { goodputOf, startXpassPair } from './flows/flow-process.js';
import { allocationRates, measureRaw } from './raw.js';
import { trendOf } from './soak/trend.js';
import type { Workbench } from './workbench.js';

const FLOWS = [10, 1_000, 10_000];
/** What an idle flow may take at each end. */
const ALLOWED_BYTES = 2_048;
/** Memory hardly varies, and many flows take their time (ours). */
const MOST_RUNS = 3;
/** As many times --seconds: frames enough that growth of the heap is not chance (ours). */
const LONGER = 8;
/** Looks at the heap (ours): a line through them is what it grows by. */
const SAMPLES = 24;
const KIBIBYTE = 1024;
/** Each end of a flow, and the end of the bare program that sends and receives the same. */
const ENDS = [
  { role: 'sink', rawRole: 'raw-client' },
  { role: 'source', rawRole: 'raw-server' },
] as const;

/** Memory and goodput of many flows; growth of the heap and allocations of one busy flow. */
export const MEMORY: readonly Benchmark[] = [
  ...FLOWS.map((flows) => ({
    name: `flows/${flows}`,
    group: 'flows',
    mostRuns: MOST_RUNS,
    run: (bench: Workbench) => measureFlows(bench, flows),
  })),
  { name: 'heap', group: 'heap', mostRuns: MOST_RUNS, run: measureHeap },
];

/** What a flow takes of the memory of either end, idle and while all of them send, and what they carry together. */
async function measureFlows(bench: Workbench, flows: number): Promise<BenchRow[]> {
  const one = await goodputOf(bench, await startXpassPair(bench));
  await bench.clear();
  const pair = await startXpassPair(bench);
  const empty = await heaps(bench);
  const opened = await pair.source.ask({ verb: 'idle', flows });
  const idle = await heaps(bench);
  const many = await goodputOf(bench, pair);
  const active = await heaps(bench);
  // Memory of flows that do not exist would look small.
  const open = opened.failed === 0 ? flows : Number.NaN;
  const bytes = (role: string, now: Heaps): number => ((now.get(role) ?? Number.NaN) - (empty.get(role) ?? 0)) / open;
  const unit = 'B a flow';
  return [
    ...ENDS.flatMap(({ role }) => [
      { part: `idle/${role}`, value: bytes(role, idle), unit, raw: ALLOWED_BYTES, rawIs: 'allowed' },
      { part: `active/${role}`, value: bytes(role, active), unit },
    ]),
    { part: 'goodput', value: many / 1e6, unit: 'Mbit/s', raw: one / 1e6, rawIs: 'one flow', ...failureNote(opened) },
  ];
}

/** Heap of each process without garbage, bytes. */
type Heaps = ReadonlyMap<string, number>;

async function heaps(bench: Workbench): Promise<Heaps> {
  return new Map([...(await bench.usage({ collect: true }))].map(([role, { heapBytes }]) => [role, heapBytes]));
}

async function measureHeap(bench: Workbench): Promise<BenchRow[]> {
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
      { part: `${role}/growth`, value: slope * perMillion, unit: 'KiB a million', note },
      { part: `${role}/allocated`, value: perFrame, unit: 'B a frame', raw: rawPerFrame },
    ];
  });
}

interface HeapLog {
  readonly seconds: number[];
  /** Of each process without garbage, at those times. */
  readonly heaps: Map<string, number[]>;
  /** Bytes a second that each allocates. */
  readonly allocated: ReadonlyMap<string, number>;
}

/** Looks at the heaps again and again: one of them alone may hold what is just on its way. */
async function watch(bench: Workbench, lastsS: number): Promise<HeapLog> {
  const startMs = performance.now();
  const seconds: number[] = [];
  const found = new Map<string, number[]>();
  for (let sample = 0; sample < SAMPLES; sample++) {
    await bench.sleep(lastsS / SAMPLES);
    const usage = await bench.usage({ collect: true, allocations: true });
    seconds.push((performance.now() - startMs) / 1e3);
    for (const [role, { heapBytes }] of usage) found.set(role, [...(found.get(role) ?? []), heapBytes]);
  }
  return { seconds, heaps: found, allocated: allocationRates(await bench.usage()) };
}
