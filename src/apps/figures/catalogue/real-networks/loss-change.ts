// Tested by test/apps/figures/catalogue/real-networks/random-loss.test.ts
import { assert } from '../../../../base/assert.js';
import type { SimulationRun } from '../../../../sim/result.js';
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { claim, noClaim, valueList } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { FigureDocument, FigureJob, Runs } from '../../figure.js';
import { BESIDE, LAWS, type Law, OURS } from './laws.js';
import { lossSettings, lossyDumbbell, rttNs, TEN_GBIT } from './lossy-path.js';

const RTT_NS = rttNs(TEN_GBIT);
/** The part that is lost from CHANGES_RTTS[0] to CHANGES_RTTS[1]. */
const LOSS = 0.03;
const CHANGES_RTTS = [100, 200] as const;
const END_RTTS = 300;
/** Rates are means over so many RTTs. */
const WINDOW_RTTS = 5;
const LEAST_PART = 0.95;
const MOST_RTTS = 20;

export function changeJobs(): FigureJob[] {
  return LAWS.map((law) => ({ key: key(law), document: changing(law), seeds: [1] }));
}

function key(law: Law): string {
  return `change-${law}`;
}

function changing(law: Law): FigureDocument {
  const [from, to] = CHANGES_RTTS;
  const lossy = { link: 'left-right', ...lossSettings('uniform', LOSS) };
  return {
    ...lossyDumbbell({ law, speed: TEN_GBIT, pairs: 1, kind: 'uniform', loss: 0 }),
    duration: `${END_RTTS * RTT_NS}ns`,
    faults: [{ at: `${from * RTT_NS}ns`, ...lossy, for: `${(to - from) * RTT_NS}ns` }],
    probes: { interval: `${RTT_NS}ns`, links: ['left->right'] },
  };
}

/** Use of the core link in each RTT, as a part of what loss leaves of its data share. */
function partsByRtt({ series }: SimulationRun): number[] {
  assert(series !== null, 'the core link is sampled');
  const [from, to] = CHANGES_RTTS;
  return [...series.links[0].utilisation].map((part, at) => (at >= from && at < to ? part / (1 - LOSS) : part));
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

export function changeRows(runs: Runs): FigureRow[] {
  return LAWS.map((law) => {
    const rtts = rttsToFollow(runs.one(key(law)));
    const text = {
      quantity: `${law}: RTTs until a change of loss from 0 to 3 % is followed, and back`,
      ours: valueList(rtts, 0),
    };
    if (law !== OURS) return noClaim(text, BESIDE);
    return claim(
      text,
      rtts.every((each) => each <= MOST_RTTS),
      { held: `Held to ${MOST_RTTS} RTTs` },
    );
  });
}

export function changeChart(runs: Runs): LineChart {
  const drawn = (law: Law): number[] => {
    const parts = partsByRtt(runs.one(key(law)));
    return parts.map((_, at) => mean(parts.slice(Math.max(0, at - WINDOW_RTTS + 1), at + 1)));
  };
  return {
    kind: 'lines',
    title: `3 % of all frames lost from RTT ${CHANGES_RTTS[0]} to ${CHANGES_RTTS[1]}`,
    x: { name: 'RTTs' },
    y: { name: 'part of what loss leaves', max: 1.1 },
    series: LAWS.map((law) => {
      const y = drawn(law);
      return { name: law, x: y.map((_, at) => at + 1), y };
    }),
  };
}

export const CHANGE_TEXT = `On a path that loses 3 % for ${CHANGES_RTTS[1] - CHANGES_RTTS[0]} RTTs, a change is followed when means over ${WINDOW_RTTS} RTTs stay at ${LEAST_PART} of what loss leaves or above.`;
