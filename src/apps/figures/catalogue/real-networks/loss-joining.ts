// Tested by test/apps/figures/catalogue/real-networks/random-loss.test.ts
import { assert } from '../../../../base/assert.js';
import type { SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { claim, fixed, noClaim, seeds, valueList } from '../../blocks/rows.js';
import { mean, spread } from '../../blocks/statistics.js';
import type { FigureDocument, FigureJob, FigureTable, Profile, Runs } from '../../figure.js';
import { BESIDE, LAWS, type Law, OURS } from './laws.js';
import { HUNDRED_GBIT, LOSSES, lossyDumbbell, rttNs, type Speed, TEN_GBIT } from './lossy-path.js';

const RATES = [TEN_GBIT, HUNDRED_GBIT] as const;
/** When the second flow starts, and how long it is watched. */
const JOIN_RTTS = 30;
const WATCHED_RTTS = 40;
/** Frames that are lost at random change the count of one RTT by more than WITHIN, that of three by less. */
const SMOOTHED_RTTS = 3;
const WITHIN = 0.2;
/** How much later than without loss a flow may be fair. */
const MOST_LATER_RTTS = 1;
const JOIN_LOSSES = [0, ...LOSSES];
/** For the laws that stand beside ours. */
const FEW_LOSSES = [0, 0.01, 0.1];

export function joiningJobs(profile: Profile): FigureJob[] {
  return LAWS.flatMap((law) =>
    speedsOf(law).flatMap((speed) =>
      lossesOf(law).map((loss) => ({
        key: key(law, speed, loss),
        document: joining(law, speed, loss),
        seeds: seeds(seedCount(law, speed, profile)),
      })),
    ),
  );
}

function speedsOf(law: Law): readonly Speed[] {
  return law === OURS ? RATES : [TEN_GBIT];
}

function lossesOf(law: Law): readonly number[] {
  return law === OURS ? JOIN_LOSSES : FEW_LOSSES;
}

function seedCount(law: Law, { rate }: Speed, profile: Profile): number {
  if (profile === 'paper') return 20;
  if (law !== OURS) return 3;
  return rate === '10gbit' ? 9 : 7;
}

function key(law: Law, { rate }: Speed, loss: number): string {
  return `join-${law}-${rate}-${loss * 100}`;
}

/** The directions in which frames arrive that the core did not lose, of the running and of the joining flow. */
const ARRIVALS = ['right->h3', 'right->h4'] as const;

function joining(law: Law, speed: Speed, loss: number): FigureDocument {
  const joinNs = JOIN_RTTS * rttNs(speed);
  return {
    ...lossyDumbbell({ law, speed, pairs: 2, kind: 'uniform', loss }),
    duration: `${joinNs + WATCHED_RTTS * rttNs(speed)}ns`,
    warmUp: `${joinNs}ns`,
    flows: [
      { kind: 'flow', group: 'running', from: 1, to: 3 },
      { kind: 'flow', group: 'joining', from: 2, to: 4, start: `${joinNs}ns` },
    ],
    probes: { interval: `${rttNs(speed)}ns`, maxFlows: 2, links: ARRIVALS },
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
  const isFair = (rates: readonly number[], at: number): boolean =>
    Math.abs(mean(rates.slice(at, at + SMOOTHED_RTTS)) / fair - 1) <= WITHIN;
  for (let at = 0; at + SMOOTHED_RTTS <= WATCHED_RTTS; at++) {
    if (arrivals.every((rates) => isFair(rates, at))) return at;
  }
  return WATCHED_RTTS;
}

function rttsOf(runs: Runs, law: Law, speed: Speed, loss: number): number[] {
  return runs.of(key(law, speed, loss)).map((run) => rttsUntilFair(run, loss));
}

export function joiningRows(runs: Runs): FigureRow[] {
  return LAWS.flatMap((law) => speedsOf(law).map((speed) => rowOf(runs, law, speed)));
}

function rowOf(runs: Runs, law: Law, speed: Speed): FigureRow {
  const medians = lossesOf(law).map((loss) => spread(rttsOf(runs, law, speed, loss)).median);
  const losses = lossesOf(law)
    .map((loss) => fixed(loss * 100, loss < 0.01 ? 1 : 0))
    .join(', ');
  const text = {
    quantity: `${law}, ${speed.rate}: RTTs until a flow that joins has its share, ${losses} % loss`,
    ours: valueList(medians, 1),
  };
  if (law !== OURS) return noClaim(text, BESIDE);
  const isSoon = medians.every((rtts) => rtts <= medians[0] + MOST_LATER_RTTS && rtts < WATCHED_RTTS);
  return claim(text, isSoon, { held: `Held to ${MOST_LATER_RTTS} RTT more than without loss` });
}

export function joiningTable(runs: Runs): FigureTable {
  const rows = LAWS.flatMap((law) =>
    speedsOf(law).flatMap((speed) =>
      lossesOf(law).map((loss) => {
        const rtts = rttsOf(runs, law, speed, loss);
        return [law, speed.rate, loss, spread(rtts).median, rtts.join(' ')];
      }),
    ),
  );
  return { key: 'joining', titles: ['law', 'rate', 'loss', 'median_rtts', 'rtts_by_seed'], rows };
}

/** For the page's text. */
export const JOINING_TEXT = `A second flow joins after ${JOIN_RTTS} RTTs: medians over seeds of the RTTs until what arrives of each, over ${SMOOTHED_RTTS} RTTs, is within ${WITHIN * 100} % of half of what loss leaves of credits and data, for the first time; ${WATCHED_RTTS} where it never is.`;
