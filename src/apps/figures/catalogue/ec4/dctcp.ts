// Tested by test/apps/figures/catalogue.test.ts

import type { SimulationRun } from '../../../../sim/result.js';
import { lines } from '../../blocks/charts.js';
import { DCTCP, mixDocument, shares } from '../../blocks/mix.js';
import { QUEUE } from '../../blocks/quantities.js';
import { chartsOf, cross, figure, fixed, quantity, row } from '../../plan.js';

const FRAME_BYTES = 1538;
const WITHIN = 0.1;
/** g and K by rate (ExpressPass 2017 §6.1), and ns-2 code: mean and largest queue (B), and ms until fair. */
const RATES = {
  '10gbit': { markFrames: 65, g: 0.0625, joinMs: 20, endMs: 60, code: { queue: '94000, 103000', ms: '11' } },
  '100gbit': { markFrames: 650, g: 0.01976, joinMs: 60, endMs: 400, code: undefined },
} as const;
type Rate = keyof typeof RATES;
const RATE_NAMES = Object.keys(RATES) as Rate[];

type Case = { readonly rate: Rate };

const MS_UNTIL_FAIR = quantity<Case>('ms_until_fair', 6, (run, { rate }) => msUntilFair(run, RATES[rate].joinMs));

export const ec4Dctcp = figure<Case>('ec4-dctcp', 'DCTCP by itself: queue and convergence', {
  source: 'DCTCP, RFC 8257; our runs of ns-2 code',
  about: () =>
    `One flow of DCTCP runs and another joins it. Three links of 16.7 us, an RTT of 100 us. Marking above 65 frames and g = 0.0625 at 10 Gbit/s, 650 and 0.01976 at 100 Gbit/s, as in ExpressPass 2017. The queue is read over the last quarter of the run; until fair: the first millisecond in which both are within ${WITHIN * 100} % of a half.`,
  cases: () => cross({ rate: RATE_NAMES }),
  document: ({ rate }) => {
    const { markFrames, g, joinMs, endMs } = RATES[rate];
    const side = { ...DCTCP, parameters: { g } };
    const document = mixDocument({
      sides: [{ ...side, start: `${joinMs}ms` }, side],
      pairs: 1,
      rate,
      markFrames,
      delay: '16667ns',
      duration: `${endMs}ms`,
      warmUp: `${endMs - (endMs - joinMs) / 4}ms`,
    });
    return { ...document, jainWindows: ['1ms'], probes: { interval: '1ms', maxFlows: 2 } };
  },
  rows: (results) =>
    results.cases.flatMap((each) => {
      const { markFrames, code } = RATES[each.rate];
      const thresholdBytes = markFrames * FRAME_BYTES;
      const [mean, max] = [QUEUE.mean, QUEUE.max].map((quantity) => results.of(quantity, each));
      return [
        row(`${each.rate}: mean and largest queue (B)`, `${fixed(mean, 0)}, ${max}`, 0, {
          paper: `near ${thresholdBytes}`,
          code: code?.queue,
          met: mean >= 0.5 * thresholdBytes && max <= 1.5 * thresholdBytes,
          held: 'Held to a mean of half of K at least and no more than 1.5 K',
        }),
        row(`${each.rate}: second flow fair after (ms)`, results.of(MS_UNTIL_FAIR, each), 0, {
          code: code?.ms,
          note: 'It depends on when the marks meet which flow, and the one that joins grows by a frame an RTT: at 100 Gbit/s its half is 730 frames, at 10 Gbit/s 73.',
        }),
      ];
    }),
  charts: (results) =>
    chartsOf(RATE_NAMES, (rate) => {
      const { timesNs, one } = shares(results.runsOf({ rate })[0]);
      return lines({ x: 'time (ms)', y: { name: 'part of the flow that joined', max: 1 } }, [{ name: 'dctcp', x: timesNs.map((ns) => ns / 1e6), y: one }]);
    }),
  table: ['rate', QUEUE.mean, QUEUE.max, MS_UNTIL_FAIR],
});

function msUntilFair(run: SimulationRun, joinMs: number): number | null {
  const { timesNs, one } = shares(run);
  const found = timesNs.find((ns, at) => ns > joinMs * 1e6 && Math.abs(one[at] / 0.5 - 1) <= WITHIN);
  return found === undefined ? null : found / 1e6 - joinMs;
}
