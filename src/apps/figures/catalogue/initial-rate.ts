// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts

import type { LineChart } from '../../../report/plot/chart.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { joiningDocument, LAST_RTT, rttsWithin } from '../blocks/joining.js';
import { PAYLOAD_BYTES } from '../blocks/payload.js';
import type { Rule } from '../blocks/peers.js';
import type { FigureDocument, Profile } from '../figure.js';
import { cross, figure, isNear, quantity, type Results, type Row, row, tableOf, valueList } from '../plan.js';

/** `join`: a flow joins another; `waste`: a flow of one frame on an idle network. */
type Case = { readonly rule: Rule; readonly kind: 'join' | 'waste'; readonly divisor: number };

const DIVISORS = [1, 2, 4, 8, 16, 32];
/** Figure 8b, and the authors' code. */
const PAPER_WASTED = [80, 40, 20, 10, 4, 2];
const CODE_WASTED = [79, 39, 20, 10, 4, 2];
/** What "within each" means of a number of credits. */
const TOLERANCE = 1;
/** Figure 8a, at both ends as its text has them; between them it can only be read off the drawing. */
const PAPER_RTTS = { first: 2, last: 14 };
const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'expresspass-literal'];
const WASTERS = DRAWN.slice(0, 3);
const SEEDS: Readonly<Record<Profile, number>> = { quick: 10, paper: 20 };
const RTTS_20 = rttsWithin(0.2);
const RTTS_10 = rttsWithin(0.1);
const WASTED = quantity('wasted_credits', 2, ({ result }) => result.flows[0].credits.unused);

export const initialRate = figure<Case>('initial-rate', 'Initial rate: convergence against wasted credits', {
  source: 'ExpressPass 2017, Figure 8',
  about: (profile) =>
    `Lists are for initial rates of 1, 1/2, 1/4, 1/8, 1/16 and 1/32 of the maximum, w_init 0.5, at 10 Gbit/s and an RTT of 100 us. Convergence as in the figure of that name: a flow joins one that runs, RTTs until both are within 20 % (10 %) of the fair share, medians over ${SEEDS[profile]} seeds. Wasted credits: a flow of one frame on an idle network; credits that reached the sender when it had nothing left to send.`,
  cases: () => [
    ...cross({ rule: DRAWN, kind: ['join'] as const, divisor: DIVISORS }),
    ...cross({ rule: WASTERS, kind: ['waste'] as const, divisor: DIVISORS }),
  ],
  document: documentOf,
  seeds: ({ kind }, profile) => (kind === 'join' ? SEEDS[profile] : 20),
  rows: (results) => [...WASTERS.map((rule) => wasteRow(rule, results.list(WASTED, { rule, kind: 'waste' }))), ...DRAWN.map((rule) => rttRow(results, rule))],
  charts: (results) => ({
    convergence: {
      ...CHART,
      y: { name: `RTTs to within 20 %, median (at most ${LAST_RTT})` },
      series: DRAWN.map((rule) => results.line(rule, 'divisor', RTTS_20, { rule, kind: 'join' })),
    },
    waste: {
      ...CHART,
      y: { name: 'wasted credits of a flow of one frame' },
      series: [...WASTERS.map((rule) => results.line(rule, 'divisor', WASTED, { rule, kind: 'waste' })), { name: 'paper', x: DIVISORS, y: PAPER_WASTED }],
    },
  }),
  tables: (results) => [
    tableOf('', cross({ rule: DRAWN, divisor: DIVISORS }), {
      rule: ({ rule }) => rule,
      initial_rate: ({ divisor }) => `1/${divisor}`,
      rtts_within_20_percent: (each) => results.of(RTTS_20, { ...each, kind: 'join' }),
      rtts_within_10_percent: (each) => results.of(RTTS_10, { ...each, kind: 'join' }),
      wasted_credits: (each) => results.list(WASTED, { ...each, kind: 'waste' })[0] ?? null,
    }),
  ],
});

const CHART: Pick<LineChart, 'kind' | 'x'> = { kind: 'lines', x: { name: 'maximum rate / initial rate', scale: 'log2' } };

function documentOf({ rule, kind, divisor }: Case): FigureDocument {
  const start = { initialRate: 1 / divisor, wInit: 0.5 };
  if (kind === 'join') return joiningDocument({ rule, rate: '10gbit', start });
  const { warmUp: _, ...document } = dumbbell({ rule, pairs: 1, start });
  return { ...document, duration: '10ms', flows: [{ kind: 'flow', from: 1, to: 2, bytes: PAYLOAD_BYTES }] };
}

function wasteRow(rule: Rule, ours: readonly number[]): Row {
  return row(`${rule}: wasted credits of a flow of one frame`, ours, 1, {
    paper: valueList(PAPER_WASTED, 0),
    code: valueList(CODE_WASTED, 0),
    met: isNear(ours, CODE_WASTED, TOLERANCE),
    held: "Held to within one credit of the authors' code at every rate",
  });
}

function rttRow(results: Results<Case>, rule: Rule): Row {
  const [rtts20, rtts10] = [RTTS_20, RTTS_10].map((quantity) => results.list(quantity, { rule, kind: 'join' }));
  const ends = [rtts20[0], rtts20[rtts20.length - 1]];
  const text = row(`${rule}: RTTs to within 20 %; 10 %`, `${valueList(rtts20, 1)}; ${valueList(rtts10, 1)}`, 0, {
    code: rule === 'expresspass-ns2' ? '-, 4.5, -, -, 4, 8.5; -, 15, -, -, 10, 13.5' : undefined,
  });
  if (rule !== 'steady')
    return {
      ...text,
      paper: `${PAPER_RTTS.first} to ${PAPER_RTTS.last}`,
      beside: [ends, [PAPER_RTTS.first, PAPER_RTTS.last]],
      better: 'less',
      held: HELD_ENDS,
      why: WHY_FLAT,
    };
  return {
    ...text,
    met: rtts20[0] <= PAPER_RTTS.first && rtts20[rtts20.length - 1] <= PAPER_RTTS.last,
    held: 'Held to 2 at the full rate and 14 at 1/32 to within 20 %',
    why: 'Opening request, first credit and first data take an RTT and a half, and the running flow hears of dropped credits an RTT after they were sent, so 2 leaves no room for an update; the paper does not say from when it counts. A flow that starts at the full rate takes more than its share at once and gives it back slowly.',
  };
}

const HELD_ENDS = "Both ends to within 20 % are held to the paper's, 2 at the full rate and 14 at 1/32";
const WHY_FLAT =
  'The curve of the paper rises, this one is flat: w grows from 0.5 whatever the initial rate, so that a flow from 1/32 has most of its share after two updates, and one from the full rate takes more than its share and swings back. The code of the authors is flat too: 4 to 8.5 RTTs.';
