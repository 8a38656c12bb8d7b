// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { joiningDocument, LAST_RTT, rttsUntilWithin } from '../blocks/joining.js';
import { PAYLOAD_BYTES } from '../blocks/payload.js';
import { claim, noClaim, seeds, valueList } from '../blocks/rows.js';
import type { Rule, Start } from '../blocks/rules.js';
import { mean, spread } from '../blocks/statistics.js';
import type { Figure, FigureChart, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const DIVISORS = [1, 2, 4, 8, 16, 32];
/** Figure 8b, and the authors' code. */
const PAPER_WASTED = [80, 40, 20, 10, 4, 2];
const CODE_WASTED = [79, 39, 20, 10, 4, 2];
/** What "within each" means of a number of credits. */
const TOLERANCE = 1;
/** Figure 8a, at both ends as its text has them; between them it can only be read off the drawing. */
const PAPER_RTTS = { first: 2, last: 14 };
const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'expresspass-literal'];
const WASTERS: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2'];

interface Measured {
  /** By initial rate. */
  readonly rtts20: readonly number[];
  readonly rtts10: readonly number[];
  readonly wasted: readonly number[];
}

export const initialRate: Figure = {
  name: 'initial-rate',
  title: 'Initial rate: convergence against wasted credits',
  source: 'ExpressPass 2017, Figure 8',
  about: (profile) =>
    `Lists are for initial rates of 1, 1/2, 1/4, 1/8, 1/16 and 1/32 of the maximum, w_init 0.5, at 10 Gbit/s and an RTT of 100 us. Convergence as in the figure of that name: a flow joins one that runs, RTTs until both are within 20 % (10 %) of the fair share, medians over ${seedCount(profile)} seeds. Wasted credits: a flow of one frame on an idle network; credits that reached the sender when it had nothing left to send.`,
  jobs: (profile) =>
    DRAWN.flatMap((rule) =>
      DIVISORS.flatMap((divisor) => [
        { key: joinKey(rule, divisor), document: joining(rule, divisor), seeds: seeds(seedCount(profile)) },
        ...(WASTERS.includes(rule)
          ? [{ key: wasteKey(rule, divisor), document: oneFrame(rule, divisor), seeds: seeds(20) }]
          : []),
      ]),
    ),
  evaluate: (runs) => {
    const measured = new Map(DRAWN.map((rule) => [rule, measure(runs, rule)]));
    return { charts: charts(measured), rows: rows(measured), tables: [table(measured)] };
  },
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 10 : 20;
}

function joinKey(rule: Rule, divisor: number): string {
  return `${rule}-join-${divisor}`;
}

function wasteKey(rule: Rule, divisor: number): string {
  return `${rule}-waste-${divisor}`;
}

function startOf(divisor: number): Start {
  return { initialRate: 1 / divisor, wInit: 0.5 };
}

function joining(rule: Rule, divisor: number): FigureDocument {
  return joiningDocument({ rule, rate: '10gbit', start: startOf(divisor) });
}

function oneFrame(rule: Rule, divisor: number): FigureDocument {
  const { warmUp: _, ...document } = dumbbell({ rule, pairs: 1, start: startOf(divisor) });
  return { ...document, duration: '10ms', flows: [{ kind: 'flow', from: 1, to: 2, bytes: PAYLOAD_BYTES }] };
}

function measure(runs: Runs, rule: Rule): Measured {
  const rtts = (part: number): number[] =>
    DIVISORS.map((divisor) => spread(runs.of(joinKey(rule, divisor)).map((run) => rttsUntilWithin(run, part))).median);
  const wasted = (divisor: number): number =>
    mean(runs.of(wasteKey(rule, divisor)).map(({ result }) => result.flows[0].credits.wasted));
  return { rtts20: rtts(0.2), rtts10: rtts(0.1), wasted: WASTERS.includes(rule) ? DIVISORS.map(wasted) : [] };
}

function rows(measured: ReadonlyMap<Rule, Measured>): FigureRow[] {
  return [
    ...WASTERS.map((rule) => wasteRow(rule, measured.get(rule) as Measured)),
    ...DRAWN.map((rule) => rttRow(rule, measured.get(rule) as Measured)),
  ];
}

function wasteRow(rule: Rule, { wasted }: Measured): FigureRow {
  const isNear = wasted.every((credits, at) => Math.abs(credits - CODE_WASTED[at]) <= TOLERANCE);
  const text = {
    quantity: `${rule}: wasted credits of a flow of one frame`,
    paper: valueList(PAPER_WASTED, 0),
    authorsCode: valueList(CODE_WASTED, 0),
    ours: valueList(wasted, 1),
  };
  return claim(text, isNear, { held: "Held to within one credit of the authors' code at every rate" });
}

function rttRow(rule: Rule, { rtts20, rtts10 }: Measured): FigureRow {
  const text = {
    quantity: `${rule}: RTTs to within 20 %; 10 %`,
    paper: `${PAPER_RTTS.first} to ${PAPER_RTTS.last}`,
    ...(rule === 'expresspass-ns2' && { authorsCode: '-, 4.5, -, -, 4, 8.5; -, 15, -, -, 10, 13.5' }),
    ours: `${valueList(rtts20, 1)}; ${valueList(rtts10, 1)}`,
  };
  if (rule !== 'steady') return noClaim(text, 'Nothing is claimed of this rule; it stands beside ours.');
  const isMet = rtts20[0] <= PAPER_RTTS.first && rtts20[rtts20.length - 1] <= PAPER_RTTS.last;
  return claim(text, isMet, { held: 'Held to 2 at the full rate and 14 at 1/32 to within 20 %', why: WHY_SLOW });
}

const WHY_SLOW =
  'Opening request, first credit and first data take an RTT and a half, and the running flow hears of dropped credits an RTT after they were sent, so 2 leaves no room for an update; the paper does not say from when it counts. A flow that starts at the full rate takes more than its share at once and gives it back slowly.';

function charts(measured: ReadonlyMap<Rule, Measured>): FigureChart[] {
  const lines = (quantity: keyof Measured, yName: string): LineChart => ({
    kind: 'lines',
    x: { name: 'maximum rate / initial rate', scale: 'log2' },
    y: { name: yName },
    series: [...measured]
      .filter(([, each]) => each[quantity].length > 0)
      .map(([rule, each]) => ({ name: rule, x: DIVISORS, y: each[quantity] })),
  });
  const wasted = lines('wasted', 'wasted credits of a flow of one frame');
  const paper = { name: 'paper', x: DIVISORS, y: PAPER_WASTED };
  return [
    { key: 'convergence', chart: lines('rtts20', `RTTs to within 20 %, median (at most ${LAST_RTT})`) },
    { key: 'waste', chart: { ...wasted, series: [...wasted.series, paper] } },
  ];
}

function table(measured: ReadonlyMap<Rule, Measured>): FigureTable {
  const titles = ['rule', 'initial_rate', 'rtts_within_20_percent', 'rtts_within_10_percent', 'wasted_credits'];
  const rows = [...measured].flatMap(([rule, { rtts20, rtts10, wasted }]) =>
    DIVISORS.map((divisor, at) => [rule, `1/${divisor}`, rtts20[at], rtts10[at], wasted[at] ?? null]),
  );
  return { key: '', titles, rows };
}
