// Tested by test/apps/figures/catalogue/ramp-up.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import { lines } from '../blocks/charts.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { RTT_NS } from '../blocks/joining.js';
import { payloadBps } from '../blocks/payload.js';
import { isPeer, PEERS, type System } from '../blocks/peers.js';
import { cross, figure, quantity, type Results, type Row, row } from '../plan.js';

type Case = { readonly rule: System };

const DRAWN: readonly System[] = ['expresspass-2016', 'expresspass', 'expresspass-ns2', 'steady', ...PEERS];
const RTTS = 30;
const PART = 0.9;
/** "Over 90% of link bandwidth in just 4 RTTs" (2016, section 2.2). */
const PAPER_RTTS = 4;
/** The authors' code: 0, 0.285, 0.623, 0.805, 0.908, 0.96 of the maximum per RTT. */
const CODE_RTTS = 4;
/** Request, first credit and first data take an RTT and a half, in which nothing arrives. */
const UNTIL_DATA_RTTS = 1;

/** RTTs from the first with data to the first at 90 % of what the link carries of payload; null: none of those sampled. */
const RTTS_TO_90 = quantity<Case>('rtts_to_90_percent', 1, (run) => {
  const at = sharesOf(run).findIndex((share) => share >= PART);
  return at < 0 ? null : at - UNTIL_DATA_RTTS;
});

export const rampUp = figure<Case>('ramp-up', 'A lone flow to 90 % of the link', {
  source: 'ExpressPass 2016, section 2.2',
  about: () =>
    `One flow on an idle dumbbell of 10 Gbit/s, RTT 100 us, initial rate and w_init 0.5. Counted are RTTs from that in which its first data arrives to the first with ${100 * PART} % of what the link carries of payload beside credits; mean over four seeds. The opening request and the first credit take one RTT before that.`,
  cases: () => cross({ rule: DRAWN }),
  document: ({ rule }) => {
    const { warmUp: _, ...document } = dumbbell({ rule, pairs: 1 });
    return { ...document, duration: `${RTTS * RTT_NS}ns`, probes: { interval: `${RTT_NS}ns`, maxFlows: 1 } };
  },
  seeds: { quick: 4, paper: 20 },
  rows: (results) => DRAWN.map((rule) => rowOf(results, rule)),
  charts: (results) => ({
    '': lines(
      { x: 'RTTs', y: { name: 'rate over one RTT / what the link carries', min: 0 }, references: [{ label: '90 %', y: PART }] },
      DRAWN.map((rule) => {
        const y = sharesOf(results.runsOf({ rule })[0]);
        return { name: rule, x: y.map((_, at) => at), y };
      }),
    ),
  }),
  table: ['rule', RTTS_TO_90],
});

function rowOf(results: Results<Case>, rule: System): Row {
  const ours = row(`${rule}: RTTs to ${100 * PART} % of the link`, results.of(RTTS_TO_90, { rule }), 1);
  if (rule === 'steady') return { ...ours, most: PAPER_RTTS, held: `Held to ${PAPER_RTTS}` };
  if (isPeer(rule)) return { ...ours, note: 'The paper has no value of it.' };
  const code = rule === 'expresspass-ns2' ? { code: CODE_RTTS } : {};
  return {
    ...ours,
    ...code,
    ...(rule === 'expresspass-2016' ? { paper: PAPER_RTTS, better: 'less' } : { most: PAPER_RTTS, held: `Held to ${PAPER_RTTS}, which the paper of 2016 has` }),
    why: WHY,
  };
}

const WHY =
  'From half of the link, halving what is missing comes to 0.75, 0.88 and 0.94 in three updates, and data shows an update an RTT later; the rule of 2017 moves w from one update to the next.';

function sharesOf({ result, series }: SimulationRun): number[] {
  const fullBps = payloadBps(result.links[0].rateBps ?? Number.NaN);
  return [...(series?.flows[0]?.goodputBps ?? [])].map((bps) => bps / fullBps);
}
