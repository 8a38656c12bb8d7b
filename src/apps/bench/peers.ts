// Tested by test/loopback/bench.test.ts

import type { Benchmark, BenchRow } from './benchmark.js';
import { type FlowPair, goodputOf, startPair, startXpassPair, timeMessages } from './flows/flow-process.js';
import type { Carrier } from './flows/orders.js';
import { iperf3Goodput } from './peers/iperf3.js';
import type { Workbench } from './workbench.js';

/** All benchmarks together take twenty minutes (ours). */
const MOST_RUNS = 3;
/** uTP stops for a second now and then (ours). */
const LEAST_SECONDS = 2;
const MESSAGE = { bytes: 1_024, parallel: 1 };

interface Peer {
  readonly name: string;
  readonly is: string;
  /** Largest UDP payloads of xpass; TCP over loopback has segments of nearly 64 KiB. */
  readonly frameSizes: readonly string[];
  readonly carrier: Carrier | null;
}

const TRANSPORTS: readonly Peer[] = [
  { name: 'tcp', is: 'TCP by node:net', frameSizes: ['1472', '60000'], carrier: 'tcp' },
  { name: 'utp', is: 'utp-native', frameSizes: ['1472'], carrier: 'utp' },
  { name: 'quic', is: '@matrixai/quic', frameSizes: ['1472'], carrier: 'quic' },
  { name: 'iperf3', is: 'TCP by iperf3', frameSizes: ['60000'], carrier: null },
];

/** One flow between two processes over loopback, beside what people use instead. What a peer cannot do is said in its row. */
export const PEERS: readonly Benchmark[] = TRANSPORTS.flatMap((peer) =>
  peer.frameSizes.map((frameSize) => ({
    name: `peers/${peer.name}/${frameSize}`,
    group: 'peers',
    mostRuns: MOST_RUNS,
    run: (bench: Workbench) => measure(bench, peer, frameSize),
  })),
);

/** Mbit/s, and the median time of a message, us. */
interface Speed {
  readonly goodput: number;
  readonly message: number;
}

async function measure(bench: Workbench, { is, carrier }: Peer, frameSize: string): Promise<BenchRow[]> {
  const theirs = carrier === null ? await iperf3Speed(bench) : await speedOf(bench, carrier);
  const ours = await pairSpeed(bench, await startXpassPair(bench, { options: { 'frame-size': frameSize } }));
  const row = (part: keyof Speed, unit: string): BenchRow => ({
    part,
    value: ours[part],
    unit,
    raw: typeof theirs === 'string' ? Number.NaN : theirs[part],
    rawIs: is,
    ...(typeof theirs === 'string' && { note: theirs }),
  });
  return [row('goodput', 'Mbit/s'), ...(carrier === null ? [] : [row('message', 'us')])];
}

/** Why not, where there is no such transport or where it does not come through its work. */
async function speedOf(bench: Workbench, carrier: Carrier): Promise<Speed | string> {
  try {
    const pair = await startPair(bench, { carrier });
    return typeof pair === 'string' ? pair : await pairSpeed(bench, pair);
  } catch (error) {
    return `failed: ${String(error instanceof Error ? error.message : error)}`;
  } finally {
    await bench.clear();
  }
}

async function pairSpeed(bench: Workbench, pair: FlowPair): Promise<Speed> {
  const { sink } = await timeMessages(bench, pair, MESSAGE);
  return { message: sink.completion.p50, goodput: (await goodputOf(bench, pair, LEAST_SECONDS)) / 1e6 };
}

async function iperf3Speed(bench: Workbench): Promise<Speed | string> {
  const goodputBps = await iperf3Goodput(bench.settings.seconds);
  return typeof goodputBps === 'string' ? goodputBps : { goodput: goodputBps / 1e6, message: Number.NaN };
}
