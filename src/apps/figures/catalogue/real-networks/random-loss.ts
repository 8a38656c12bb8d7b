// Tested by test/apps/figures/catalogue/real-networks/random-loss.test.ts

import { assert } from '../../../../base/assert.js';
import { jainIndex } from '../../../../sim/measure/jain.js';
import type { SimulationRun } from '../../../../sim/result.js';
import { lines } from '../../blocks/charts.js';
import { payloadBps } from '../../blocks/payload.js';
import { UTILISATION } from '../../blocks/quantities.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { chartsOf, cross, figureOfParts, fixed, part, quantity, type Results, type Row, row, valueList } from '../../plan.js';
import { mean, median, sum } from '../../statistics.js';
import { BESIDE, LAWS, type Law, OTHERS, OURS } from './laws.js';

/** Link speeds of the dumbbell. Ours: a warm-up of 100 RTTs (50 at 100 Gbit/s), then 20,000 to 33,000 full frames, 300 or more for each of 64 flows. */
const SPEEDS = {
  '100mbit': { edgeUs: 1_000, coreUs: 500, warmUpMs: 500, measuredMs: 2_500 },
  '1gbit': { edgeUs: 200, coreUs: 100, warmUpMs: 100, measuredMs: 300 },
  '10gbit': { edgeUs: 10, coreUs: 30, warmUpMs: 10, measuredMs: 40 },
  '100gbit': { edgeUs: 10, coreUs: 30, warmUpMs: 5, measuredMs: 4 },
} as const;
type Rate = keyof typeof SPEEDS;
export const RATES = Object.keys(SPEEDS) as Rate[];

const LOSSES = [0.001, 0.01, 0.03, 0.1];
const KINDS = ['uniform', 'bursts'] as const;
export type Kind = (typeof KINDS)[number];
/** Round trips before a request is repeated. */
const OPENING_RTTS = 4;
/** Frames of a burst, on average. */
const BURST_FRAMES = 8;

/** RTT of an empty path, ns. */
export function rttNs(rate: Rate): number {
  return 2_000 * (2 * SPEEDS[rate].edgeUs + SPEEDS[rate].coreUs);
}

/** Settings of a link that loses the part `loss` of all frames. A Gilbert link is bad for the part enter / (enter + leave) of the frames. */
export function lossSettings(kind: Kind, loss: number): FigureDocument {
  if (loss === 0) return {};
  if (kind === 'uniform') return { loss };
  const leave = 1 / BURST_FRAMES;
  return { burstEnter: Number(((loss * leave) / (1 - loss)).toPrecision(6)), burstLeave: leave };
}

type LossyPath = { readonly law: Law; readonly rate: Rate; readonly pairs: number; readonly kind: Kind; readonly loss: number };

/** Endless flows that start together over a core link that loses frames of every type in both directions. */
export function lossyDumbbell({ law, rate, pairs, kind, loss }: LossyPath): FigureDocument {
  const { edgeUs, coreUs, warmUpMs, measuredMs } = SPEEDS[rate];
  return {
    algorithm: law,
    duration: `${warmUpMs + measuredMs}ms`,
    warmUp: `${warmUpMs}ms`,
    topology: {
      name: 'dumbbell',
      pairs,
      rate,
      ecnRtt: `${rttNs(rate)}ns`,
      edge: { delay: `${edgeUs}us` },
      core: { delay: `${coreUs}us`, ...lossSettings(kind, loss) },
    },
    // A lost request waits for this time, 20 ms by default, and the flow with it: half of some of these runs.
    hosts: [{ endpoint: { initialRetransmit: `${OPENING_RTTS * rttNs(rate)}ns` } }],
    bottlenecks: ['left->right'],
    flows: ['pairs'],
  };
}

const RTT_NS = rttNs('10gbit');
/** The part that is lost from CHANGES_RTTS[0] to CHANGES_RTTS[1]. */
const LOSS = 0.03;
const CHANGES_RTTS = [100, 200] as const;
const [FROM, TO] = CHANGES_RTTS;
const END_RTTS = 300;
/** Rates are means over this many RTTs. */
const WINDOW_RTTS = 5;
const LEAST_PART = 0.95;
const MOST_RTTS = 20;

const CHANGE_TEXT = `On a path that loses 3 % for ${TO - FROM} RTTs, a change is followed when means over ${WINDOW_RTTS} RTTs stay at ${LEAST_PART} of what loss leaves or above.`;

