// Tested by test/loopback/bench.test.ts

import type { Percentiles } from '../shared/perf/histogram.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { startXpassPair } from './flows/flow-process.js';
import { goodputOf } from './many-flows.js';
import type { StreamKind } from './streams/orders.js';
import { startStreams } from './streams/stream-process.js';
import type { Workbench } from './workbench.js';

const TCP_IS = 'TCP by node:net';
/** Least goodput of a stream, as part of that of a one-way flow, and longest times, as multiples of TCP's (ours). */
const GOALS = { goodput: 0.9, ping: 1.5, '16KiB': 2 };
const FRAME_SIZES = [1_472, 8_972];
const PING_BYTES = 64;

/** Streams of src/net: what they carry beside the flows that they are made of, and what an exchange takes beside TCP. */
export const STREAMS: readonly Benchmark[] = [
  ...FRAME_SIZES.map((frameBytes) => benchmark(`${frameBytes}`, (bench) => measureGoodput(bench, frameBytes))),
  benchmark('ping', (bench) => measureTimes(bench, { name: 'ping', verb: 'exchange', bytes: PING_BYTES })),
  benchmark('16KiB', (bench) => measureTimes(bench, { name: '16KiB', verb: 'exchange', bytes: 16_384 })),
  benchmark('open', (bench) => measureTimes(bench, { name: 'open', verb: 'open', bytes: PING_BYTES })),
];

function benchmark(name: string, run: Benchmark['run']): Benchmark {
  return { name: `stream/${name}`, group: 'streams', rareParts: [], run };
}

/** One stream, whose reader drops what comes, beside one flow as `xpass perf` sends it. */
async function measureGoodput(bench: Workbench, frameBytes: number): Promise<BenchResult[]> {
  const raw = await goodputOf(bench, await startXpassPair(bench, { options: { 'frame-size': `${frameBytes}` } }));
  await bench.clear();
  const { server, client } = await startStreams(bench, { kind: 'xpass', frameBytes });
  await client.ask({ verb: 'bulk' });
  await bench.sleep(bench.warmUpSeconds);
  await server.ask({ verb: 'take' });
  await bench.sleep(bench.settings.seconds);
  const { bytes, seconds } = await server.ask({ verb: 'take' });
  const value = (bytes * 8) / seconds / 1e6;
  const note = `goal ${GOALS.goodput}`;
  return [{ name: `stream/${frameBytes}`, value, unit: 'Mbit/s', raw: raw / 1e6, rawIs: 'a one-way flow', note }];
}

interface Timed {
  readonly name: 'ping' | '16KiB' | 'open';
  readonly verb: 'exchange' | 'open';
  /** Of each request, and of its answer. */
  readonly bytes: number;
}

async function measureTimes(bench: Workbench, timed: Timed): Promise<BenchResult[]> {
  const { name } = timed;
  const [raw, ours] = [await timesOf(bench, 'tcp', timed), await timesOf(bench, 'xpass', timed)];
  const note = name === 'open' ? 'round trips: 1, of TCP 2' : `goal ${GOALS[name]}`;
  return (['p50', 'p99'] as const).map((part) => ({
    name: `stream/${name}/${part}`,
    value: ours[part],
    unit: 'us',
    raw: raw[part],
    rawIs: TCP_IS,
    ...(part === 'p50' && { note }),
  }));
}

/** Measured after the warm-up; the processes end. */
async function timesOf(bench: Workbench, kind: StreamKind, { verb, bytes }: Timed): Promise<Percentiles> {
  const { client } = await startStreams(bench, { kind, answerBytes: bytes });
  await client.ask({ verb, bytes, ms: bench.warmUpSeconds * 1e3 });
  const { times } = await client.ask({ verb, bytes, ms: bench.settings.seconds * 1e3 });
  await bench.clear();
  return times;
}
