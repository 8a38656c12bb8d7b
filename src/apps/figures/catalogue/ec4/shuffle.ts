// Tested by test/apps/figures/catalogue.test.ts

import type { FctResult, SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { completionCdf } from '../../blocks/completion-cdf.js';
import { dataDrops } from '../../blocks/link.js';
import { claim, fixed, noClaim, rounded } from '../../blocks/rows.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

const MESSAGE = '5.12MB';
const PAPER_HOSTS = 40;
const QUICK_HOSTS = 12;
/** As in the paper for shallow switches, and its K. */
const QUEUE = { dataQueue: '250frames', ecnThreshold: '100frames' };
/** Seconds in the paper. */
const PAPER = {
  'ec4-dctcp': { median: 1.18, p99: 2.25, max: 2.35 },
  'expresspass-dctcp': { median: 0.9, p99: 8.7, max: 20.3 },
} as const;
type Mix = keyof typeof PAPER;
const MIXES = Object.keys(PAPER) as Mix[];
const MOST_P99 = 0.35;
const MOST_MEDIAN = 1.4;

export const ec4Shuffle: Figure = {
  name: 'ec4-shuffle',
  title: 'Shuffle of hosts with credits and hosts with DCTCP',
  source: 'EC4, Figure 7',
  about: (profile) =>
    `${hostsOf(profile)} hosts at one switch (paper: ${PAPER_HOSTS}), 10 Gbit/s, links of 5 us, queues of 250 frames that mark above 100. Each host sends ${MESSAGE} to every other within 1 ms; the odd ones with credits, the even ones by DCTCP. The paper does it 30 times and answers each message with 16 KB, which are not played; times compare as ratios.`,
  jobs: (profile) => MIXES.map((mix) => ({ key: mix, document: shuffleDocument(mix, hostsOf(profile)), seeds: [1] })),
  evaluate: (runs) => ({
    charts: [completionCdf(MIXES, (name) => timesS(runs.one(name)))],
    rows: rowsOf(runs),
    tables: [table(runs)],
  }),
};

function hostsOf(profile: Profile): number {
  return profile === 'quick' ? QUICK_HOSTS : PAPER_HOSTS;
}

/** A host with DCTCP receives what the others send it by their credits. */
function shuffleDocument(mix: Mix, hosts: number): FigureDocument {
  const even = Array.from({ length: hosts / 2 }, (_, at) => `${2 * at + 2}`);
  return {
    algorithm: mix === 'ec4-dctcp' ? 'ec4' : 'expresspass',
    duration: '60s',
    topology: { name: 'star', hosts, rate: '10gbit', delay: '5us', ...QUEUE },
    hosts: [{ hosts: even, algorithm: 'dctcp' }],
    flows: [{ kind: 'shuffle', tasks: 1, bytes: MESSAGE, startJitter: '1ms' }],
  };
}

function timesS({ result }: SimulationRun): Float64Array {
  return Float64Array.from(result.flows, ({ fctNs }) => (fctNs ?? Number.NaN) / 1e9);
}

function completion({ result }: SimulationRun): FctResult {
  return result.fct.all as FctResult;
}

function rowsOf(runs: Runs): FigureRow[] {
  const [ec4, expresspass] = MIXES.map((mix) => completion(runs.one(mix)));
  const held = (
    what: string,
    of: (times: FctResult) => number,
    limit: { paper: string; most: number; why?: string },
  ) => {
    const ratio = of(ec4) / of(expresspass);
    const quantity = `${what}, EC4 : ExpressPass, both with DCTCP`;
    const { paper, most, why } = limit;
    return claim({ quantity, paper, ours: fixed(ratio, 2) }, ratio <= most, {
      held: `Held to ${most}`,
      ...(why !== undefined && { why }),
    });
  };
  return [
    held('median', ({ p50Ns }) => p50Ns, { paper: ratioText('median'), most: MOST_MEDIAN }),
    held('99 %', ({ p99Ns }) => p99Ns, { paper: ratioText('p99'), most: MOST_P99, why: WHY_P99 }),
    held('longest', ({ maxNs }) => maxNs, { paper: ratioText('max'), most: 1 }),
    ...MIXES.map((mix) => lostRow(mix, runs.one(mix))),
  ];
}

const WHY_P99 =
  'Links are full to the end in both, so the last flow ends when all bytes are through, whoever was first. The 8.7 s of the paper must be timeouts of DCTCP after lost frames; here a lost frame is found by later ones or by a probe and costs a round trip: each mix loses some hundred frames of 480,000.';

function ratioText(of: 'median' | 'p99' | 'max'): string {
  return (PAPER['ec4-dctcp'][of] / PAPER['expresspass-dctcp'][of]).toFixed(2);
}

function lostRow(mix: Mix, run: SimulationRun): FigureRow {
  const missing = run.result.flows.filter(({ fctNs }) => fctNs === null).length;
  const text = { quantity: `${mix}: flows that did not end; data frames lost`, ours: `${missing}; ${dataDrops(run)}` };
  return missing === 0
    ? noClaim(text, 'The paper says of losses only that ExpressPass has them.')
    : claim(text, false, { held: 'Held to all' });
}

function table(runs: Runs): FigureTable {
  const seconds = (ns: number) => rounded(ns / 1e9, 6);
  const rows = MIXES.map((mix) => {
    const { count, p50Ns, p99Ns, maxNs } = completion(runs.one(mix));
    return [mix, count, seconds(p50Ns), seconds(p99Ns), seconds(maxNs), dataDrops(runs.one(mix))];
  });
  return { key: '', titles: ['mix', 'flows', 'p50_s', 'p99_s', 'max_s', 'data_drops'], rows };
}
