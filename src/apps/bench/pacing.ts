// Tested by test/loopback/bench.test.ts

import { DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../wire/layout.js';
import type { BarePacerOrder } from './bare-pacer.child.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { startXpassPair } from './flows/flow-process.js';
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

/** How evenly credits leave their host, on a link whose rate is such that so many a second fill it with their data. */
export const PACING: readonly Benchmark[] = CREDITS_PER_SECOND.map((creditsPerSecond) => ({
  name: `pacing/${creditsPerSecond}`,
  group: 'pacing',
  rareParts: creditsPerSecond === RARE ? [`${creditsPerSecond}`] : [],
  mostRuns: 3,
  run: (bench: Workbench) => measure(bench, creditsPerSecond),
}));

async function measure(bench: Workbench, creditsPerSecond: number): Promise<BenchResult[]> {
  const gapNs = 1e9 / creditsPerSecond;
  const bare = await measureBare(bench, gapNs);
  const bitsPerCredit = (MEAN_CREDIT_WIRE_BYTES + wireBytes(DEFAULT_FRAME_BYTES)) * 8;
  const rate = `${creditsPerSecond * bitsPerCredit}`;
  const { sink, source } = await startXpassPair(bench, { options: { ...HOW, rate }, idealGapNs: gapNs });
  await source.ask({ verb: 'bulk' });
  await bench.sleep(bench.warmUpSeconds);
  await sink.begin();
  await bench.sleep(bench.settings.seconds);
  const { gaps, seconds } = await sink.ask({ verb: 'take' });
  const name = `pacing/${creditsPerSecond}`;
  const { count, deviationUs, p99Us } = gaps ?? { count: 0, deviationUs: Number.NaN, p99Us: Number.NaN };
  const beside = { unit: 'us', rawIs: 'a bare loop that only looks at the clock' };
  return [
    { name: `${name}/rate`, value: count / seconds, unit: 'credits/s', raw: creditsPerSecond, rawIs: 'the ideal' },
    { name: `${name}/deviation`, value: deviationUs, raw: bare.deviationUs, ...beside, note: PAPER },
    { name: `${name}/p99-error`, value: p99Us, raw: bare.p99Us, ...beside },
  ];
}

/** What the machine itself leaves of even gaps. */
async function measureBare(bench: Workbench, gapNs: number): Promise<GapErrors> {
  const child = bench.fork('bare-pacer', 'bare-pacer.child.js');
  const order: BarePacerOrder = { gapNs, warmUpMs: BARE_WARM_UP_MS, measureMs: bench.settings.seconds * 1e3 };
  const measured = child.next<GapErrors>((message) => 'deviationUs' in message, 'report', {
    takesMs: order.warmUpMs + order.measureMs,
  });
  child.tell(order);
  try {
    return await measured;
  } finally {
    await bench.clear();
  }
}
