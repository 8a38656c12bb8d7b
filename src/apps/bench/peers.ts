// Tested by test/loopback/bench.test.ts

import type { Benchmark, BenchResult } from './benchmark.js';
import { startPair, startXpassPair } from './flows/flow-process.js';
import type { Carrier } from './flows/orders.js';
import { goodputOf } from './many-flows.js';
import { timeMessages } from './messages.js';
import { iperf3Goodput } from './peers/iperf3.js';
import type { Workbench } from './workbench.js';

/** So that all benchmarks together take twenty minutes (ours). */
const MOST_RUNS = 3;
/** uTP stops for a second now and then (ours). */
const LEAST_SECONDS = 2;
const MESSAGE = { bytes: 1_024, parallel: 1 };
/** Largest UDP payloads of xpass; TCP over loopback has segments of nearly 64 KiB. */
const [ORDINARY, LARGE] = ['1472', '60000'];

interface Peer {
  readonly name: string;
  readonly is: string;
  readonly frameSizes: readonly string[];
  readonly carrier: Carrier | null;
}

const PEERS: readonly Peer[] = [
  { name: 'tcp', is: 'TCP by node:net', frameSizes: [ORDINARY, LARGE], carrier: 'tcp' },
  { name: 'utp', is: 'utp-native', frameSizes: [ORDINARY], carrier: 'utp' },
  { name: 'quic', is: '@matrixai/quic', frameSizes: [ORDINARY], carrier: 'quic' },
  { name: 'iperf3', is: 'TCP by iperf3', frameSizes: [LARGE], carrier: null },
];

/** One flow between two processes over loopback, beside what people use instead. What a peer cannot do is said in its row. */
export const PEER_BENCHMARKS: readonly Benchmark[] = PEERS.flatMap((peer) =>
  peer.frameSizes.map((frameSize) => ({
    name: `peers/${peer.name}/${frameSize}`,
    group: 'peers',
    rareParts: [],
    mostRuns: MOST_RUNS,
    run: (bench: Workbench) => measure(bench, peer, frameSize),
  })),
);

/** Goodput and the median time of a message; of what could not be measured why. */
interface Speed {
  readonly goodputBps: number;
  readonly messageUs: number | null;
}

async function measure(bench: Workbench, peer: Peer, frameSize: string): Promise<BenchResult[]> {
  const theirs = peer.carrier === null ? await iperf3Speed(bench) : await speedOf(bench, peer.carrier);
  const ours = await xpassSpeed(bench, frameSize);
  const name = `peers/${peer.name}/${frameSize}`;
  return [
    row(
      `${name}/goodput`,
      'Mbit/s',
      peer,
      [ours, theirs].map((speed) => lookUp(speed, ({ goodputBps }) => goodputBps / 1e6)),
    ),
    ...(peer.carrier === null
      ? []
      : [
          row(
            `${name}/message`,
            'us',
            peer,
            [ours, theirs].map((speed) => lookUp(speed, ({ messageUs }) => messageUs)),
          ),
        ]),
  ];
}

type Found = number | string | null;

function lookUp(speed: Speed | string, field: (speed: Speed) => number | null): Found {
  return typeof speed === 'string' ? speed : field(speed);
}

function row(name: string, unit: string, { is }: Peer, [ours, theirs]: readonly Found[]): BenchResult {
  return {
    name,
    value: typeof ours === 'number' ? ours : Number.NaN,
    unit,
    raw: typeof theirs === 'number' ? theirs : Number.NaN,
    rawIs: is,
    ...(typeof theirs === 'string' && { note: theirs }),
  };
}

/** Why not, where there is no such transport or where it does not come through its work. */
async function speedOf(bench: Workbench, carrier: Carrier): Promise<Speed | string> {
  try {
    const pair = await startPair(bench, { carrier });
    if (typeof pair === 'string') return pair;
    const { sink } = await timeMessages(bench, pair, MESSAGE);
    return { messageUs: sink.completion.p50, goodputBps: await goodputOf(bench, pair, LEAST_SECONDS) };
  } catch (error) {
    return `failed: ${String(error instanceof Error ? error.message : error)}`;
  } finally {
    await bench.clear();
  }
}

async function xpassSpeed(bench: Workbench, frameSize: string): Promise<Speed> {
  const pair = await startXpassPair(bench, { options: { 'frame-size': frameSize } });
  const { sink } = await timeMessages(bench, pair, MESSAGE);
  return { messageUs: sink.completion.p50, goodputBps: await goodputOf(bench, pair, LEAST_SECONDS) };
}

async function iperf3Speed(bench: Workbench): Promise<Speed | string> {
  const goodput = await iperf3Goodput(bench.settings.seconds);
  return typeof goodput === 'string' ? goodput : { goodputBps: goodput, messageUs: null };
}
