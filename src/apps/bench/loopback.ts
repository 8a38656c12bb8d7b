// Tested by test/loopback/bench.test.ts

import type { Benchmark, BenchResult } from './benchmark.js';
import { measureRaw } from './raw.js';
import { WARM_UP_SECONDS, type Workbench } from './workbench.js';

const KINDS = ['direct', 'switch'] as const;
type Kind = (typeof KINDS)[number];

/** UDP payloads of full data frames: the default, that of jumbo frames, and one near the largest there is. */
const PAYLOADS = [1_472, 8_972, 60_000];
const FLOWS = [1, 16, 256];
/** Run only when asked for. */
const RARE = ['60000', '256'];

/** What a process can move: data frames a second over unlimited links, beside the bare program that does the same work. */
export const LOOPBACK: readonly Benchmark[] = KINDS.flatMap((kind) =>
  PAYLOADS.flatMap((payloadBytes) =>
    FLOWS.map((flows) => ({
      name: `${kind}/${payloadBytes}/${flows}`,
      group: 'loopback',
      rareParts: RARE.filter((part) => [`${payloadBytes}`, `${flows}`].includes(part)),
      run: (bench: Workbench) => measure(bench, { kind, payloadBytes, flows }),
    })),
  ),
);

interface Work {
  readonly kind: Kind;
  readonly payloadBytes: number;
  readonly flows: number;
}

async function measure(bench: Workbench, work: Work): Promise<BenchResult[]> {
  const { kind, payloadBytes, flows } = work;
  const raw = await measureRaw(kind === 'direct' ? 'echo' : 'relay', payloadBytes, bench.settings.seconds);
  const value = await measureXpass(bench, work);
  return [{ name: `${kind}/${payloadBytes}/${flows}`, value, unit: 'frames/s', raw }];
}

async function measureXpass(bench: Workbench, { kind, payloadBytes, flows }: Work): Promise<number> {
  const frameSize = ['--frame-size', `${payloadBytes}`];
  const to = kind === 'direct' ? await directServer(bench, frameSize) : await switchedServer(bench, frameSize);
  const times = ['-t', `${bench.settings.seconds}s`, '-O', `${WARM_UP_SECONDS}s`];
  const client = bench.start('perf', '-c', ...to, ...frameSize, ...times, '-P', `${flows}`, '--json');
  return Number((await client.result()).frames_per_s);
}

/** Starts a server; returns what a client is told to find it. */
async function directServer(bench: Workbench, frameSize: readonly string[]): Promise<string[]> {
  return [(await bench.listen('perf', '-s', '--listen', ':0', ...frameSize)).address];
}

async function switchedServer(bench: Workbench, frameSize: readonly string[]): Promise<string[]> {
  const { address } = await bench.listen('switch', '--listen', ':0', '--hosts', '2', ...frameSize);
  await bench.listen('perf', '-s', '--switch', address, '--host-id', '2', ...frameSize);
  return ['2', '--switch', address];
}
