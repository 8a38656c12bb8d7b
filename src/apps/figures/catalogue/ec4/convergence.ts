// Tested by test/apps/figures/catalogue.test.ts

import type { SimulationRun } from '../../../../sim/result.js';
import { lines } from '../../blocks/charts.js';
import { withLinks } from '../../blocks/dumbbell.js';
import { joiningDocument, rttsUntilWithin } from '../../blocks/joining.js';
import { DCTCP, EC4, EC4_LITERAL, EXPRESSPASS, MARK_FRAMES, mixDocument, PAPER_MARK_FRAMES, type Side, shares } from '../../blocks/mix.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, quantity, type Results, type Row, row, tableOf } from '../../plan.js';
import { mean } from '../../statistics.js';

/** A law with this w_mid joins DCTCP, another rule does, or a rule joins itself. */
type Case = { readonly law: Law | Other | `alone-${Alone}`; readonly wMid?: number };

const JOIN_MS = 20;
const END_MS = 50;
/** Milliseconds that are averaged, since the share of a sawtooth swings. */
const SMOOTHED_MS = 3;
/** How near to a half a flow's share counts as fair, as for convergence of credits. */
const WITHIN = 0.2;
const MOST_MS = 10;
const W_MIDS = [0.01, 0.02, 0.04, 0.05, 0.06, 0.08, 0.1];
/** From 0.04 to 0.06, for which the paper shows convergence. */
const isHeld = (_: unknown, at: number): boolean => W_MIDS[at] >= 0.04 && W_MIDS[at] <= 0.06;
/** The listing with the paper's K, which carries the paper's values, then both with ours. */
const LAWS = {
  'ec4-literal-k100': { side: EC4_LITERAL, markFrames: PAPER_MARK_FRAMES },
  'ec4-literal': { side: EC4_LITERAL, markFrames: MARK_FRAMES },
  ec4: { side: EC4, markFrames: MARK_FRAMES },
} as const;
type Law = keyof typeof LAWS;
const LAW_NAMES = Object.keys(LAWS) as Law[];
const PAPERS: Law = 'ec4-literal-k100';
/** What else joins DCTCP, both with the paper's K. */
const OTHERS = { 'dctcp-k100': DCTCP, 'expresspass-k100': EXPRESSPASS } as const;
type Other = keyof typeof OTHERS;
const ALONE = ['ec4-literal', 'ec4', 'expresspass'] as const;
type Alone = (typeof ALONE)[number];
/** The most by which their convergence may differ. */
const ALONE_RTTS = 1;
const SEEDS: Readonly<Record<Profile, number>> = { quick: 2, paper: 10 };

const MS_UNTIL_FAIR = quantity('ms_until_fair', 4, msUntilFair);
const LAST_SHARE = quantity('last_share', 4, (run) => mean(sharesSince(run).slice(-10)));
const RTTS = quantity('rtts', 1, (run) => rttsUntilWithin(run, WITHIN));

export const ec4Convergence = figure<Case>('ec4-convergence', 'Convergence with DCTCP by w_mid, and alone', {
  source: 'EC4, Figure 5',
  about: (profile) =>
    `A flow with credits joins one of DCTCP after ${JOIN_MS} ms; 10 Gbit/s, links of 5 us; marking above ${PAPER_MARK_FRAMES} frames, as in the paper, in rows with k100, above ${MARK_FRAMES} in the others. Milliseconds until its share, over ${SMOOTHED_MS} ms, is within ${WITHIN * 100} % of a half for the first time; a dash: not in ${END_MS - JOIN_MS} ms. Mean over ${SEEDS[profile]} seeds; the last share is that of the last 10 ms. Lists are for w_mid of ${W_MIDS.join(', ')}.

The last row is of credits alone: a second flow joins the first at an RTT of 100 us; RTTs until both are within ${WITHIN * 100} % of the fair share.`,
  cases: () => [
    ...cross({ law: LAW_NAMES, wMid: W_MIDS }),
    ...(['dctcp-k100', 'expresspass-k100'] as const).map((law) => ({ law })),
    ...ALONE.map((rule) => ({ law: `alone-${rule}` as const })),
  ],
  document: documentOf,
  seeds: SEEDS,
  rows: (results) => [...LAW_NAMES.flatMap((law) => rowsOf(results, law)), ...otherRows(results), aloneRow(results)],
  charts: (results) => ({
    '': lines({ x: 'time since the join (ms)', y: { name: 'part of the flow that joined', max: 1 } }, [
      ...[0.01, 0.05, 0.1].map((wMid) => courseOf(results, { law: 'ec4', wMid })),
      courseOf(results, { law: PAPERS, wMid: 0.05 }),
      courseOf(results, { law: 'dctcp-k100' }),
    ]),
  }),
  tables: (results) => [
    tableOf('', cross({ law: LAW_NAMES, wMid: W_MIDS }), {
      law: ({ law }) => law,
      w_mid: ({ wMid }) => wMid,
      ms_until_fair: (each) => finite(results.of(MS_UNTIL_FAIR, each)),
      last_share: (each) => Number(results.of(LAST_SHARE, each).toFixed(4)),
    }),
  ],
});