const changePart = part<{ law: Law }>({
  cases: () => cross({ law: LAWS }),
  key: ({ law }) => `change-${law}`,
  document: ({ law }) => ({
    ...lossyDumbbell({ law, rate: '10gbit', pairs: 1, kind: 'uniform', loss: 0 }),
    duration: `${END_RTTS * RTT_NS}ns`,
    faults: [{ at: `${FROM * RTT_NS}ns`, link: 'left-right', ...lossSettings('uniform', LOSS), for: `${(TO - FROM) * RTT_NS}ns` }],
    probes: { interval: `${RTT_NS}ns`, links: ['left->right'] },
  }),
  rows: (results) =>
    LAWS.map((law) =>
      row(
        `${law}: RTTs until a change of loss from 0 to 3 % is followed, and back`,
        rttsToFollow(results.runsOf({ law })[0]),
        0,
        law === OURS ? { most: MOST_RTTS, held: `Held to ${MOST_RTTS} RTTs` } : { note: BESIDE },
      ),
    ),
  charts: (results) => ({
    change: lines(
      { x: 'RTTs', y: { name: 'part of what loss leaves', max: 1.1 }, title: `3 % of all frames lost from RTT ${FROM} to ${TO}` },
      LAWS.map((law) => {
        const parts = partsByRtt(results.runsOf({ law })[0]);
        const y = parts.map((_, at) => mean(parts.slice(Math.max(0, at - WINDOW_RTTS + 1), at + 1)));
        return { name: law, x: y.map((_, at) => at + 1), y };
      }),
    ),
  }),
});

/** Use of the core link in each RTT, as a part of what loss leaves of its data share. */
function partsByRtt({ series }: SimulationRun): number[] {
  assert(series !== null, 'the core link is sampled');
  return [...series.links[0].utilisation].map((share, at) => (at >= FROM && at < TO ? share / (1 - LOSS) : share));
}

/** RTTs from each change until the rate stays at LEAST_PART or above up to the next; as many as there are where it does not. */
export function rttsToFollow(run: SimulationRun): number[] {
  const parts = partsByRtt(run);
  return CHANGES_RTTS.map((change, at) => {
    const until = CHANGES_RTTS[at + 1] ?? parts.length;
    let last = until - WINDOW_RTTS;
    while (last >= change && mean(parts.slice(last, last + WINDOW_RTTS)) >= LEAST_PART) last--;
    return last + 1 - change;
  });
}

type Joining = { readonly law: Law; readonly rate: '10gbit' | '100gbit'; readonly loss: number };

/** When the second flow starts, and how long it is watched. */
const JOIN_RTTS = 30;
const WATCHED_RTTS = 40;
/** Frames that are lost at random change the count of one RTT by more than WITHIN, that of three by less. */
const SMOOTHED_RTTS = 3;
const WITHIN = 0.2;
/** How much later than without loss a flow may be fair. */
const MOST_LATER_RTTS = 1;
/** Ours at both rates, for all losses; the others for a few. */
const CASES: readonly Joining[] = LAWS.flatMap((law) =>
  law === OURS
    ? cross({ law: [law], rate: ['10gbit', '100gbit'] as const, loss: [0, ...LOSSES] })
    : cross({ law: [law], rate: ['10gbit'] as const, loss: [0, 0.01, 0.1] }),
);
/** The directions in which frames arrive that the core did not lose, of the running and of the joining flow. */
const ARRIVALS = ['right->h3', 'right->h4'] as const;
const RTTS = quantity<Joining>('median_rtts', 1, (run, { loss }) => rttsUntilFair(run, loss), median);

/** For the page's text. */
const JOINING_TEXT = `A second flow joins after ${JOIN_RTTS} RTTs: medians over seeds of the RTTs until what arrives of each, over ${SMOOTHED_RTTS} RTTs, is within ${WITHIN * 100} % of half of what loss leaves of credits and data, for the first time; ${WATCHED_RTTS} where it never is.`;

const joiningPart = part<Joining>({
  cases: () => CASES,
  key: ({ law, rate, loss }) => `join-${law}-${rate}-${loss * 100}`,
  document: joiningDocument,
  seeds: ({ law, rate }, profile: Profile) => {
    if (profile === 'paper') return 20;
    return law === OURS ? { '10gbit': 9, '100gbit': 7 }[rate] : 3;
  },
  rows: (results) => CASES.filter(({ loss }) => loss === 0).map(({ law, rate }) => rowOf(results, law, rate)),
  tables: (results) => [results.table('joining', ['law', 'rate', 'loss', RTTS, { rtts_by_seed: (each) => results.bySeed(RTTS, each).join(' ') }])],
});

