// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts

import { lines } from '../blocks/charts.js';
import { ruleFields } from '../blocks/dumbbell.js';
import { dataBps } from '../blocks/payload.js';
import type { Rule } from '../blocks/peers.js';
import { FLOW_0 } from '../blocks/quantities.js';
import type { Profile } from '../figure.js';
import { cross, figure, type Quantity, type Results, type Row, rounded, row, valueList } from '../plan.js';

type Case = { readonly rule: Rule; readonly flows: number };

const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'naive'];
const SEEDS: Readonly<Record<Profile, number>> = { quick: 4, paper: 10 };
const COMPARED = [1, 4, 16, 64, 256];
/** The authors' code with initial rate and w_init 0.5, Gbit/s of flow 0. */
const CODE = [4.95, 1.72, 1.3, 0.82, 0.67];
/** Naive credits keep flow 0 near 4.4 Gbit/s in the authors' code, whatever the number of flows. */
const CODE_NAIVE = '4.4 throughout';
/** Long flows up to which a max-min share is promised: the first two of COMPARED. */
const MAX_MIN_FLOWS = 4;
const FEW = 2;
const MAX_MIN_PART = 0.1;
const FLOW_0_LOWEST: Quantity = { ...FLOW_0, digits: 4, over: (bySeed) => Math.min(...bySeed) };

export const multiBottleneck = figure<Case>('multi-bottleneck', 'A short flow against many over several bottlenecks', {
  source: 'ExpressPass 2017, Figure 11',
  about: (profile) =>
    `One sender. Flow 0 crosses link 1 alone; N further flows cross links 1, 2 and 3, so their credits have been dropped twice when they meet those of flow 0. Links of 10 Gbit/s and 10 us; wire rate of flow 0 beside its max-min share of 1/(N + 1) of the data share. 60 ms, measured from 20 to 60 ms, means over ${SEEDS[profile]} seeds; initial rate and w_init 0.5.`,
  // Without feedback every receiver's credits are events, and 16 flows show all there is to see.
  cases: (profile) => {
    const flows = profile === 'quick' ? COMPARED : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
    return cross({ rule: DRAWN, flows }).filter((each) => each.rule !== 'naive' || each.flows <= 16);
  },
  // Flow 0 goes from host 1 to host 2, the others from host 1 to a host each at the end of the chain.
  document: ({ rule, flows }) => ({
    ...ruleFields(rule),
    duration: '60ms',
    warmUp: '20ms',
    topology: { name: 'multi-bottleneck', bottlenecks: 3, receivers: flows, rate: '10gbit', delay: '10us' },
    flows: ['pairs'],
  }),
  seeds: SEEDS,
  rows: (results) => [
    shareRow(results),
    { ...textOf(results, 'steady'), code: CODE, ...nearerThanCode(compared(results, 'steady')) },
    { ...textOf(results, 'expresspass'), ...besidePaper(results, 'expresspass') },
    { ...textOf(results, 'expresspass-ns2'), code: CODE, ...besidePaper(results, 'expresspass-ns2') },
    { ...textOf(results, 'naive'), code: CODE_NAIVE, note: 'The paper has it as a drawing only.' },
  ],
  charts: (results) => {
    const flows = results.where({ rule: 'steady' }).map((each) => each.flows);
    return {
      '': lines({ x: { name: 'flows over all links', scale: 'log2' }, y: 'wire rate of flow 0 (Gbit/s)' }, [
        ...DRAWN.map((rule) => results.line(rule, 'flows', FLOW_0, { rule })),
        { name: "authors' code", x: COMPARED, y: CODE },
        { name: 'max-min', x: flows, y: flows.map(maxMinGbps) },
      ]),
    };
  },
  table: [
    'rule',
    'flows',
    { flow_0_gbps: { ...FLOW_0, digits: 4 }, flow_0_gbps_lowest: FLOW_0_LOWEST, max_min_gbps: ({ flows }) => rounded(maxMinGbps(flows), 4) },
  ],
});

/** "Closely until four flows", with "a small gap" beyond: what the paper says of its rule. */
function besidePaper(results: Results<Case>, rule: Rule): Partial<Row> {
  const few = COMPARED.slice(0, FEW);
  const wanted = few.map(maxMinGbps);
  return {
    paper: `${valueList(wanted, 2)} at ${few.join(', ')}, then a small gap`,
    beside: [compared(results, rule).slice(0, FEW), wanted],
    better: 'more',
    held: `Held to within 25 % of max-min to ${MAX_MIN_FLOWS} flows; max-min goes on as ${valueList(COMPARED.slice(FEW).map(maxMinGbps), 2)}`,
    why: WHY,
  };
}

const WHY =
  "A flow that loses credits at three links in a row leaves more of the first to the one that crosses it alone. The authors' code has 1.72 against four flows too, at delays that are not known.";

function maxMinGbps(flows: number): number {
  return dataBps(10e9) / 1e9 / (flows + 1);
}

function compared(results: Results<Case>, rule: Rule, quantity = FLOW_0): number[] {
  return COMPARED.map((flows) => {
    const [found] = results.list(quantity, { rule, flows });
    return found ?? Number.NaN;
  });
}

function textOf(results: Results<Case>, rule: Rule) {
  return row(`${rule}: flow 0 (Gbit/s) against ${COMPARED.join(', ')} flows`, compared(results, rule), 2);
}

function nearerThanCode(ours: readonly number[]) {
  const many = COMPARED.slice(FEW);
  const error = (gbps: number, flows: number): number => Math.abs(gbps - maxMinGbps(flows));
  return {
    met: many.every((flows, at) => error(ours[FEW + at], flows) < error(CODE[FEW + at], flows)),
    held: `Held to nearer to max-min than the authors' code at ${many.join(', ')} flows`,
  };
}

function shareRow(results: Results<Case>): Row {
  const few = COMPARED.slice(0, FEW);
  const parts = (quantity: Quantity): number[] => few.map((flows) => results.of(quantity, { rule: 'steady', flows }) / maxMinGbps(flows));
  return row(
    `steady: flow 0 against ${few.join(', ')} flows, part of its max-min share (lowest of the seeds)`,
    `${valueList(parts(FLOW_0), 2)} (${valueList(parts(FLOW_0_LOWEST), 2)})`,
    0,
    { met: parts(FLOW_0).every((part) => Math.abs(part - 1) <= MAX_MIN_PART), held: `Held to within ${MAX_MIN_PART * 100} % to ${MAX_MIN_FLOWS} flows` },
  );
}
