// Tested by test/apps/figures/catalogue.test.ts

import type { FctResult, SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { completionCdf } from '../../blocks/completion-cdf.js';
import { dataDrops } from '../../blocks/link.js';
import { claim, fixed, noClaim, rounded } from '../../blocks/rows.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

/** What a profile plays: hosts at the switch, and what each sends to each other in a round. */
const SIZES = { quick: { hosts: 4, bytes: '2.56MB' }, paper: { hosts: 40, bytes: '5.12MB' } } as const;
const ROUNDS = 30;
/** As in the paper for shallow switches, and what it says to be enough for 10 Gbit/s; why not its 100 is said in docs/decisions/0015-ec4.md. */
const MARK_FRAMES = 20;
const QUEUE = { dataQueue: '250frames', ecnThreshold: `${MARK_FRAMES}frames` };
const KINDS = ['credits', 'dctcp'] as const;
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
  title: 'Shuffle by credits and by DCTCP',
  source: 'EC4, Figure 7',
  about: (profile) =>
    `${SIZES[profile].hosts} hosts at one switch (paper: ${SIZES.paper.hosts}), 10 Gbit/s, links of 5 us, queues of 250 frames that mark above ${MARK_FRAMES}. On each host one task with credits and one with DCTCP send ${SIZES[profile].bytes} (paper: ${SIZES.paper.bytes}) to every other host ${ROUNDS} times, the next message when the one before has arrived. The paper answers each message with 16 KB, 0.3 % more, which is not played; times compare as ratios.`,
  jobs: (profile) => MIXES.map((mix) => ({ key: mix, document: shuffleDocument(mix, profile), seeds: [1] })),
  evaluate: (runs) => ({
    charts: [completionCdf([...DRAWN.keys()], (name) => drawnTimesS(runs, name))],
    rows: rowsOf(runs),
    tables: [table(runs)],
  }),
};

/** Both kinds on each host: where every host has one of them, half of what reaches a port is of each kind whatever they want, and nobody starves. */
function shuffleDocument(mix: Mix, profile: Profile): FigureDocument {
  const { hosts, bytes } = SIZES[profile];
  return {
    algorithm: mix === 'ec4-dctcp' ? 'ec4' : 'expresspass',
    duration: '60s',
    topology: { name: 'star', hosts, rate: '10gbit', delay: '5us', ...QUEUE },
    flows: KINDS.map((algorithm) => ({
      ...{ kind: 'shuffle', group: algorithm, algorithm, tasks: 1, bytes, rounds: ROUNDS, startJitter: '1ms' },
    })),
  };
}

/** The kinds of each mix, by what the drawing calls them. */
const DRAWN: ReadonlyMap<string, { mix: Mix; kind: string }> = new Map(
  MIXES.flatMap((mix) => KINDS.map((kind) => [`${mix}: ${kind}`, { mix, kind }])),
);

function drawnTimesS(runs: Runs, name: string): Float64Array {
  const { mix, kind } = DRAWN.get(name) as { mix: Mix; kind: string };
  const flows = runs.one(mix).result.flows.filter(({ group }) => group === kind);
  return Float64Array.from(flows, ({ fctNs }) => (fctNs ?? Number.NaN) / 1e9);
}

function completion({ result }: SimulationRun): FctResult {
  return result.fct.all as FctResult;
}

function rowsOf(runs: Runs): FigureRow[] {
  const [ec4, expresspass] = MIXES.map((mix) => completion(runs.one(mix)));
  const held = (what: string, of: (times: FctResult) => number, limit: { paper: string; most: number }) => {
    const ratio = of(ec4) / of(expresspass);
    const quantity = `${what}, EC4 : ExpressPass, both with DCTCP`;
    const { paper, most } = limit;
    return claim({ quantity, paper, ours: fixed(ratio, 2) }, ratio <= most, { held: `Held to ${most}` });
  };
  return [
    held('median', ({ p50Ns }) => p50Ns, { paper: ratioText('median'), most: MOST_MEDIAN }),
    held('99 %', ({ p99Ns }) => p99Ns, { paper: ratioText('p99'), most: MOST_P99 }),
    held('longest', ({ maxNs }) => maxNs, { paper: ratioText('max'), most: 1 }),
    ...MIXES.map((mix) => lostRow(mix, runs.one(mix))),
  ];
}

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