function joiningDocument({ law, rate, loss }: Joining): FigureDocument {
  const rtt = rttNs(rate);
  const joinNs = JOIN_RTTS * rtt;
  return {
    ...lossyDumbbell({ law, rate, pairs: 2, kind: 'uniform', loss }),
    duration: `${joinNs + WATCHED_RTTS * rtt}ns`,
    warmUp: `${joinNs}ns`,
    flows: [
      { kind: 'flow', group: 'running', from: 1, to: 3 },
      { kind: 'flow', group: 'joining', from: 2, to: 4, start: `${joinNs}ns` },
    ],
    probes: { interval: `${rtt}ns`, maxFlows: 2, links: ARRIVALS },
  };
}

/**
 * RTTs from the start of the second flow until both are at their shares: what arrives over SMOOTHED_RTTS is within WITHIN of half of what loss leaves;
 * WATCHED_RTTS where it never is. Frames are counted behind the lossy link: bytes in order would wait for repairs.
 */
export function rttsUntilFair({ series }: SimulationRun, loss: number): number {
  assert(series !== null && series.links.length === ARRIVALS.length, 'both arrivals are sampled');
  const fair = (1 - loss) ** 2 / ARRIVALS.length;
  const arrivals = series.links.map(({ utilisation }) => [...utilisation].slice(JOIN_RTTS, JOIN_RTTS + WATCHED_RTTS));
  const isFair = (rates: readonly number[], at: number): boolean => Math.abs(mean(rates.slice(at, at + SMOOTHED_RTTS)) / fair - 1) <= WITHIN;
  for (let at = 0; at + SMOOTHED_RTTS <= WATCHED_RTTS; at++) {
    if (arrivals.every((rates) => isFair(rates, at))) return at;
  }
  return WATCHED_RTTS;
}

function rowOf(results: Results<Joining>, law: Law, rate: Joining['rate']): Row {
  const medians = results.list(RTTS, { law, rate });
  const losses = results.where({ law, rate }).map(({ loss }) => fixed(loss * 100, loss < 0.01 ? 1 : 0));
  const text = row(`${law}, ${rate}: RTTs until a flow that joins has its share, ${losses.join(', ')} % loss`, medians, 1);
  if (law !== OURS) return { ...text, note: BESIDE };
  const met = medians.every((rtts) => rtts <= medians[0] + MOST_LATER_RTTS && rtts < WATCHED_RTTS);
  return { ...text, met, held: `Held to ${MOST_LATER_RTTS} RTT more than without loss` };
}

const FLOWS = [1, 2, 16, 64];
const MOST_JAIN_LOST = 0.02;
const SEEDS: Readonly<Record<Profile, number>> = { quick: 1, paper: 5 };

/** Ours everywhere; the others at 10 Gbit/s, and alone at other speeds. Without loss there is one kind. */
const PATHS: readonly LossyPath[] = [
  ...cross({ law: [OURS], rate: RATES, pairs: FLOWS, kind: KINDS, loss: [0, ...LOSSES] }),
  ...OTHERS.flatMap((law) => [
    ...cross({ law: [law], rate: ['10gbit'] as const, pairs: [1, 16], kind: KINDS, loss: [0, ...LOSSES] }),
    ...cross({ law: [law], rate: RATES.filter((rate) => rate !== '10gbit'), pairs: [1], kind: ['uniform'] as const, loss: [0.01, 0.1] }),
  ]),
].filter(({ loss, kind }) => loss > 0 || kind === 'uniform');

/** What is sent over the core link as a part of what the loss of credits leaves. */
const PART_OF_LEFT = quantity<LossyPath>('part_of_left', 4, ({ result }, { law, loss }) => result.utilisation / (law === 'dctcp' ? 1 : 1 - loss));
/** Payload in order, as a part of what the data share of the link carries without loss. */
const GOODPUT_PART = quantity(
  'goodput_part',
  4,
  ({ result: { flows, links } }) => sum(flows.map(({ goodputBps }) => goodputBps)) / payloadBps(links[0].rateBps ?? Number.NaN),
);
const JAIN = quantity('jain', 4, jainOfArrivals);

