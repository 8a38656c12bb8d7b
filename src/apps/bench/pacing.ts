// Tested by test/loopback/bench.test.ts

import { DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../wire/layout.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { WARM_UP_SECONDS, type Workbench } from './workbench.js';

const CREDITS_PER_SECOND = [20_000, 1_000, 10_000, 50_000];
/** The others run only when asked for. */
const USUAL = 20_000;

/** How evenly credits leave their host, on a link whose rate is such that so many a second fill it with their data. */
export const PACING: readonly Benchmark[] = CREDITS_PER_SECOND.map((creditsPerSecond) => ({
  name: `pacing/${creditsPerSecond}`,
  group: 'pacing',
  rareParts: creditsPerSecond === USUAL ? [] : [`${creditsPerSecond}`],
  run: (bench: Workbench) => measure(bench, creditsPerSecond),
}));

async function measure(bench: Workbench, creditsPerSecond: number): Promise<BenchResult[]> {
  const bitsPerCredit = (MEAN_CREDIT_WIRE_BYTES + wireBytes(DEFAULT_FRAME_BYTES)) * 8;
  // Naive credits always come at the link's rate, so that what is measured is the pacer and not the feedback.
  const link = ['--rate', `${creditsPerSecond * bitsPerCredit}`, '--algorithm', 'naive', '--spin', 'always'];
  const { address } = await bench.listen('perf', '-s', '--listen', ':0', ...link);
  const times = ['-t', `${bench.settings.seconds}s`, '-O', `${WARM_UP_SECONDS}s`];
  const client = bench.start('perf', '-c', address, ...link, ...times, '--json');
  const { credit_send_gap_us: gaps } = await client.result();
  const { p50, p99 } = gaps as { p50: number; p99: number };
  const idealUs = 1e6 / creditsPerSecond;
  return [
    { name: `pacing/${creditsPerSecond}/median`, value: p50, unit: 'us', raw: idealUs },
    { name: `pacing/${creditsPerSecond}/p99`, value: p99, unit: 'us', raw: idealUs },
  ];
}