function documentOf({ law, wMid = 0 }: Case): FigureDocument {
  const start = `${JOIN_MS}ms`;
  if (law in OTHERS) return joins({ ...OTHERS[law as Other], start }, PAPER_MARK_FRAMES);
  if (law in LAWS) {
    const { side, markFrames } = LAWS[law as Law];
    return joins({ ...side, parameters: { w_mid: wMid }, start }, markFrames);
  }
  // As convergence of ExpressPass is measured, with the marks of a mixed network.
  const document = joiningDocument({ rule: 'expresspass', rate: '10gbit' });
  return { ...withLinks(document, { ecnThreshold: `${MARK_FRAMES}frames` }), algorithm: law.slice('alone-'.length) };
}

function joins(side: Side, markFrames: number): FigureDocument {
  const times = { duration: `${END_MS}ms`, warmUp: `${END_MS - 10}ms` };
  const document = mixDocument({ sides: [side, DCTCP], markFrames, pairs: 1, ...times });
  return { ...document, jainWindows: ['10ms'], probes: { interval: '1ms', maxFlows: 2 } };
}

/** Shares of the flow that joined, one for each millisecond since. */
function sharesSince(run: SimulationRun): number[] {
  const { timesNs, one } = shares(run);
  return one.filter((_, at) => timesNs[at] > JOIN_MS * 1e6);
}

/** Infinity where it was never fair. */
function msUntilFair(run: SimulationRun): number {
  const found = sharesSince(run);
  const at = found.findIndex((_, first) => {
    const window = found.slice(first, first + SMOOTHED_MS);
    return window.length === SMOOTHED_MS && Math.abs(mean(window) / 0.5 - 1) <= WITHIN;
  });
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function rowsOf(results: Results<Case>, law: Law): Row[] {
  const [times, last] = [MS_UNTIL_FAIR, LAST_SHARE].map((quantity) => results.list(quantity, { law }));
  const time = row(`${law}: until fair with DCTCP (ms)`, times, 1);
  const share = row(`${law}: its part at the end`, last, 3);
  const held = {
    time: { met: times.filter(isHeld).every((ms) => ms <= MOST_MS), held: `Held to ${MOST_MS} ms from 0.04 to 0.06` },
    share: {
      met: last.filter(isHeld).every((part) => Math.abs(part / 0.5 - 1) <= WITHIN),
      held: `Held to within ${WITHIN * 100} % of a half from 0.04 to 0.06`,
    },
  };
  if (law === PAPERS)
    return [
      { ...time, ...held.time, paper: 'milliseconds from 0.04 to 0.06; never for much less or more', why: WHY },
      { ...share, ...held.share, paper: '0.5 from 0.04 to 0.06', why: WHY },
    ];
  if (law === 'ec4')
    return [
      { ...time, ...held.time },
      { ...share, ...held.share },
    ];
  const note = "It stands beside the listing with the paper's K.";
  return [
    { ...time, note },
    { ...share, note },
  ];
}

const WHY =
  'The listing takes two to four times what DCTCP does, whatever w_mid is (decision 0015): below 0.04 it still grows by alpha / 2 in each quiet period.';

function otherRows(results: Results<Case>): Row[] {
  const [dctcp, expresspass] = (['dctcp-k100', 'expresspass-k100'] as const).map((law) => results.of(MS_UNTIL_FAIR, { law }));
  const gainMs = dctcp - results.of(MS_UNTIL_FAIR, { law: PAPERS, wMid: 0.06 });
  return [
    row('dctcp-k100 joins DCTCP: until fair (ms)', dctcp, 1, {
      code: '11',
      note: 'It stands beside the listing. The other code has it within 10 %, at an RTT of 100 us with K of 65 frames.',
    }),
    row(`${PAPERS} with w_mid 0.06: how much sooner than DCTCP (ms)`, gainMs, 1, { paper: 5, better: 'more', why: WHY }),
    row('expresspass-k100 joins DCTCP: until fair (ms)', expresspass, 1, { paper: 'never', met: !Number.isFinite(expresspass), held: 'Held to never' }),
  ];
}

function aloneRow(results: Results<Case>): Row {
  const rtts = ALONE.map((rule) => results.of(RTTS, { law: `alone-${rule}` }));
  return row(`${ALONE.join(', ')}, each alone: until fair (RTTs)`, rtts, 1, {
    paper: 'the same',
    met: Math.max(...rtts) - Math.min(...rtts) <= ALONE_RTTS,
    held: `Held to a difference of ${ALONE_RTTS} RTT`,
  });
}

function courseOf(results: Results<Case>, each: Case) {
  const y = sharesSince(results.runsOf(each)[0]);
  return { name: Object.values(each).join('-'), x: y.map((_, at) => at + 1), y };
}