export const randomLoss = figureOfParts(
  {
    name: 'real-networks-random-loss',
    title: 'Random loss',
    source: 'ours',
    about: (profile) =>
      `Endless flows over a dumbbell whose core link loses frames of every type at random in both directions, one by one or in bursts of 8 on average (Gilbert): RTT 5 ms at 100 Mbit/s, 1 ms at 1 Gbit/s, 100 us at 10 and 100 Gbit/s; ${SEEDS[profile]} seed(s). Of a data share, loss p of the credits leaves the part 1 - p to be sent; values are what is sent as a part of that. Lists are for ${LOSSES.map((loss) => loss * 100).join(', ')} % of loss. Jain's index is of what arrives over the whole measured time, in order or not, 300 frames of each flow or more.

${JOINING_TEXT}

${CHANGE_TEXT}

DCTCP has no credits that could be lost, so that loss leaves it all; its data fills the share of credits too. Marks are at C * RTT / 7.`,
  },
  [
    part<LossyPath>({
      cases: () => PATHS,
      key: ({ law, rate, pairs, kind, loss }) => `${law}-${rate}-${pairs}-${kind}-${loss * 100}`,
      document: lossyDumbbell,
      seeds: SEEDS,
      rows: (results) => [
        ...cross({ rate: RATES, kind: KINDS }).flatMap((each) => ourRows(results, each)),
        ...cross({ law: OTHERS, kind: KINDS }).map((each) => otherRow(results, each)),
        ...OTHERS.map((law) => aloneRow(results, law)),
      ],
      charts: (results) =>
        chartsOf(KINDS, (kind) =>
          lines(
            {
              x: { name: 'loss', scale: 'log10' },
              y: { name: 'part of what loss leaves', max: 1.1 },
              title: `1 flow, 10gbit, ${kind}`,
              references: [{ label: `goal ${LEAST_PART}`, y: LEAST_PART }],
            },
            LAWS.map((law) => ({ name: law, x: LOSSES, y: LOSSES.map((loss) => results.of(PART_OF_LEFT, { law, rate: '10gbit', pairs: 1, kind, loss })) })),
          ),
        ),
      table: ['law', 'rate', { flows: 'pairs' }, 'kind', 'loss', UTILISATION, PART_OF_LEFT, GOODPUT_PART, JAIN],
    }),
    joiningPart,
    changePart,
  ],
);

/** Of the data that comes to the receivers: bytes in order wait for repairs, longer than the runs at 100 Gbit/s last. */
export function jainOfArrivals({ result }: SimulationRun): number {
  const arrivals = result.links.filter(({ name }) => name.startsWith('right->h'));
  return jainIndex(arrivals.map(({ utilisation }) => utilisation));
}

function ourRows(results: Results<LossyPath>, each: Pick<LossyPath, 'rate' | 'kind'>): Row[] {
  const ours = { law: OURS, ...each };
  const what = `${OURS}, ${each.rate}, ${each.kind}`;
  const jainLost = (pairs: number, loss: number): number =>
    results.of(JAIN, { ...ours, pairs, kind: 'uniform', loss: 0 }) - results.of(JAIN, { ...ours, pairs, loss });
  return [
    row(
      `${what}: part of what loss leaves, least of ${FLOWS.join(', ')} flows`,
      LOSSES.map((loss) => Math.min(...results.list(PART_OF_LEFT, { ...ours, loss }))),
      3,
      { least: LEAST_PART },
    ),
    row(
      `${what}: Jain's index below that without loss, at most`,
      LOSSES.map((loss) => Math.max(...FLOWS.map((pairs) => jainLost(pairs, loss)))),
      3,
      { most: MOST_JAIN_LOST },
    ),
  ];
}

function otherRow(results: Results<LossyPath>, { law, kind }: Pick<LossyPath, 'law' | 'kind'>): Row {
  const list = (pairs: number): string =>
    valueList(
      LOSSES.map((loss) => results.of(PART_OF_LEFT, { law, rate: '10gbit', pairs, kind, loss })),
      3,
    );
  const quantity = `${law}, 10gbit, ${kind}: part of what loss leaves, 1 flow; 16 flows`;
  return row(quantity, `${list(1)}; ${list(16)}`, 0, { note: BESIDE });
}

function aloneRow(results: Results<LossyPath>, law: LossyPath['law']): Row {
  const alone = { law, pairs: 1, kind: 'uniform' } as const;
  const parts = RATES.map((rate) =>
    valueList(
      [0.01, 0.1].map((loss) => results.of(PART_OF_LEFT, { ...alone, rate, loss })),
      3,
    ),
  );
  return row(`${law}, 1 flow, 1 and 10 % uniform at ${RATES.join('; ')}`, parts.join('; '), 0, { note: BESIDE });
}
