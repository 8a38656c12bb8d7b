// Tested by test/loopback/bench.test.ts

import type { Percentiles } from '../../services/perf/histogram.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import { goodputOf, startXpassPair } from './flows/flow-process.js';
import type { StreamFigures, StreamOrder, StreamReady, StreamVerb } from './streams.child.js';
import type { Program, Workbench } from './workbench.js';

/** Least goodput of a stream, as part of that of a one-way flow (ours). */
const GOODPUT_GOAL = 0.9;
const FRAME_SIZES = [1_472, 8_972];
/** Largest UDP payload of a host that is told of none. */
const USUAL_FRAME_BYTES = 1_472;

interface Timed {
  readonly name: string;
  readonly verb: 'exchange' | 'open';
  /** Of each request, and of its answer. */
  readonly bytes: number;
  readonly note: string;
}

/** The goals are longest times, as multiples of TCP's (ours). */
const TIMED: readonly Timed[] = [
  { name: 'ping', verb: 'exchange', bytes: 64, note: 'goal 1.5' },
  { name: '16KiB', verb: 'exchange', bytes: 16_384, note: 'goal 2' },
  { name: 'open', verb: 'open', bytes: 64, note: 'round trips: 1, of TCP 2' },
];

/** Streams of src/net: what they carry beside the flows that they are made of, and what an exchange takes beside TCP. */
export const STREAMS: readonly Benchmark[] = [
  ...FRAME_SIZES.map((frameBytes) => benchmark(`${frameBytes}`, (bench) => measureGoodput(bench, frameBytes))),
  ...TIMED.map((timed) => benchmark(timed.name, (bench) => measureTimes(bench, timed))),
];

function benchmark(name: string, run: Benchmark['run']): Benchmark {
  return { name: `stream/${name}`, group: 'streams', run };
}

/** One stream, whose reader drops what comes, beside one flow as `xpass perf` sends it. */
async function measureGoodput(bench: Workbench, frameBytes: number): Promise<BenchRow[]> {
  const raw = await goodputOf(bench, await startXpassPair(bench, { options: { 'frame-size': `${frameBytes}` } }));
  await bench.clear();
  const { server, client } = await startStreams(bench, { kind: 'xpass', frameBytes });
  await ask(client, { verb: 'bulk' });
  await bench.sleep(bench.warmUpSeconds);
  await ask(server, { verb: 'take' });
  await bench.sleep(bench.settings.seconds);
  const { bytes, seconds } = await ask(server, { verb: 'take' });
  const value = (bytes * 8) / seconds / 1e6;
  return [{ value, unit: 'Mbit/s', raw: raw / 1e6, rawIs: 'a one-way flow', note: `goal ${GOODPUT_GOAL}` }];
}

async function measureTimes(bench: Workbench, timed: Timed): Promise<BenchRow[]> {
  const [raw, ours] = [await timesOf(bench, 'tcp', timed), await timesOf(bench, 'xpass', timed)];
  return (['p50', 'p99'] as const).map((part) => ({
    part,
    value: ours[part],
    unit: 'us',
    raw: raw[part],
    rawIs: 'TCP by node:net',
    ...(part === 'p50' && { note: timed.note }),
  }));
}

/** Measured after the warm-up; the processes end. */
async function timesOf(bench: Workbench, kind: StreamOrder['kind'], { verb, bytes }: Timed): Promise<Percentiles> {
  const { client } = await startStreams(bench, { kind, answerBytes: bytes });
  await ask(client, { verb, bytes, ms: bench.warmUpSeconds * 1e3 });
  const { times } = await ask(client, { verb, bytes, ms: bench.settings.seconds * 1e3 });
  await bench.clear();
  return times;
}

type StreamProgram = Program<StreamReady>;

/** Starts a server, and a client that knows it. */
async function startStreams(
  bench: Workbench,
  { kind, frameBytes = USUAL_FRAME_BYTES, answerBytes = 0 }: Pick<StreamOrder, 'kind'> & Partial<StreamOrder>,
): Promise<{ server: StreamProgram; client: StreamProgram }> {
  const start = (role: StreamOrder['role'], target: string): Promise<StreamProgram> => {
    const order: StreamOrder = { kind, frameBytes, answerBytes, role, target };
    return bench.open<StreamReady>(role, order, 0, 'streams');
  };
  const server = await start('server', '');
  return { server, client: await start('client', server.ready.address) };
}

function ask(program: StreamProgram, verb: StreamVerb): Promise<StreamFigures> {
  return program.ask(verb, 'ms' in verb ? verb.ms : 0);
}
