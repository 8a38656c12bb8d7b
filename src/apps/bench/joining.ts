// Tested by test/loopback/bench.test.ts

import { creditShare, Data, DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import type { Workbench } from './workbench.js';

const LINK_RATE_BPS = 100e6;
/** The length of the averages. */
const INTERVAL = '100ms';
/** A flow that joins has had its share after less (ours). */
const LEAST_SECONDS = 3;
/** Near the fair share is what is within this part of it. */
const TOLERANCE = 0.1;

interface Interval {
  readonly end_s: number;
  readonly goodput_bps: number;
}

/** How long a flow that joins a running one takes until it first has its fair share of 100 Mbit/s, within 10 % over 100 ms. */
export const JOINING: readonly Benchmark[] = [
  { name: 'joining', group: 'joining', rareParts: [], mostRuns: 1, isSlow: true, run: measure },
];

async function measure(bench: Workbench): Promise<BenchResult[]> {
  const shape = ['--topology', 'star', '--hosts', '3', '--link-rate', `${LINK_RATE_BPS}`, '--spin', 'never'];
  const { address } = await bench.listen('switch', '--listen', ':0', ...shape);
  const host = (id: number): string[] => ['--switch', address, '--host-id', `${id}`, '--spin', 'never'];
  await bench.listen('perf', '-s', ...host(1));
  const seconds = bench.secondsOf(LEAST_SECONDS);
  const client = (id: number, lastsS: number) =>
    bench
      .start('perf', '-c', '1', ...host(id), '-t', `${lastsS}s`, '-i', INTERVAL, '--json')
      .result({ takesMs: 1e3 * lastsS });
  const running = client(2, bench.warmUpSeconds + seconds + 1);
  await bench.sleep(bench.warmUpSeconds);
  const joined = client(3, seconds);
  // The one that fails first ends the benchmark.
  const [{ intervals }] = await Promise.all([joined, running]);
  return [{ name: 'joining', value: secondsToShare(intervals as readonly Interval[]), unit: 's', raw: null }];
}

function secondsToShare(intervals: readonly Interval[]): number {
  const payload = (DEFAULT_FRAME_BYTES - Data.overheadBytes) / wireBytes(DEFAULT_FRAME_BYTES);
  const fairBps = (LINK_RATE_BPS * (1 - creditShare(DEFAULT_FRAME_BYTES)) * payload) / 2;
  return intervals.find(({ goodput_bps }) => goodput_bps >= fairBps * (1 - TOLERANCE))?.end_s ?? Number.NaN;
}
