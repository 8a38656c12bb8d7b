// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { ScatterChart } from '../../shared/plot/chart.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { joiningDocument, rttsUntilWithin } from '../blocks/joining.js';
import { jainOver } from '../blocks/link.js';
import { fixed, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import { RULES, type Rule } from '../blocks/rules.js';
import { mean, spread } from '../blocks/statistics.js';
import type { Figure, FigureChart, FigureTable, Profile, Runs } from '../figure.js';

/** To so many, every rule has been played, naive too. */
const FLOWS = [2, 4, 8, 16, 32];

/** What a rule gives and takes. */
interface Point {
  readonly rule: Rule;
  /** By number of flows. */
  readonly utilisation: readonly number[];
  readonly jain: readonly number[];
  readonly dropped: readonly number[];
  /** Median RTTs until a joining flow and the running one are within 10 % of the fair share. */
  readonly rtts: number;
}

export const frontier: Figure = {
  name: 'frontier',
  title: 'What each rule gives and what it takes',
  source: 'Ours',
  about: () =>
    `The runs of one-bottleneck and convergence once more, rule beside rule: utilisation of the data share, Jain over 1 ms, the share of credits dropped, and RTTs until a joining flow and the running one are within 10 % of the fair share at 10 Gbit/s. Labels and lists are for ${FLOWS.join(', ')} flows; means over seeds, of RTTs the median. Up and to the left is better in every drawing.`,
  jobs: (profile) =>
    RULES.flatMap((rule) => [
      ...FLOWS.map((pairs) => ({
        key: key(rule, pairs),
        document: dumbbell({ rule, pairs }),
        seeds: seeds(profile === 'quick' ? 2 : 10),
      })),
      {
        key: joinKey(rule),
        document: joiningDocument({ rule, rate: '10gbit' }),
        seeds: seeds(joinSeeds(rule, profile)),
      },
    ]),
  evaluate: (runs) => {
    const points = RULES.map((rule) => measure(runs, rule));
    return { charts: charts(points), rows: points.map(row), tables: [table(points)] };
  },
};

/** As in convergence, whose runs these are. */
function joinSeeds(rule: Rule, profile: Profile): number {
  return profile === 'paper' || rule === 'steady' ? 20 : 8;
}

function key(rule: Rule, flows: number): string {
  return `${rule}-${flows}`;
}

function joinKey(rule: Rule): string {
  return `${rule}-join`;
}

function measure(runs: Runs, rule: Rule): Point {
  const found = FLOWS.map((flows) => runs.of(key(rule, flows)));
  return {
    rule,
    utilisation: found.map((each) => mean(each.map(({ result }) => result.utilisation))),
    jain: found.map((each) => mean(each.map((run) => jainOver(run, 1e6)))),
    dropped: found.map((each) => mean(each.map(({ result }) => result.creditDropShare))),
    rtts: spread(runs.of(joinKey(rule)).map((run) => rttsUntilWithin(run, 0.1))).median,
  };
}

function row({ rule, utilisation, jain, dropped, rtts }: Point) {
  return noClaim(
    {
      quantity: `${rule}: utilisation; Jain over 1 ms; credits dropped; RTTs to within 10 %`,
      ours: `${valueList(utilisation, 2)}; ${valueList(jain, 2)}; ${valueList(dropped, 2)}; ${fixed(rtts, 1)}`,
    },
    'What is claimed of these stands under one-bottleneck and convergence.',
  );
}

function charts(points: readonly Point[]): FigureChart[] {
  const byFlows = (y: 'jain' | 'utilisation', yName: string, min: number): ScatterChart => ({
    kind: 'scatter',
    x: { name: 'share of credits dropped', min: 0, max: 1 },
    y: { name: yName, min },
    series: points.map((point) => ({
      name: point.rule,
      points: FLOWS.map((flows, at) => ({ x: point.dropped[at], y: point[y][at], label: String(flows) })),
    })),
  });
  const bySpeed: ScatterChart = {
    kind: 'scatter',
    x: { name: 'RTTs until a joining flow is within 10 %, median' },
    y: { name: `Jain over 1 ms, lowest of ${FLOWS[0]} to ${FLOWS[FLOWS.length - 1]} flows` },
    series: points.map(({ rule, rtts, jain }) => ({ name: rule, points: [{ x: rtts, y: Math.min(...jain) }] })),
  };
  return [
    { key: 'fairness', chart: byFlows('jain', 'Jain over 1 ms', 0.7) },
    { key: 'utilisation', chart: byFlows('utilisation', 'utilisation of the data share', 0.7) },
    { key: 'convergence', chart: bySpeed },
  ];
}

function table(points: readonly Point[]): FigureTable {
  const rows = points.flatMap(({ rule, utilisation, jain, dropped, rtts }) =>
    FLOWS.map((flows, at) => [
      rule,
      flows,
      rounded(utilisation[at], 4),
      rounded(jain[at], 4),
      rounded(dropped[at], 4),
      rtts,
    ]),
  );
  return {
    key: '',
    titles: ['rule', 'flows', 'utilisation', 'jain_1ms', 'credits_dropped', 'rtts_within_10_percent'],
    rows,
  };
}
