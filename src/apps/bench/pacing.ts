// Tested by test/loopback/bench.test.ts

import { DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../wire/layout.js';
import type { BarePacerOrder } from './bare-pacer.child.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import { measureBulk, startXpassPair } from './flows/flow-process.js';
import type { GapErrors } from './flows/orders.js';
import type { Workbench } from './workbench.js';

const CREDITS_PER_SECOND = [1_000, 10_000, 20_000, 50_000];
/** Runs only when asked for. */
const RARE = 20_000;
/** Standard deviation of the gap of the paper's software pacer. ExpressPass 2017, section 5 */
const PAPER = "0.77 us: the paper's pacer in software";
/** A loop of a few lines is compiled in no time (ours). */
const BARE_WARM_UP_MS = 300;
const HOW = {
  // Naive credits always come at the link's rate, so that what is measured is the pacer and not the feedback.
  algorithm: 'naive',
  jitter: '0',
  spin: 'always',
  // Nor the wait for a sender that is late, which the bound on the queue would be.
  'queue-bound': '1s',
};

/** How evenly credits leave their host, on a link that these credits fill with their data. */
export const PACING: readonly Benchmark[] = CREDITS_PER_SECOND.map((creditsPerSecond) => ({
  name: `pacing/${creditsPerSecond}`,
  group: 'pacing',
  rareParts: creditsPerSecond === RARE ? [`${creditsPerSecond}`] : [],
  mostRuns: 3,
  run: (bench: Workbench) => measure(bench, creditsPerSecond),
}));

async function measure(bench: Workbench, creditsPerSecond: number): Promise<BenchRow[]> {
  const gapNs = 1e9 / creditsPerSecond;
  const bare = await measureBare(bench, gapNs);
  const bitsPerCredit = (MEAN_CREDIT_WIRE_BYTES + wireBytes(DEFAULT_FRAME_BYTES)) * 8;
  const rate = `${creditsPerSecond * bitsPerCredit}`;
  const pair = await startXpassPair(bench, { options: { ...HOW, rate }, idealGapNs: gapNs });
  const { gaps, seconds } = await measureBulk(bench, pair);
  const { count, deviationUs, p99Us } = gaps ?? { count: 0, deviationUs: Number.NaN, p99Us: Number.NaN };
  const beside = { unit: 'us', rawIs: 'a bare loop that only looks at the clock' };
  return [
    { part: 'rate', value: count / seconds, unit: 'credits/s', raw: creditsPerSecond, rawIs: 'the ideal' },
    { part: 'deviation', value: deviationUs, raw: bare.deviationUs, ...beside, note: PAPER },
    { part: 'p99-error', value: p99Us, raw: bare.p99Us, ...beside },
  ];
}

/** What the machine itself leaves of even gaps. */
async function measureBare(bench: Workbench, gapNs: number): Promise<GapErrors> {
  const order: BarePacerOrder = { gapNs, warmUpMs: BARE_WARM_UP_MS, measureMs: bench.settings.seconds * 1e3 };
  try {
    return (await bench.open<GapErrors>('bare-pacer', order, order.warmUpMs + order.measureMs)).ready;
  } finally {
    await bench.clear();
  }
}
