// Tested by test/apps/figures/catalogue.test.ts

import { lines } from '../../blocks/charts.js';
import { DCTCP, EC4, EC4_LITERAL, EXPRESSPASS, MARK_FRAMES, mixDocument, PAPER_MARK_FRAMES, shares, sidesBps } from '../../blocks/mix.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { chartsOf, cross, figure, quantity, type Row, row } from '../../plan.js';

type Case = { readonly rule: RuleName; readonly order: (typeof ORDERS)[number]; readonly pairs: number };

const JOIN_MS = 20;
const END_MS = 80;
/** When the shares are read: what follows the join by 20 ms is over. */
const MEASURED_MS = 40;
/** ExpressPass with the paper's K, as its figure has it; then with ours beside EC4. */
const RULES = {
  'expresspass-k100': { side: EXPRESSPASS, markFrames: PAPER_MARK_FRAMES },
  'ec4-literal-k100': { side: EC4_LITERAL, markFrames: PAPER_MARK_FRAMES },
  expresspass: { side: EXPRESSPASS, markFrames: MARK_FRAMES },
  ec4: { side: EC4, markFrames: MARK_FRAMES },
} as const;
type RuleName = keyof typeof RULES;
const RULE_NAMES = Object.keys(RULES) as RuleName[];
const ORDERS = ['dctcp-first', 'credits-first'] as const;
const PAIRS: Readonly<Record<Profile, readonly number[]>> = { quick: [1, 4], paper: [1, 2, 4, 8, 16] };
/** Of DCTCP beside ExpressPass: the paper's curve is close to 0; 0.52 of 10 Gbit/s in ns-2 code of the same group, with K of 65 frames. */
const MOST_LEFT = 0.1;
const STARVED = { most: MOST_LEFT, held: `Held to ${MOST_LEFT}: ExpressPass takes all` };
const CLAIMS: Readonly<Record<RuleName, Partial<Row>>> = {
  'expresspass-k100': { paper: 'close to 0', code: '0.052', ...STARVED },
  'ec4-literal-k100': { note: 'The paper has this beside DCTCP in its Figures 4 and 5.' },
  expresspass: STARVED,
  ec4: { least: 0.4, most: 0.6, held: 'Held to 0.4 to 0.6' },
};

/** Part of the payload that DCTCP has. */
const DCTCP_SHARE = quantity('dctcp_share', 4, (run) => {
  const [credits, dctcp] = sidesBps(run);
  return dctcp / (credits + dctcp);
});

export const ec4Arrival = figure<Case>('ec4-arrival', 'Credits come to DCTCP, and DCTCP to credits', {
  source: 'EC4, Figure 3',
  about: (profile) =>
    `One kind of flow runs and the other joins it after ${JOIN_MS} ms, ${PAIRS[profile].join(' and ')} flow(s) of each; 10 Gbit/s, links of 5 us. Rows with k100 mark above ${PAPER_MARK_FRAMES} frames, as the paper does, the others above ${MARK_FRAMES}. What DCTCP has is its part of all payload from ${MEASURED_MS} to ${END_MS} ms, mean over seeds.`,
  cases: (profile) => cross({ rule: RULE_NAMES, order: ORDERS, pairs: PAIRS[profile] }),
  document: arrival,
  seeds: { quick: 1, paper: 5 },
  rows: (results) =>
    results.cases.map((each) => {
      const { rule, order, pairs } = each;
      const share = results.of(DCTCP_SHARE, each);
      return row(`${rule}, ${pairs}:${pairs}, ${order === 'dctcp-first' ? 'DCTCP ran first' : 'DCTCP joined'}: part of DCTCP`, share, 3, CLAIMS[rule]);
    }),
  charts: (results) =>
    chartsOf(RULE_NAMES, (rule) =>
      lines(
        { x: 'time (ms)', y: { name: 'part of DCTCP', max: 1 }, title: `${rule} and DCTCP, one flow of each`, references: [{ label: 'fair', y: 0.5 }] },
        ORDERS.map((order) => {
          const { timesNs, one } = shares(results.runsOf({ rule, order, pairs: 1 })[0]);
          return { name: order, x: timesNs.map((ns) => ns / 1e6), y: one.map((share) => 1 - share) };
        }),
      ),
    ),
  table: ['rule', 'order', 'pairs', DCTCP_SHARE],
});

function arrival({ rule, order, pairs }: Case): FigureDocument {
  const late = { start: `${JOIN_MS}ms` };
  const { side, markFrames } = RULES[rule];
  const sides = order === 'dctcp-first' ? ([{ ...side, ...late }, DCTCP] as const) : ([side, { ...DCTCP, ...late }] as const);
  const document = mixDocument({ sides, markFrames, pairs, duration: `${END_MS}ms`, warmUp: `${MEASURED_MS}ms` });
  return { ...document, jainWindows: ['10ms'], probes: { interval: '1ms', maxFlows: 2 * pairs } };
}
