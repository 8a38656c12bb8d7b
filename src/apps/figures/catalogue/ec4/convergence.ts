// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { joiningDocument, rttsUntilWithin } from '../../blocks/joining.js';
import { MARK_FRAMES, mixDocument, shares } from '../../blocks/mix.js';
import { DCTCP, EC4, EC4_LITERAL } from '../../blocks/mixes.js';
import { claim, noClaim, seeds, valueList } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

const JOIN_MS = 20;
const END_MS = 50;
/** Milliseconds that are averaged, since the share of a sawtooth swings. */
const SMOOTHED_MS = 3;
/** A flow's share counts as fair within so much of a half, as for convergence of credits. */
const WITHIN = 0.2;
const MOST_MS = 10;
const W_MIDS = [0.01, 0.02, 0.04, 0.05, 0.06, 0.08, 0.1];
/** For which the paper shows convergence. */
const HELD_W_MIDS = [0.04, 0.05, 0.06];
const LAWS = { ec4: EC4, 'ec4-literal': EC4_LITERAL } as const;
type Law = keyof typeof LAWS;
const LAW_NAMES = Object.keys(LAWS) as Law[];
const ALONE = ['ec4', 'expresspass'] as const;
/** Their convergence may differ by so many RTTs. */
const ALONE_RTTS = 1;

export const ec4Convergence: Figure = {
  name: 'ec4-convergence',
  title: 'Convergence with DCTCP by w_mid, and alone',
  source: 'EC4, Figure 5',
  about: (profile) =>
    `A flow with credits joins one of DCTCP after ${JOIN_MS} ms; 10 Gbit/s, links of 5 us. Milliseconds until its share, over ${SMOOTHED_MS} ms, is within ${WITHIN * 100} % of a half for the first time; a dash: not in ${END_MS - JOIN_MS} ms. Mean over ${seedCount(profile)} seeds; the last share is that of the last 10 ms. Lists are for w_mid of ${W_MIDS.join(', ')}.

The last row is of credits alone: a second flow joins the first at an RTT of 100 us; RTTs until both are within ${WITHIN * 100} % of the fair share.`,
  jobs: (profile) => [
    ...LAW_NAMES.flatMap((law) =>
      W_MIDS.map((wMid) => ({
        key: key(law, wMid),
        document: joinsDctcp(law, wMid),
        seeds: seeds(seedCount(profile)),
      })),
    ),
    { key: 'dctcp', document: joins([{ ...DCTCP, start: `${JOIN_MS}ms` }, DCTCP]), seeds: seeds(seedCount(profile)) },
    ...ALONE.map((rule) => ({ key: `alone-${rule}`, document: alone(rule), seeds: seeds(seedCount(profile)) })),
  ],
  evaluate: (runs) => ({
    charts: [
      {
        key: '',
        chart: {
          kind: 'lines',
          x: { name: 'time since the join (ms)' },
          y: { name: 'part of the flow that joined', max: 1 },
          series: courses(runs),
        },
      },
    ],
    rows: [...LAW_NAMES.flatMap((law) => rowsOf(runs, law)), dctcpRow(runs), aloneRow(runs)],
    tables: [table(runs)],
  }),
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 10;
}

function key(law: Law, wMid: number): string {
  return `${law}-${wMid}`;
}

function joinsDctcp(law: Law, wMid: number): FigureDocument {
  return joins([{ ...LAWS[law], parameters: { w_mid: wMid }, start: `${JOIN_MS}ms` }, DCTCP]);
}

function joins(sides: Parameters<typeof mixDocument>[0]['sides']): FigureDocument {
  const document = mixDocument({ sides, pairs: 1, duration: `${END_MS}ms`, warmUp: `${END_MS - 10}ms` });
  return { ...document, jainWindows: ['10ms'], probes: { interval: '1ms', maxFlows: 2 } };
}

/** As convergence of ExpressPass is measured, with the marks of a mixed network. */
function alone(rule: (typeof ALONE)[number]): FigureDocument {
  const document = joiningDocument({ rule: 'expresspass', rate: '10gbit' });
  const topology = document.topology as FigureDocument;
  return { ...document, algorithm: rule, topology: { ...topology, ecnThreshold: `${MARK_FRAMES}frames` } };
}

