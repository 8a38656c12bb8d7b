// Tested by test/apps/figures/catalogue/real-networks/random-loss.test.ts
import { jainIndex } from '../../../../sim/measure/jain.js';
import type { SimulationRun } from '../../../../sim/result.js';
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { payloadBps } from '../../blocks/payload.js';
import { claim, noClaim, rounded, seeds, valueList } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureTable, Profile, Runs } from '../../figure.js';
import { BESIDE, LAWS, type Law, OTHERS, OURS } from './laws.js';
import { CHANGE_TEXT, changeChart, changeJobs, changeRows } from './loss-change.js';
import { JOINING_TEXT, joiningJobs, joiningRows, joiningTable } from './loss-joining.js';
import { KINDS, type Kind, LOSSES, type LossyPath, lossyDumbbell, SPEEDS, TEN_GBIT } from './lossy-path.js';

const FLOWS = [1, 2, 16, 64];
const LEAST_PART = 0.95;
const MOST_JAIN_LOST = 0.02;

/** Ours everywhere; the others at 10 Gbit/s, and alone at other speeds. */
const PATHS: readonly LossyPath[] = [
  ...SPEEDS.flatMap((speed) => FLOWS.flatMap((pairs) => pathsOf({ law: OURS, speed, pairs }, [0, ...LOSSES]))),
  ...OTHERS.flatMap((law) => [
    ...[1, 16].flatMap((pairs) => pathsOf({ law, speed: TEN_GBIT, pairs }, [0, ...LOSSES])),
    ...SPEEDS.filter((speed) => speed !== TEN_GBIT).flatMap((speed) =>
      pathsOf({ law, speed, pairs: 1 }, [0.01, 0.1]).filter(({ kind }) => kind === 'uniform'),
    ),
  ]),
];

/** Without loss there is one kind. */
function pathsOf(path: Omit<LossyPath, 'kind' | 'loss'>, losses: readonly number[]): LossyPath[] {
  return KINDS.flatMap((kind) =>
    losses.filter((loss) => loss > 0 || kind === 'uniform').map((loss) => ({ ...path, kind, loss })),
  );
}

export const randomLoss: Figure = {
  name: 'real-networks-random-loss',
  title: 'Random loss',
  source: 'ours',
  about: (profile) =>
    `Endless flows over a dumbbell whose core link loses frames of every type at random in both directions, one by one or in bursts of 8 on average (Gilbert): RTT 5 ms at 100 Mbit/s, 1 ms at 1 Gbit/s, 100 us at 10 and 100 Gbit/s; ${seedCount(profile)} seed(s). Of a data share, loss p of the credits leaves the part 1 - p to be sent; values are what is sent as a part of that. Lists are for ${LOSSES.map((loss) => loss * 100).join(', ')} % of loss. Jain's index is of what arrives over the whole measured time, in order or not, 300 frames of each flow or more.

${JOINING_TEXT}

${CHANGE_TEXT}

DCTCP has no credits that could be lost, so that loss leaves it all; its data fills the share of credits too. Marks are at C * RTT / 7.`,
  jobs: (profile) => [
    ...PATHS.map((path) => ({ key: key(path), document: lossyDumbbell(path), seeds: seeds(seedCount(profile)) })),
    ...joiningJobs(profile),
    ...changeJobs(),
  ],
  evaluate: (runs) => ({
    charts: [
      ...KINDS.map((kind) => ({ key: kind, chart: lossChart(runs, kind) })),
      { key: 'change', chart: changeChart(runs) },
    ],
    rows: [
      ...SPEEDS.flatMap((speed) => KINDS.flatMap((kind) => ourRows(runs, speed, kind))),
      ...OTHERS.flatMap((law) => KINDS.map((kind) => otherRow(runs, law, kind))),
      ...OTHERS.map((law) => aloneRow(runs, law)),
      ...joiningRows(runs),
      ...changeRows(runs),
    ],
    tables: [table(runs), joiningTable(runs)],
  }),
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 1 : 5;
}

function key({ law, speed, pairs, kind, loss }: LossyPath): string {
  return `${law}-${speed.rate}-${pairs}-${kind}-${loss * 100}`;
}

/** What is sent over the core link as a part of what the loss of credits leaves. */
function partOfLeft({ result }: SimulationRun, { law, loss }: Pick<LossyPath, 'law' | 'loss'>): number {
  return result.utilisation / (law === 'dctcp' ? 1 : 1 - loss);
}

