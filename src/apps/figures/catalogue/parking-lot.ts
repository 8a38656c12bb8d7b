// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import { lines } from '../blocks/charts.js';
import { ruleFields } from '../blocks/dumbbell.js';
import { dataBps } from '../blocks/payload.js';
import type { Rule } from '../blocks/peers.js';
import { FLOW_0, UTILISATION } from '../blocks/quantities.js';
import type { FigureDocument, Profile } from '../figure.js';
import { cross, figure, fixed, isNear, type Results, type Row, row } from '../plan.js';

type Case = { readonly rule: Rule; readonly bottlenecks: number };

/** In a row, as in the papers. */
export const BOTTLENECKS = [1, 2, 3, 4, 5, 6];
const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'naive'];
const SEEDS: Readonly<Record<Profile, number>> = { quick: 2, paper: 10 };
const PAPER = [1, 0.98, 0.98, 0.98, 0.98, 0.978];
/** What naive credits leave of the least used link, by the paper's arithmetic: 83.3 % at two, 60 % at six. */
const PAPER_NAIVE = '-, 0.833, -, -, -, 0.60';
/** The authors' code at delays of 4 us. */
const CODE = [1.001, 0.98, 0.953, 0.939, 0.944, 0.948];
/** As far below the paper's value as its own authors' code is with one seed more or less (ours). */
const TOLERANCE = 0.02;
const CODE_NAIVE = [1.01, 0.792, 0.676, 0.622, 0.589, 0.567];
/** Of flow 0 at six bottlenecks, Gbit/s: it is given as 0.6 to 0.8. */
const CODE_FLOW_0_SIX = 0.8;
/** Shares of the two flows of each link. */
const MAX_MIN_GBPS = dataBps(10e9) / 2e9;

/** A chain of links of 10 Gbit/s and 4 us as in the authors' scripts: flow 0 crosses all of them, each has a flow of its own. */
export function parkingLotDocument(rule: Rule, bottlenecks: number, settings: FigureDocument = {}): FigureDocument {
  return {
    ...ruleFields(rule),
    duration: '60ms',
    warmUp: '20ms',
    topology: { name: 'parking-lot', bottlenecks, rate: '10gbit', delay: '4us', ...settings },
    flows: ['pairs'],
  };
}

export const parkingLot = figure<Case>('parking-lot', 'Parking lot of one to six bottlenecks', {
  source: 'ExpressPass 2017, Figure 10',
  about: (profile) =>
    `A chain of links of 10 Gbit/s and 4 us. Flow 0 crosses all of them; each link has a second flow of its own, so a max-min share is half of a link for everyone. Lowest utilisation over the links, of their data share, and the rate of flow 0 on the wire; lists are for one to six bottlenecks. 60 ms, measured from 20 to 60 ms, means over ${SEEDS[profile]} seeds; initial rate and w_init 0.5.`,
  cases: () => cross({ rule: DRAWN, bottlenecks: BOTTLENECKS }),
  document: ({ rule, bottlenecks }) => parkingLotDocument(rule, bottlenecks),
  seeds: SEEDS,
  rows: (results) =>
    DRAWN.flatMap((rule) => {
      const utilisation = results.list(UTILISATION, { rule });
      const rows: Row[] = [
        row(`${rule}: utilisation of the least used link`, utilisation, 3, utilisationLimit(rule, utilisation)),
        row(`${rule}: flow 0 (Gbit/s)`, results.list(FLOW_0, { rule }), 2, flow0Limit(rule, results)),
      ];
      return rule === 'naive' ? rows.slice(0, 1) : rows;
    }),
  charts: (results) => ({
    utilisation: lines({ x: 'bottlenecks', y: { name: 'utilisation of the data share', min: 0.4, max: 1.05 }, title: 'Least used link' }, [
      ...DRAWN.map((rule) => results.line(rule, 'bottlenecks', UTILISATION, { rule })),
      { name: 'paper', x: BOTTLENECKS, y: PAPER },
      { name: "authors' code", x: BOTTLENECKS, y: CODE },
    ]),
    'flow-0': lines(
      { x: 'bottlenecks', y: 'wire rate (Gbit/s)', title: 'The flow that crosses all of them', references: [{ label: 'max-min', y: MAX_MIN_GBPS }] },
      DRAWN.map((rule) => results.line(rule, 'bottlenecks', FLOW_0, { rule })),
    ),
  }),
  table: ['rule', 'bottlenecks', { lowest_utilisation: UTILISATION }, FLOW_0],
});

const BESIDE = 'Nothing is claimed of this rule; it stands beside ours.';
const WHY_NAIVE =
  'Which credit finds the queue full is less random here than in either: with credits of exactly 84 B the least used of two links has 0.98, with 84 to 92 B 0.76 on average over six seeds whatever their jitter, and 0.80 once the NICs let jitter of half a gap through. The authors draw 76 to 92 B, twice the spread; a frame of ours cannot be below 84 B.';

function utilisationLimit(rule: Rule, found: readonly number[]): Partial<Row> {
  const [, two, , , , six] = found;
  switch (rule) {
    case 'steady':
      return { met: two >= 0.98 && six >= 0.97, held: 'Held to 0.98 at two and 0.97 at six' };
    case 'naive':
      return {
        paper: PAPER_NAIVE,
        code: CODE_NAIVE,
        beside: [
          [two, six],
          [0.833, 0.6],
        ],
        met: two >= 0.79 && two <= 0.84 && six >= 0.56 && six <= 0.61,
        held: "Held to between the authors' code and the paper's arithmetic: 0.79 to 0.84 at two, 0.56 to 0.61 at six",
        why: WHY_NAIVE,
      };
    case 'expresspass-ns2':
      return { paper: PAPER, code: CODE, met: isNear(found, CODE, 0.03), held: "Held to within 0.03 of the authors' code" };
    default:
      return { paper: PAPER, least: PAPER.map((part) => part - TOLERANCE), held: `Held to the paper's less ${TOLERANCE} of the link` };
  }
}

function flow0Limit(rule: Rule, results: Results<Case>): Partial<Row> {
  if (rule !== 'steady') return { note: BESIDE };
  return {
    code: '0.6 to 0.8 at six',
    met: results.of(FLOW_0, { rule, bottlenecks: 6 }) >= 2 * CODE_FLOW_0_SIX,
    held: `Held to twice what the authors' code gives at six; a max-min share is ${fixed(MAX_MIN_GBPS, 2)}`,
  };
}