/** Shares of the flow that joined, one for each millisecond since. */
function sharesSince(run: SimulationRun): number[] {
  const { timesNs, one } = shares(run);
  return one.filter((_, at) => timesNs[at] > JOIN_MS * 1e6);
}

/** Infinity where it was never fair. */
function msUntilFair(run: SimulationRun): number {
  const found = sharesSince(run);
  const isFair = (_: number, at: number): boolean => {
    const window = found.slice(at, at + SMOOTHED_MS);
    return window.length === SMOOTHED_MS && Math.abs(mean(window) / 0.5 - 1) <= WITHIN;
  };
  const at = found.findIndex(isFair);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function lastShare(run: SimulationRun): number {
  return mean(sharesSince(run).slice(-10));
}

function meanOf(runs: Runs, name: string, of: (run: SimulationRun) => number): number {
  return mean(runs.of(name).map(of));
}

function rowsOf(runs: Runs, law: Law): FigureRow[] {
  const times = W_MIDS.map((wMid) => meanOf(runs, key(law, wMid), msUntilFair));
  const last = W_MIDS.map((wMid) => meanOf(runs, key(law, wMid), lastShare));
  const time = { quantity: `${law}: until fair with DCTCP (ms)`, ours: valueList(times, 1) };
  const share = { quantity: `${law}: its part at the end`, paper: '0.5 from 0.04 to 0.06', ours: valueList(last, 3) };
  if (law !== 'ec4') return [noClaim(time, 'It stands beside EC4.'), noClaim(share, 'It stands beside EC4.')];
  const isHeld = (wMid: number): boolean => HELD_W_MIDS.includes(wMid);
  const isFast = W_MIDS.every((wMid, at) => !isHeld(wMid) || times[at] <= MOST_MS);
  const isFair = W_MIDS.every((wMid, at) => !isHeld(wMid) || Math.abs(last[at] / 0.5 - 1) <= WITHIN);
  return [
    claim({ ...time, paper: 'milliseconds from 0.04 to 0.06; never far from it' }, isFast, {
      held: `Held to ${MOST_MS} ms from 0.04 to 0.06; a step is at most a frame in an RTT here, so that larger values do no harm`,
    }),
    claim(share, isFair, { held: `Held to within ${WITHIN * 100} % of a half from 0.04 to 0.06` }),
  ];
}

function dctcpRow(runs: Runs): FigureRow {
  const text = {
    quantity: 'DCTCP joins DCTCP: until fair (ms)',
    paper: '5 ms more than EC4',
    authorsCode: '11',
    ours: valueList([meanOf(runs, 'dctcp', msUntilFair)], 1),
  };
  return noClaim(text, 'It stands beside EC4. The other code has it within 10 %, at an RTT of 100 us.');
}

function aloneRow(runs: Runs): FigureRow {
  const [ec4, expresspass] = ALONE.map((rule) => meanOf(runs, `alone-${rule}`, (run) => rttsUntilWithin(run, WITHIN)));
  const text = {
    quantity: 'ec4 and expresspass alone: until fair (RTTs)',
    paper: 'the same',
    ours: valueList([ec4, expresspass], 1),
  };
  return claim(text, Math.abs(ec4 - expresspass) <= ALONE_RTTS, { held: `Held to a difference of ${ALONE_RTTS} RTT` });
}

function courses(runs: Runs) {
  const names = [...[0.01, 0.05, 0.1].map((wMid) => key('ec4', wMid)), key('ec4-literal', 0.05), 'dctcp'];
  return names.map((name) => {
    const y = sharesSince(runs.of(name)[0]);
    return { name, x: y.map((_, at) => at + 1), y };
  });
}

function table(runs: Runs): FigureTable {
  const rows = LAW_NAMES.flatMap((law) =>
    W_MIDS.map((wMid) => {
      const ms = meanOf(runs, key(law, wMid), msUntilFair);
      const last = meanOf(runs, key(law, wMid), lastShare);
      return [law, wMid, Number.isFinite(ms) ? ms : null, Number(last.toFixed(4))];
    }),
  );
  return { key: '', titles: ['law', 'w_mid', 'ms_until_fair', 'last_share'], rows };
}
