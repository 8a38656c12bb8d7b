// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts

import type { BarChart, LineChart } from '../../../report/plot/chart.js';
import { lines } from '../blocks/charts.js';
import { joiningDocument, LAST_RTT, rttsWithin, sharesSinceJoin } from '../blocks/joining.js';
import { RULES, type Rule } from '../blocks/peers.js';
import type { Profile } from '../figure.js';
import { chartsOf, cross, figure, fixed, type Results, type Row, row, tableOf } from '../plan.js';
import { spread } from '../statistics.js';

type Case = { readonly rule: Rule; readonly rate: Rate };

/** Rates with their names, and median and range over eight seeds of the authors' code: RTTs to within 20 % and to within 10 %. */
const RATES = {
  '10gbit': { name: '10 Gbit/s', code: { 0.2: '4.5 (2-24)', 0.1: '15 (3-25)' } },
  '100gbit': { name: '100 Gbit/s', code: { 0.2: '7 (6-13)', 0.1: '11 (8-17)' } },
} as const;
type Rate = keyof typeof RATES;
const RATE_NAMES = ['10gbit', '100gbit'] as const;
const PARTS = [0.2, 0.1] as const;
type Part = (typeof PARTS)[number];
const RTTS = { 0.2: rttsWithin(0.2), 0.1: rttsWithin(0.1) } as const;
/** What our own rule is held to. */
const MOST_RTTS = { 0.2: 4, 0.1: 6 } as const;
/** What both papers claim of their rules at either rate, within 10 %. */
const PAPER_RTTS = 3;
const WHY_PAPER =
  "The paper's value is read off one drawing. The authors' own code has a median of 15 RTTs to within 10 % at 10 Gbit/s over eight seeds, and 2 to 25 from seed to seed: flows that swing about their share cross it early or late by chance.";
/** RTTs that are drawn. */
const DRAWN_RTTS = 40;
const DRAWN_RULES: readonly Rule[] = ['steady', 'expresspass-ns2', 'expresspass-literal'];
const WITHIN = cross({ rule: RULES, rate: RATE_NAMES, part: PARTS });

/** That of ours decides something; the others stand beside it. */
export function joiningSeeds(rule: Rule, profile: Profile): number {
  return profile === 'paper' || rule === 'steady' ? 20 : 8;
}

export const convergence = figure<Case>('convergence', 'Convergence of a flow that joins', {
  source: 'ExpressPass 2016, Figure 7; ExpressPass 2017, convergence at 10 and 100 Gbit/s',
  about: (profile) =>
    `One flow has a link to itself, RTT 100 us; then a second one starts. Counted are RTTs from its start, its opening request included, until the first RTT begins in which both flows are within 20 % (10 %) of the fair share: rates of payload over one RTT. No data can arrive in the first one and a half. Median, 90th percentile and range over ${joiningSeeds('steady', profile)} seeds for steady and ${joiningSeeds('naive', profile)} for the others; initial rate and w_init 0.5. What has not converged after ${LAST_RTT} RTTs counts as ${LAST_RTT}.

At 10 Gbit/s a fair share is 38 frames an RTT, so 10 % are four frames. The drawings are of the first seed.`,
  cases: () => cross({ rule: RULES, rate: RATE_NAMES }),
  document: joiningDocument,
  seeds: ({ rule }, profile) => joiningSeeds(rule, profile),
  rows: (results) => WITHIN.map(({ part, ...each }) => rowOf(results, each, part)),
  charts: (results) => ({ ...chartsOf(cross({ rule: DRAWN_RULES, rate: RATE_NAMES }), (each) => rateChart(results, each)), medians: medianChart(results) }),
  tables: (results) => [
    tableOf(
      '',
      WITHIN.map(({ part, ...each }) => ({ ...each, part, rtts: results.bySeed(RTTS[part], each) })),
      {
        rule: ({ rule }) => rule,
        rate: ({ rate }) => rate,
        within: ({ part }) => part,
        median_rtts: ({ rtts }) => spread(rtts).median,
        p90_rtts: ({ rtts }) => spread(rtts).p90,
        lowest_rtts: ({ rtts }) => spread(rtts).lowest,
        highest_rtts: ({ rtts }) => spread(rtts).highest,
        rtts_by_seed: ({ rtts }) => rtts.join(' '),
      },
    ),
  ],
});

function rowOf(results: Results<Case>, each: Case, part: Part): Row {
  const { rule, rate } = each;
  const { median, p90, lowest, highest } = spread(results.bySeed(RTTS[part], each));
  const text = row(
    `${rule}, ${RATES[rate].name}: RTTs to within ${part * 100} %, median / p90 (range)`,
    `${fixed(median, 1)} / ${p90} (${lowest}-${highest})`,
    0,
    { code: rule === 'expresspass-ns2' ? RATES[rate].code[part] : undefined },
  );
  if (rule === 'naive') return { ...text, note: 'It has no feedback, and the papers have no value of it.' };
  if (rule !== 'steady') return { ...text, paper: PAPER_RTTS, beside: [[median], [PAPER_RTTS]], better: 'less', why: WHY_PAPER };
  const most = MOST_RTTS[part];
  return {
    ...text,
    met: median <= most && p90 <= most,
    held: `Held to ${most} for the median and for the 90th percentile`,
    why: 'At 10 Gbit/s four frames more or less in one RTT are 10 %, and where the flow that joins has taken too much, the rest is given back slowly.',
  };
}

function rateChart(results: Results<Case>, each: Case): LineChart {
  const shares = sharesSinceJoin(results.runsOf(each)[0]).slice(0, DRAWN_RTTS);
  const x = shares.map((_, at) => at + 1);
  return lines(
    {
      x: 'RTTs since the second flow started',
      y: { name: 'rate over one RTT / fair share', min: 0, max: 2 },
      title: `${each.rule}, ${RATES[each.rate].name}`,
      references: [{ label: 'fair', y: 1 }],
    },
    [
      { name: 'running flow', x, y: shares.map(([running]) => running) },
      { name: 'joining flow', x, y: shares.map(([, joining]) => joining) },
    ],
  );
}

function medianChart(results: Results<Case>): BarChart {
  return {
    kind: 'bars',
    title: 'RTTs to converge, median over seeds',
    x: { name: 'credit algorithm' },
    y: { name: 'RTTs' },
    groups: RULES,
    series: cross({ rate: RATE_NAMES, part: PARTS }).map(({ rate, part }) => ({
      name: `${RATES[rate].name}, within ${part * 100} %`,
      values: RULES.map((rule) => results.of(RTTS[part], { rule, rate })),
    })),
    references: [{ label: `paper ${PAPER_RTTS}`, y: PAPER_RTTS }],
    widthPx: 900,
  };
}
