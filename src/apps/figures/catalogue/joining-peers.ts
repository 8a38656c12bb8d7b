// Tested by test/apps/figures/catalogue/joining-peers.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import { lines } from '../blocks/charts.js';
import { dumbbell, withLinks } from '../blocks/dumbbell.js';
import { joiningDocument, RTT_NS, rttsUntilWithin } from '../blocks/joining.js';
import { wireBps } from '../blocks/payload.js';
import { isPeer, PEERS_WITH_CUBIC, type Peer, type System } from '../blocks/peers.js';
import type { FigureDocument } from '../figure.js';
import { chartsOf, cross, figure, quantity, type Results, type Row, row } from '../plan.js';
import { median } from '../statistics.js';

type Rate = '10gbit' | '100gbit';
type Case = { readonly rule: System; readonly rate: Rate };

/** K and g at 100 Gbit/s (2016, section 3.1), and how long the flow that joins is followed. */
const RATES = {
  '10gbit': { bps: 10e9, followedMs: 60, ports: {}, parameters: {} },
  '100gbit': { bps: 100e9, followedMs: 300, ports: { ecnThreshold: '650frames', dataQueue: '2500frames' }, parameters: { parameters: { g: 0.01976 } } },
} as const;
const RATE_NAMES = ['10gbit', '100gbit'] as const;
const JOIN_MS = 20;
/** Rates of DCTCP are averaged over 10 RTTs (2016, footnote 2). */
const WINDOW_MS = 1;
const WINDOW_RTTS = (WINDOW_MS * 1e6) / RTT_NS;
const WITHIN = 0.1;
/** "More than 80 times longer" at 10 Gbit/s; at 100 Gbit/s its time grows as the rate does. */
const PAPER_TIMES = 80;
const PAPER_GROWTH = 10;
const CREDITS = 'expresspass-2016';

const RTTS = quantity<Case>(
  'rtts_within_10_percent',
  1,
  (run, { rule, rate }) => (isPeer(rule) ? rttsOfPeer(run, rate) : rttsUntilWithin(run, WITHIN)),
  median,
);

export const joiningPeers = figure<Case>('joining-peers', 'Convergence beside reactive systems', {
  source: 'ExpressPass 2016, Figure 7',
  about: () =>
    `As under convergence: one flow has the link to itself and a second one joins; RTTs until both are within ${100 * WITHIN} % of half of the link, medians over seeds. Rates of reactive systems are averaged over ${WINDOW_RTTS} RTTs, as in the paper, and theirs join after ${JOIN_MS} ms. DCTCP has K = 65 frames and g = 0.0625 at 10 Gbit/s, 650 and 0.01976 at 100 Gbit/s. What has not converged within ${RATES['10gbit'].followedMs} ms (100 Gbit/s: ${RATES['100gbit'].followedMs} ms) counts as that. Drawn are the parts of the flow that joins.`,
  cases: () => [
    ...cross({ rule: [CREDITS, 'dctcp'] as const, rate: RATE_NAMES }),
    ...cross({ rule: PEERS_WITH_CUBIC.filter((peer) => peer !== 'dctcp'), rate: ['10gbit'] as const }),
  ],
  document: ({ rule, rate }) => (isPeer(rule) ? peerDocument(rule, rate) : joiningDocument({ rule, rate })),
  seeds: ({ rule, rate }, profile) => (isPeer(rule) ? (profile === 'quick' ? (rate === '10gbit' ? 4 : 1) : 8) : profile === 'quick' ? 8 : 20),
  rows: (results) => [
    timesRow(results),
    growthRow(results),
    ...results.cases.map((each) =>
      row(`${each.rule}, ${each.rate}: RTTs to within 10 %`, results.of(RTTS, each), 1, {
        note: 'The paper has it as a drawing; what it says of it stands above.',
      }),
    ),
  ],
  charts: (results) =>
    chartsOf(RATE_NAMES, (rate) =>
      lines(
        { x: 'ms since the second flow started', y: { name: 'part of half of the link', min: 0, max: 2 }, references: [{ label: 'fair', y: 1 }], title: rate },
        results
          .where({ rate })
          .filter(({ rule }) => isPeer(rule))
          .map((each) => {
            const y = sharesOf(results.runsOf(each)[0], rate).map(([, joining]) => joining);
            return { name: each.rule, x: y.map((_, at) => at * WINDOW_MS), y };
          }),
      ),
    ),
  table: ['rule', 'rate', RTTS],
});

function peerDocument(rule: Peer, rate: Rate): FigureDocument {
  const { followedMs, ports, parameters } = RATES[rate];
  return {
    ...withLinks(dumbbell({ rule, pairs: 2, rate }), ports),
    ...parameters,
    duration: `${JOIN_MS + followedMs}ms`,
    warmUp: `${JOIN_MS}ms`,
    flows: [
      { kind: 'flow', group: 'running', from: 1, to: 3 },
      { kind: 'flow', group: 'joining', from: 2, to: 4, start: `${JOIN_MS}ms` },
    ],
    probes: { interval: `${WINDOW_MS}ms`, maxFlows: 2 },
  };
}

/** Of both flows, in each window since the second one started, as parts of half of the link. */
function sharesOf({ series }: SimulationRun, rate: Rate): (readonly [number, number])[] {
  const [running, joining] = (series?.flows ?? []).map(({ goodputBps }) =>
    [...goodputBps].slice(JOIN_MS / WINDOW_MS).map((bps) => wireBps(bps) / (RATES[rate].bps / 2)),
  );
  return running.map((share, at) => [share, joining[at]] as const);
}

function rttsOfPeer(run: SimulationRun, rate: Rate): number {
  const shares = sharesOf(run, rate);
  const at = shares.findIndex((both) => both.every((share) => Math.abs(share - 1) <= WITHIN));
  return (at < 0 ? shares.length : at) * WINDOW_RTTS;
}

function timesRow(results: Results<Case>): Row {
  const times = results.ratio(RTTS, { rule: 'dctcp', rate: '10gbit' }, { rule: CREDITS, rate: '10gbit' });
  return row(`dctcp over ${CREDITS}, 10 Gbit/s: RTTs to within 10 %`, times, 0, {
    paper: `more than ${PAPER_TIMES}`,
    beside: [[times], [Math.max(times, PAPER_TIMES)]],
    better: 'more',
    why: WHY,
  });
}

function growthRow(results: Results<Case>): Row {
  const growth = results.ratio(RTTS, { rule: 'dctcp', rate: '100gbit' }, { rule: 'dctcp', rate: '10gbit' });
  return row('dctcp, 100 Gbit/s over 10 Gbit/s: RTTs to within 10 %', growth, 1, {
    paper: `${PAPER_GROWTH} (linear in the rate)`,
    beside: [[growth], [PAPER_GROWTH]],
    why: WHY,
  });
}

const WHY =
  "DCTCP's time depends on which flow the first marks meet, and the paper shows one run. The ns-2 code of the same group needs 11 ms, 110 RTTs, at 10 Gbit/s.";
