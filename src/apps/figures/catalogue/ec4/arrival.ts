// Tested by test/apps/figures/catalogue.test.ts
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { mixDocument, shares, sidesBps } from '../../blocks/mix.js';
import { DCTCP, EC4, EXPRESSPASS } from '../../blocks/mixes.js';
import { claim, fixed, seeds } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

const JOIN_MS = 20;
const END_MS = 80;
/** When the shares are read: what follows the join by 20 ms is over. */
const MEASURED_MS = 40;
const RULES = { expresspass: EXPRESSPASS, ec4: EC4 } as const;
type RuleName = keyof typeof RULES;
const ORDERS = ['dctcp-first', 'credits-first'] as const;
type Order = (typeof ORDERS)[number];
/** Of DCTCP beside ExpressPass: the paper's curve is close to 0; 0.52 of 10 Gbit/s in ns-2 code of the same group. */
const MOST_LEFT = 0.1;
const CODE_LEFT = '0.052';
const FAIR = { least: 0.4, most: 0.6 };

export const ec4Arrival: Figure = {
  name: 'ec4-arrival',
  title: 'Credits come to DCTCP, and DCTCP to credits',
  source: 'EC4, Figure 3',
  about: (profile) =>
    `One kind of flow runs and the other joins it after ${JOIN_MS} ms, ${pairsOf(profile).join(' and ')} flow(s) of each; 10 Gbit/s, links of 5 us. What DCTCP has is its part of all payload from ${MEASURED_MS} to ${END_MS} ms, mean over seeds.`,
  jobs: (profile) =>
    cases(profile).map(({ rule, order, pairs }) => ({
      key: key(rule, order, pairs),
      document: arrival(rule, order, pairs),
      seeds: seeds(profile === 'quick' ? 1 : 5),
    })),
  evaluate: (runs, profile) => ({
    charts: Object.keys(RULES).map((rule) => ({ key: rule, chart: chart(runs, rule as RuleName) })),
    rows: cases(profile).map((each) => rowOf(runs, each)),
    tables: [table(runs, profile)],
  }),
};

interface Case {
  readonly rule: RuleName;
  readonly order: Order;
  readonly pairs: number;
}

function pairsOf(profile: Profile): readonly number[] {
  return profile === 'quick' ? [1, 4] : [1, 2, 4, 8, 16];
}

function cases(profile: Profile): Case[] {
  return (Object.keys(RULES) as RuleName[]).flatMap((rule) =>
    ORDERS.flatMap((order) => pairsOf(profile).map((pairs) => ({ rule, order, pairs }))),
  );
}

function key(rule: RuleName, order: Order, pairs: number): string {
  return `${rule}-${order}-${pairs}`;
}

function arrival(rule: RuleName, order: Order, pairs: number): FigureDocument {
  const late = { start: `${JOIN_MS}ms` };
  const sides =
    order === 'dctcp-first'
      ? ([{ ...RULES[rule], ...late }, DCTCP] as const)
      : ([RULES[rule], { ...DCTCP, ...late }] as const);
  const document = mixDocument({ sides, pairs, duration: `${END_MS}ms`, warmUp: `${MEASURED_MS}ms` });
  return { ...document, jainWindows: ['10ms'], probes: { interval: '1ms', maxFlows: 2 * pairs } };
}

/** Part of the payload that DCTCP has. */
function dctcpShare(runs: Runs, { rule, order, pairs }: Case): number {
  return mean(
    runs.of(key(rule, order, pairs)).map((run) => {
      const [credits, dctcp] = sidesBps(run);
      return dctcp / (credits + dctcp);
    }),
  );
}

function rowOf(runs: Runs, each: Case): FigureRow {
  const share = dctcpShare(runs, each);
  const order = each.order === 'dctcp-first' ? 'DCTCP ran first' : 'DCTCP joined';
  const quantity = `${each.rule}, ${each.pairs}:${each.pairs}, ${order}: part of DCTCP`;
  const ours = fixed(share, 3);
  return each.rule === 'expresspass'
    ? claim({ quantity, paper: 'close to 0', authorsCode: CODE_LEFT, ours }, share < MOST_LEFT, {
        held: `Held to below ${MOST_LEFT}: ExpressPass takes all`,
      })
    : claim({ quantity, paper: 'near 0.5', ours }, share >= FAIR.least && share <= FAIR.most, {
        held: `Held to ${FAIR.least} to ${FAIR.most}`,
      });
}

function chart(runs: Runs, rule: RuleName): LineChart {
  return {
    kind: 'lines',
    title: `${rule} and DCTCP, one flow of each`,
    x: { name: 'time (ms)' },
    y: { name: 'part of DCTCP', max: 1 },
    references: [{ label: 'fair', y: 0.5 }],
    series: ORDERS.map((order) => {
      const { timesNs, one } = shares(runs.of(key(rule, order, 1))[0]);
      return { name: order, x: timesNs.map((ns) => ns / 1e6), y: one.map((share) => 1 - share) };
    }),
  };
}

function table(runs: Runs, profile: Profile): FigureTable {
  const titles = ['rule', 'order', 'pairs', 'dctcp_share'];
  const rows = cases(profile).map((each) => [
    each.rule,
    each.order,
    each.pairs,
    Number(fixed(dctcpShare(runs, each), 4)),
  ]);
  return { key: '', titles, rows };
}
