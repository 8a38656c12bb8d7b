// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { ScatterChart } from '../../../report/plot/chart.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { joiningDocument, rttsWithin } from '../blocks/joining.js';
import { RULES, type Rule } from '../blocks/peers.js';
import { CREDITS_DROPPED, jainOver, UTILISATION } from '../blocks/quantities.js';
import { cross, figure, fixed, type Quantity, rounded, row, tableOf, valueList } from '../plan.js';
import { joiningSeeds } from './convergence.js';

/** Up to the number for which every rule has been played, naive too. */
const FLOWS = [2, 4, 8, 16, 32];
const JOIN = 'join';
const JAIN_1MS = jainOver(1);
const RTTS = rttsWithin(0.1);

/** The runs of one-bottleneck, by flows, and of convergence. */
export const frontier = figure<{ rule: Rule; flows: number | typeof JOIN }>('frontier', 'What each rule gives and what it takes', {
  source: 'Ours',
  about: () =>
    `The runs of one-bottleneck and convergence once more, rule beside rule: utilisation of the data share, Jain over 1 ms, the share of credits dropped, and RTTs until a joining flow and the running one are within 10 % of the fair share at 10 Gbit/s. Labels and lists are for ${FLOWS.join(', ')} flows; means over seeds, of RTTs the median. Up and to the left is better in every drawing.`,
  cases: () => cross({ rule: RULES, flows: [...FLOWS, JOIN] as const }),
  document: ({ rule, flows }) => (flows === JOIN ? joiningDocument({ rule, rate: '10gbit' }) : dumbbell({ rule, pairs: flows })),
  seeds: ({ rule, flows }, profile) => {
    if (flows === JOIN) return joiningSeeds(rule, profile);
    return profile === 'quick' ? 2 : 10;
  },
  rows: (results) =>
    RULES.map((rule) => {
      const list = (quantity: Quantity) =>
        valueList(
          FLOWS.map((flows) => results.of(quantity, { rule, flows })),
          2,
        );
      const rtts = fixed(results.of(RTTS, { rule, flows: JOIN }), 1);
      return row(
        `${rule}: utilisation; Jain over 1 ms; credits dropped; RTTs to within 10 %`,
        `${list(UTILISATION)}; ${list(JAIN_1MS)}; ${list(CREDITS_DROPPED)}; ${rtts}`,
        0,
        { note: 'What is claimed of these stands under one-bottleneck and convergence.' },
      );
    }),
  charts: (results) => {
    const byFlows = (quantity: Quantity, name: string): ScatterChart => ({
      kind: 'scatter',
      x: { name: 'share of credits dropped', min: 0, max: 1 },
      y: { name, min: 0.7 },
      series: RULES.map((rule) => ({
        name: rule,
        points: FLOWS.map((flows) => ({ x: results.of(CREDITS_DROPPED, { rule, flows }), y: results.of(quantity, { rule, flows }), label: String(flows) })),
      })),
    });
    return {
      fairness: byFlows(JAIN_1MS, 'Jain over 1 ms'),
      utilisation: byFlows(UTILISATION, 'utilisation of the data share'),
      convergence: {
        kind: 'scatter',
        x: { name: 'RTTs until a joining flow is within 10 %, median' },
        y: { name: `Jain over 1 ms, lowest of ${FLOWS[0]} to ${FLOWS[FLOWS.length - 1]} flows` },
        series: RULES.map((rule) => {
          const y = Math.min(...FLOWS.map((flows) => results.of(JAIN_1MS, { rule, flows })));
          return { name: rule, points: [{ x: results.of(RTTS, { rule, flows: JOIN }), y }] };
        }),
      },
    };
  },
  tables: (results) => [
    tableOf('', cross({ rule: RULES, flows: FLOWS }), {
      rule: ({ rule }) => rule,
      flows: ({ flows }) => flows,
      utilisation: (each) => rounded(results.of(UTILISATION, each), 4),
      jain_1ms: (each) => rounded(results.of(JAIN_1MS, each), 4),
      credits_dropped: (each) => rounded(results.of(CREDITS_DROPPED, each), 4),
      rtts_within_10_percent: ({ rule }) => results.of(RTTS, { rule, flows: JOIN }),
    }),
  ],
});
