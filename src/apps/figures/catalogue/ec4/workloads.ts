// Tested by test/apps/figures/catalogue.test.ts

import { SIZE_CLASSES, type SizeClass } from '../../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../../sim/traffic/workloads.js';
import { DATA_DROPS, time, unfinished } from '../../blocks/quantities.js';
import { MIXES, type Mix, PAPER_FLOWS, QUICK_FLOWS, TREE, type TreeCase, treeDocument, treeSeeds } from '../../blocks/tree.js';
import type { Figure, Profile } from '../../figure.js';
import { counted, cross, figure, type Quantity, quantity, type Results, type Row, rounded, row } from '../../plan.js';
import { largest, mean, sum } from '../../statistics.js';

interface Case extends TreeCase {
  readonly load: number;
  readonly mix: Mix;
}

/** "Almost the same" as DCTCP alone: at most this, since so few flows differ by chance (ours). */
const MOST_MEAN = 1.25;
/** What "greatly reduces" is held to (ours). */
const MOST_TAIL = 0.8;
/** The mix that carries the paper's values, and ours beside it. */
const LISTING: Mix = 'ec4-literal-dctcp';
const OURS: readonly Mix[] = ['ec4-full-rate-dctcp', 'ec4-dctcp'];
/** The paper draws the other loads for web search only. */
const loadsOf = (workload: WorkloadName, profile: Profile): readonly number[] => (profile === 'paper' && workload === 'web-search' ? [0.6, 0.2, 0.4] : [0.6]);

/** Completion times of a size class in ns, over the seeds that have flows of it: means, and the longest of all. */
const TIMES = Object.fromEntries(
  SIZE_CLASSES.map((size) => [
    size,
    {
      mean: present(time('mean_ms', 'meanNs', 'ns', size), mean),
      p99: present(time('p99_ms', 'p99Ns', 'ns', size), mean),
      max: present(time('max_ms', 'maxNs', 'ns', size), largest),
      count: present(
        quantity('flows', 0, ({ result }) => result.fct[size]?.count ?? null),
        sum,
      ),
    },
  ]),
) as Readonly<Record<SizeClass, Readonly<Record<'mean' | 'p99' | 'max' | 'count', Quantity>>>>;
const MISSING = quantity('unfinished', 0, unfinished, sum);

/** One figure for each workload, so that one of them can be played at the paper's scale. */
export const ec4Workloads: readonly Figure[] = WORKLOAD_NAMES.map(workloadFigure);

function workloadFigure(workload: WorkloadName): Figure {
  return figure<Case>(`ec4-workloads-${workload}`, `Realistic workloads in a fat tree, half of the hosts with credits: ${workload}`, {
    source: 'EC4, Figure 8',
    about: (profile) =>
      `${TREE} Load ${loadsOf(workload, profile).join(', ')}, ${counted(profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS)} flows a run, ${treeSeeds(profile)} run(s); the paper does not say how many it has. Mean completion times of all flows, over those of DCTCP alone, and the 99th percentile of the largest class.`,
    cases: (profile) => cross({ workload: [workload], load: loadsOf(workload, profile), mix: MIXES }),
    key: ({ load, mix }) => `${mix}-${load}`,
    document: treeDocument,
    seeds: (_, profile) => treeSeeds(profile),
    rows: (results) => loadsOf(workload, results.profile).flatMap((load) => rowsOf(results, { workload, load })),
    charts: (results) => {
      const groups = classesOf(results, 0.6);
      const series = MIXES.map((mix) => ({ name: mix, values: groups.map((size) => results.of(TIMES[size].p99, { load: 0.6, mix }) / 1e6) }));
      return { '': { kind: 'bars', x: { name: 'size class' }, y: { name: '99 % of completion times (ms)', scale: 'log10' }, groups, series } };
    },
    tables: (results) => [
      { key: '', titles: ['load', 'mix', 'class', 'flows', 'mean_ms', 'p99_ms', 'max_ms'], rows: results.cases.flatMap((each) => linesOf(results, each)) },
    ],
  });
}