function partOf(runs: Runs, path: LossyPath): number {
  return mean(runs.of(key(path)).map((run) => partOfLeft(run, path)));
}

function jainOf(runs: Runs, path: LossyPath): number {
  return mean(runs.of(key(path)).map(jainOfArrivals));
}

/** Of the data that comes to the receivers: bytes in order wait for repairs, longer than the runs at 100 Gbit/s last. */
export function jainOfArrivals({ result }: SimulationRun): number {
  const arrivals = result.links.filter(({ name }) => name.startsWith('right->h'));
  return jainIndex(arrivals.map(({ utilisation }) => utilisation));
}

function ourRows(runs: Runs, speed: LossyPath['speed'], kind: Kind): FigureRow[] {
  const path = (pairs: number, loss: number): LossyPath => ({ law: OURS, speed, pairs, kind, loss });
  const least = LOSSES.map((loss) => Math.min(...FLOWS.map((pairs) => partOf(runs, path(pairs, loss)))));
  const lost = LOSSES.map((loss) =>
    Math.max(
      ...FLOWS.map((pairs) => jainOf(runs, { ...path(pairs, 0), kind: 'uniform' }) - jainOf(runs, path(pairs, loss))),
    ),
  );
  const what = `${OURS}, ${speed.rate}, ${kind}`;
  return [
    claim(
      { quantity: `${what}: part of what loss leaves, least of ${FLOWS.join(', ')} flows`, ours: valueList(least, 3) },
      least.every((part) => part >= LEAST_PART),
      { held: `Held to ${LEAST_PART}` },
    ),
    claim(
      { quantity: `${what}: Jain's index below that without loss, at most`, ours: valueList(lost, 3) },
      lost.every((each) => each <= MOST_JAIN_LOST),
      { held: `Held to ${MOST_JAIN_LOST}` },
    ),
  ];
}

function otherRow(runs: Runs, law: Law, kind: Kind): FigureRow {
  const list = (pairs: number): string =>
    valueList(
      LOSSES.map((loss) => partOf(runs, { law, speed: TEN_GBIT, pairs, kind, loss })),
      3,
    );
  const quantity = `${law}, ${TEN_GBIT.rate}, ${kind}: part of what loss leaves, 1 flow; 16 flows`;
  return noClaim({ quantity, ours: `${list(1)}; ${list(16)}` }, BESIDE);
}

function aloneRow(runs: Runs, law: Law): FigureRow {
  const parts = SPEEDS.map((speed) =>
    valueList(
      [0.01, 0.1].map((loss) => partOf(runs, { law, speed, pairs: 1, kind: 'uniform', loss })),
      3,
    ),
  );
  const quantity = `${law}, 1 flow, 1 and 10 % uniform at ${SPEEDS.map(({ rate }) => rate).join('; ')}`;
  return noClaim({ quantity, ours: parts.join('; ') }, BESIDE);
}

function lossChart(runs: Runs, kind: Kind): LineChart {
  return {
    kind: 'lines',
    title: `1 flow, ${TEN_GBIT.rate}, ${kind}`,
    x: { name: 'loss', scale: 'log10' },
    y: { name: 'part of what loss leaves', max: 1.1 },
    references: [{ label: `goal ${LEAST_PART}`, y: LEAST_PART }],
    series: LAWS.map((law) => ({
      name: law,
      x: LOSSES,
      y: LOSSES.map((loss) => partOf(runs, { law, speed: TEN_GBIT, pairs: 1, kind, loss })),
    })),
  };
}

function table(runs: Runs): FigureTable {
  const titles = ['law', 'rate', 'flows', 'kind', 'loss', 'utilisation', 'part_of_left', 'goodput_part', 'jain'];
  const rows = PATHS.map((path) => {
    const { law, speed, pairs, kind, loss } = path;
    const found = runs.of(key(path)).map(({ result }) => result);
    const utilisation = rounded(mean(found.map((each) => each.utilisation)), 4);
    const goodput = rounded(mean(found.map(goodputPart)), 4);
    const jain = rounded(jainOf(runs, path), 4);
    return [law, speed.rate, pairs, kind, loss, utilisation, rounded(partOf(runs, path), 4), goodput, jain];
  });
  return { key: '', titles, rows };
}

/** Payload in order, as a part of what the data share of the link carries without loss. */
function goodputPart({ flows, links }: SimulationRun['result']): number {
  const sumBps = flows.reduce((sum, { goodputBps }) => sum + goodputBps, 0);
  return sumBps / payloadBps(links[0].rateBps ?? Number.NaN);
}
