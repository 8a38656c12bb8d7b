// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { dataBps, wireBps } from '../blocks/payload.js';
import { claim, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import { type Rule, ruleFields } from '../blocks/rules.js';
import { mean } from '../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'naive'];
/** The authors' code with initial rate and w_init 0.5, Gbit/s of flow 0 by number of long flows. */
const CODE: Readonly<Record<number, number>> = { 1: 4.95, 4: 1.72, 16: 1.3, 64: 0.82, 256: 0.67 };
const COMPARED = [1, 4, 16, 64, 256];
/** Naive credits keep flow 0 near 4.4 Gbit/s in the authors' code, whatever the number of flows. */
const CODE_NAIVE = 4.4;
/** To so many long flows a max-min share is promised. */
const MAX_MIN_FLOWS = 4;
const MAX_MIN_PART = 0.1;

/** Wire rate of flow 0 in Gbit/s by number of long flows: mean over seeds, and the lowest of them. */
type Throughput = ReadonlyMap<number, { readonly mean: number; readonly lowest: number }>;

export const multiBottleneck: Figure = {
  name: 'multi-bottleneck',
  title: 'A short flow against many over several bottlenecks',
  source: 'ExpressPass 2017, Figure 11',
  about: (profile) =>
    `One sender. Flow 0 crosses link 1 alone; N further flows cross links 1, 2 and 3, so their credits have been dropped twice when they meet those of flow 0. Links of 10 Gbit/s and 10 us; wire rate of flow 0 beside its max-min share of 1/(N + 1) of the data share. 60 ms, measured from 20 to 60 ms, means over ${seedCount(profile)} seeds; initial rate and w_init 0.5.`,
  jobs: (profile) =>
    DRAWN.flatMap((rule) =>
      flowCounts(rule, profile).map((flows) => ({
        key: key(rule, flows),
        document: longFlows(rule, flows),
        seeds: seeds(seedCount(profile)),
      })),
    ),
  evaluate: (runs, profile) => {
    const found = new Map(DRAWN.map((rule) => [rule, measure(runs, rule, profile)]));
    return { charts: [{ key: '', chart: chart(found) }], rows: rows(found), tables: [table(found)] };
  },
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 4 : 10;
}

/** Without feedback every receiver's credits are events, and 16 flows show all there is to see. */
function flowCounts(rule: Rule, profile: Profile): readonly number[] {
  const all = profile === 'quick' ? COMPARED : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  return rule === 'naive' ? all.filter((flows) => flows <= 16) : all;
}

function key(rule: Rule, flows: number): string {
  return `${rule}-${flows}`;
}

/** Flow 0 goes from host 1 to host 2, the others from host 1 to a host each at the end of the chain. */
function longFlows(rule: Rule, flows: number): FigureDocument {
  return {
    ...ruleFields(rule),
    duration: '60ms',
    warmUp: '20ms',
    topology: {
      name: 'multi-bottleneck',
      bottlenecks: 3,
      receivers: flows,
      rate: '10gbit',
      delay: '10us',
    },
    flows: ['pairs'],
  };
}

function measure(runs: Runs, rule: Rule, profile: Profile): Throughput {
  return new Map(
    flowCounts(rule, profile).map((flows) => {
      const rates = runs.of(key(rule, flows)).map(({ result }) => wireBps(result.flows[0].goodputBps) / 1e9);
      return [flows, { mean: mean(rates), lowest: Math.min(...rates) }];
    }),
  );
}

function maxMinGbps(flows: number): number {
  return dataBps(10e9) / 1e9 / (flows + 1);
}

function rows(found: ReadonlyMap<Rule, Throughput>): FigureRow[] {
  const of = (rule: Rule): Throughput => found.get(rule) as Throughput;
  const listed = (rule: Rule): string =>
    valueList(
      COMPARED.map((flows) => of(rule).get(flows)?.mean ?? null),
      2,
    );
  const text = (rule: Rule) => ({
    quantity: `${rule}: flow 0 (Gbit/s) against ${COMPARED.join(', ')} flows`,
    paper: `${valueList(COMPARED.map(maxMinGbps), 2)} (max-min)`,
    ours: listed(rule),
  });
  const authorsCode = valueList(
    COMPARED.map((flows) => CODE[flows]),
    2,
  );
  const beside = 'Nothing is claimed of this rule; it stands beside ours.';
  return [
    ...steadyRows({ ...text('steady'), authorsCode }, of('steady')),
    noClaim(text('expresspass'), beside),
    noClaim({ ...text('expresspass-ns2'), authorsCode }, `${beside} The authors' delays are not known.`),
    noClaim({ ...text('naive'), authorsCode: `${CODE_NAIVE} throughout` }, beside),
  ];
}

function steadyRows(text: { quantity: string; ours: string; authorsCode: string }, found: Throughput): FigureRow[] {
  const few = COMPARED.filter((flows) => flows <= MAX_MIN_FLOWS);
  const many = COMPARED.filter((flows) => flows > MAX_MIN_FLOWS);
  const ours = (flows: number): number => found.get(flows)?.mean ?? Number.NaN;
  const isFair = few.every((flows) => Math.abs(ours(flows) / maxMinGbps(flows) - 1) <= MAX_MIN_PART);
  const isNearer = many.every(
    (flows) => Math.abs(ours(flows) - maxMinGbps(flows)) < Math.abs(CODE[flows] - maxMinGbps(flows)),
  );
  const parts = few.map((flows) => ours(flows) / maxMinGbps(flows));
  const lowest = few.map((flows) => (found.get(flows)?.lowest ?? Number.NaN) / maxMinGbps(flows));
  return [
    claim(
      {
        quantity: `steady: flow 0 against ${few.join(', ')} flows, part of its max-min share (lowest of the seeds)`,
        paper: '1',
        ours: `${valueList(parts, 2)} (${valueList(lowest, 2)})`,
      },
      isFair,
      { held: `Held to within ${MAX_MIN_PART * 100} % to ${MAX_MIN_FLOWS} flows` },
    ),
    claim(text, isNearer, {
      held: `Held to nearer to max-min than the authors' code at ${many.join(', ')} flows`,
    }),
  ];
}

function chart(found: ReadonlyMap<Rule, Throughput>): LineChart {
  const ours = [...found].map(([rule, each]) => ({
    name: rule,
    x: [...each.keys()],
    y: [...each.values()].map((rates) => rates.mean),
  }));
  const flows = [...(found.get('steady') as Throughput).keys()];
  return {
    kind: 'lines',
    x: { name: 'flows over all links', scale: 'log2' },
    y: { name: 'wire rate of flow 0 (Gbit/s)' },
    series: [
      ...ours,
      { name: "authors' code", x: COMPARED, y: COMPARED.map((each) => CODE[each]) },
      { name: 'max-min', x: flows, y: flows.map(maxMinGbps) },
    ],
  };
}

function table(found: ReadonlyMap<Rule, Throughput>): FigureTable {
  const rows = [...found].flatMap(([rule, each]) =>
    [...each].map(([flows, gbps]) => [
      rule,
      flows,
      rounded(gbps.mean, 4),
      rounded(gbps.lowest, 4),
      rounded(maxMinGbps(flows), 4),
    ]),
  );
  return { key: '', titles: ['rule', 'flows', 'flow_0_gbps', 'flow_0_gbps_lowest', 'max_min_gbps'], rows };
}