/** Seeds without a value are left out; NaN where none has one. */
function present(quantity: Quantity, over: (values: readonly number[]) => number): Quantity {
  return {
    ...quantity,
    of: (run, setting) => quantity.of(run, setting) ?? Number.NaN,
    over: (values) => {
      const found = values.filter(Number.isFinite);
      return found.length === 0 ? Number.NaN : over(found);
    },
  };
}

function linesOf(results: Results<Case>, each: Case) {
  return SIZE_CLASSES.filter((size) => Number.isFinite(results.of(TIMES[size].mean, each))).map((size) => {
    const { mean: average, p99, max, count } = TIMES[size];
    const ms = [average, p99, max].map((quantity) => rounded(results.of(quantity, each) / 1e6, 4));
    return [each.load, each.mix, size, results.of(count, each), ...ms];
  });
}

/** Those of the flows, by the runs of DCTCP alone. */
function classesOf(results: Results<Case>, load: number): SizeClass[] {
  return SIZE_CLASSES.filter((size) => Number.isFinite(results.of(TIMES[size].mean, { load, mix: 'dctcp' })));
}

function rowsOf(results: Results<Case>, { workload, load }: TreeCase): Row[] {
  const name = `${workload}, load ${load}`;
  const size = classesOf(results, load).at(-1) as SizeClass;
  const ratio = (quantity: Quantity, over: Mix) => (mix: Mix) => results.ratio(quantity, { load, mix }, { load, mix: over });
  const overDctcp = ratio(TIMES.all.mean, 'dctcp');
  const overExpresspass = ratio(TIMES[size].p99, 'expresspass-dctcp');
  const losses = (mix: Mix) => results.of(DATA_DROPS, { load, mix });
  const beside = { note: 'They stand beside the listing.' };
  const average = `${name}: mean time over that of DCTCP alone`;
  const tail = `${name}: 99 % of ${size} over that of ExpressPass with DCTCP`;
  return [
    row(`${average}, ${LISTING}`, overDctcp(LISTING), 2, { paper: 'almost 1', most: MOST_MEAN, why: WHY_MEAN }),
    row(`${average}, ${OURS.join(', ')}`, OURS.map(overDctcp), 2, beside),
    row(`${average}, expresspass-dctcp`, overDctcp('expresspass-dctcp'), 2, {
      paper: 'worse',
      met: overDctcp('expresspass-dctcp') > 1,
      held: 'Held to above 1',
    }),
    row(`${tail}, ${LISTING}`, overExpresspass(LISTING), 2, { paper: 'far below 1', most: MOST_TAIL, why: WHY_TAIL[workload] ?? '' }),
    row(`${tail}, ${OURS.join(', ')}`, OURS.map(overExpresspass), 2, beside),
    row(`${name}: data frames lost, ${LISTING}`, losses(LISTING), 0, { paper: '0', most: 0, held: 'Held to none', why: WHY_LOST }),
    row(`${name}: data frames lost, ${OTHERS.join(', ')}`, OTHERS.map(losses), 0, {
      note: `Flows of all five mixes that did not end: ${results.list(MISSING, { load }).join(', ')}.`,
    }),
  ];
}

const OTHERS = MIXES.filter((mix) => mix !== LISTING);

const WHY_MEAN =
  'Flows that open at the rate of the link crowd each other out: credits and frames are lost, and what a loss takes comes back a frame in a round trip.';
const WHY_LOST =
  'Flows open at the rate of their link, as the paper has it, so that several of them fill the 250 frames of a port within a round trip. DCTCP alone loses frames as well.';
const WHY_TAIL: Readonly<Partial<Record<WorkloadName, string>>> = {
  'web-server':
    'No flow is larger than 500 kB: each ends within some fifty round trips, in which ExpressPass cannot starve DCTCP. Flows that open at the rate of the link crowd each other out besides; those of ec4 that open at a sixteenth take 0.92.',
  'cache-follower': 'The listing loses three quarters of the frames that ExpressPass does or more, since its flows open at the rate of the link.',
  'data-mining':
    'A seed has some ten XL flows, so this is its longest one, some 70 MB at the rate of the link, whoever is beside it. The paper profile has 900.',
};
