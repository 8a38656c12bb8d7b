// Tested by test/apps/figures/catalogue.test.ts

import { quantile } from '../../../../sim/measure/quantile.js';
import { idealTimesOf } from '../../blocks/ideal-times.js';
import { DATA_DROPS, DISORDER_MAX, LARGEST_QUEUE, MEAN_QUEUE, time, UNFINISHED } from '../../blocks/quantities.js';
import { leafSpine, PAPER_FABRIC, systemFields, TWO_RULES } from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, type Quantity, quantity, type Results, type Row, row, valueList } from '../../plan.js';
import { mean } from '../../statistics.js';

type Setting = { readonly workload: Workload; readonly load: number; readonly core: keyof typeof CORE_GBPS };

const SYSTEMS = ['expresspass', 'expresspass-literal', 'spraypass-listing', 'spraypass'] as const;
type System = (typeof SYSTEMS)[number];
/** Whose times are the measure: the listing's is the listing of ExpressPass, that of ours is ours. */
const rivalOf = (system: System): System => (system === 'spraypass-listing' ? 'expresspass-literal' : 'expresspass');

interface Case extends Setting {
  readonly system: System;
}

/** Over 8 of the 24 leaves, which have as many links each: three times as long a time at the load for the same work. */
const QUICK_LEAVES = 8;
/**
 * Flows by profile (ours, the paper gives none: an hour of simulation and tails of a hundred flows; the web server's are short, 3 ms).
 */
const WORKLOADS = {
  'cache-follower': { quick: 400, paper: 10_000 },
  'web-search': { quick: 200, paper: 10_000 },
  'data-mining': { quick: 60, paper: 10_000 },
  'web-server': { quick: 6_000, paper: 30_000 },
} as const;
type Workload = keyof typeof WORKLOADS;
type Kb = readonly [mean: number, largest: number];
/** Table III by load: queues of ExpressPass, then of SprayPass. */
const QUEUES_KB: Readonly<Record<Workload, Readonly<Record<number, readonly [Kb, Kb]>>>> = {
  'cache-follower': {
    0.4: [
      [1.11, 39.6],
      [1.03, 25.5],
    ],
    0.6: [
      [1.33, 49],
      [0.96, 36.2],
    ],
    0.8: [
      [1.31, 46.5],
      [1.22, 42.9],
    ],
  },
  'web-search': {
    0.4: [
      [0.95, 62.3],
      [0.87, 57.8],
    ],
    0.6: [
      [1.31, 73.6],
      [1.21, 56.3],
    ],
    0.8: [
      [1.12, 65.4],
      [1.15, 54.7],
    ],
  },
  'data-mining': {
    0.4: [
      [1.61, 80.5],
      [1.24, 66.9],
    ],
    0.6: [
      [1.53, 76],
      [1.49, 71.4],
    ],
    0.8: [
      [1.69, 81.2],
      [1.55, 75.5],
    ],
  },
  'web-server': {
    0.4: [
      [0.92, 36.4],
      [0.71, 36.7],
    ],
    0.6: [
      [1.11, 37.4],
      [0.93, 38.2],
    ],
    0.8: [
      [0.83, 34.3],
      [1.04, 33.2],
    ],
  },
};
const WORKLOAD_NAMES = Object.keys(WORKLOADS) as Workload[];
const LOADS: Readonly<Record<Profile, readonly number[]>> = { quick: [0.6], paper: [0.4, 0.6, 0.8] };
/** Of each of the four uplinks of a ToR switch: the paper's, and where they carry a quarter of what the hosts do, for half as many flows. */
const CORE_GBPS = { full: 100, short: 25 } as const;
const SHORT: Setting = { workload: 'web-server', load: 0.6, core: 'short' };
/** Half the RTT of 32 us. */
const ONE_WAY_NS = 16_000;
/** Mean and 99 % of the web server's flows at load 0.6. */
const PAPER_TIMES = [0.531, 0.431];
/** Of all workloads (Figure 13). */
const PAPER_DISORDER = 6;

const FCT_MEAN = time('fct_mean_ms', 'meanNs', 'ms');
const FCT_P99 = time('fct_p99_ms', 'p99Ns', 'ms');
/** Of the same flows with max-min fair shares at every moment, by the hash's path or over all. */
const ideal = (title: string, of: (sortedNs: Float64Array) => number): Quantity =>
  quantity(title, 4, (run) => of(idealTimesOf(run, PAPER_FABRIC.hostsPerLeaf, ONE_WAY_NS)) / 1e6);
const IDEAL_MEAN = ideal('ideal_mean_ms', (times) => mean([...times]));
const IDEAL_P99 = ideal('ideal_p99_ms', (times) => quantile(times, 0.99));

export const workloads = figure<Case>('spraypass-workloads', 'Realistic workloads', {
  source: 'SprayPass, Figures 12 and 13 and Table III',
  about: (profile) =>
    `The fabric of the permutation${profile === 'quick' ? ` with ${QUICK_LEAVES} of its 24 leaves` : ''}; flows between random hosts as a Poisson process whose data is a part of what the ToR switches' uplinks carry: ${profile === 'quick' ? 'load 0.6, few flows' : 'loads 0.4, 0.6 and 0.8, 10,000 flows of each workload, 30,000 of the web server'}. Completion times of all flows: spraypass-listing over expresspass-literal, both listings, and spraypass over expresspass. Ideal: of the same flows with max-min fair shares at every moment and nothing wasted, over the path that a hash picks or over all. Over-subscribed: uplinks of 25 Gbit/s, so that they and not the hosts' links are short. ${TWO_RULES}`,
  cases: (profile) => [...settings(profile), SHORT].flatMap((setting) => SYSTEMS.map((system) => ({ ...setting, system }))),
  key,
  document: documentOf,
  rows: (results) => [
    ...settings(results.profile).flatMap((setting) => rowsOf(results, setting)),
    row(`${SHORT.workload}, load ${SHORT.load}, over-subscribed four to one, spraypass-listing: the same`, ratios(results, SHORT, 'spraypass-listing'), 3, {
      note: `Not in the paper. Where the uplinks are short, flows do wait for their hash. With ideal shares: ${idealRatios(results, SHORT)}.`,
    }),
    disorderRow(results),
  ],
  charts: (results) => ({ '': results.bars(FCT_MEAN, 'mean completion time (ms)') }),
  table: [{ run: key }, FCT_MEAN, FCT_P99, IDEAL_MEAN, IDEAL_P99, DISORDER_MAX, MEAN_QUEUE, LARGEST_QUEUE, DATA_DROPS, UNFINISHED],
});

function settings(profile: Profile): Setting[] {
  return cross({ workload: WORKLOAD_NAMES, load: LOADS[profile], core: ['full'] as const });
}

function key({ workload, load, core, system }: Case): string {
  return `${workload}-${load}-${core === 'full' ? '' : 'oversubscribed-'}${system}`;
}

function documentOf({ workload, load, core, system }: Case, profile: Profile): FigureDocument {
  const leaves = profile === 'quick' ? QUICK_LEAVES : PAPER_FABRIC.leaves;
  const flows = WORKLOADS[workload][profile] / (core === 'short' ? 2 : 1);
  return {
    ...systemFields(system),
    ...leafSpine({ ...PAPER_FABRIC, leaves, core: `${CORE_GBPS[core]}gbit` }),
    duration: '10s',
    flows: [{ kind: 'poisson', workload, load, loadRate: `${leaves * 4 * CORE_GBPS[core]}gbit`, flows }],
  };
}

/** Mean and 99 % of the times of a system over those of ExpressPass. */
function ratios(results: Results<Case>, setting: Setting, system: System, quantities: readonly Quantity[] = [FCT_MEAN, FCT_P99]): number[] {
  return quantities.map((quantity) => results.ratio(quantity, { ...setting, system }, { ...setting, system: rivalOf(system) }));
}

function idealRatios(results: Results<Case>, setting: Setting): string {
  return valueList(ratios(results, setting, 'spraypass', [IDEAL_MEAN, IDEAL_P99]), 3);
}

function rowsOf(results: Results<Case>, setting: Setting): Row[] {
  const { workload, load } = setting;
  const name = `${workload}, load ${load}`;
  const times = (system: System) => ratios(results, setting, system);
  const has = workload === 'web-server' && load === 0.6;
  const listing = row(`${name}, spraypass-listing: mean and 99 % time over ExpressPass's`, times('spraypass-listing'), 3, {
    ...(has
      ? { paper: PAPER_TIMES, better: 'less' as const, why: whyTimes(results, setting) }
      : { paper: 'below 1', most: 1, why: `With ideal shares: ${idealRatios(results, setting)}. A handful of large flows decide.` }),
  });
  return [
    listing,
    row(`${name}, spraypass: the same`, times('spraypass'), 3, { note: `It stands beside the listing. With ideal shares: ${idealRatios(results, setting)}.` }),
    queueRow(results, setting, 'expresspass-literal'),
    queueRow(results, setting, 'spraypass-listing'),
  ];
}

function whyTimes(results: Results<Case>, setting: Setting): string {
  const idealOf = (quantity: Quantity) => results.of(quantity, { ...setting, system: 'spraypass' });
  const theirs = (quantity: Quantity) => results.of(quantity, { ...setting, system: 'expresspass-literal' });
  const overOurs = valueList([idealOf(IDEAL_MEAN) / theirs(FCT_MEAN), idealOf(IDEAL_P99) / theirs(FCT_P99)], 3);
  return `With ideal shares it would be ${idealRatios(results, setting)}: the hosts' links have the same load as the uplinks and fewer flows each, so it is at them that flows wait, however their paths are chosen. Ideal shares over all paths take ${overOurs} of our ExpressPass's times.`;
}

function queueRow(results: Results<Case>, setting: Setting, system: 'expresspass-literal' | 'spraypass-listing'): Row {
  const { workload, load } = setting;
  const queuesKb = [MEAN_QUEUE, LARGEST_QUEUE].map((quantity) => results.of(quantity, { ...setting, system }) / 1e3);
  const paper = QUEUES_KB[workload][load][system === 'expresspass-literal' ? 0 : 1];
  return row(`${workload}, load ${load}, ${system}: mean and largest queue (KB)`, queuesKb, 2, { paper, better: 'less', why: WHY_QUEUES });
}

const WHY_QUEUES =
  'The mean is over all ports that carried data and over the whole run; the paper does not say over which it is. Few flows of a quick run meet at a port.';

function disorderRow(results: Results<Case>): Row {
  const ours = WORKLOAD_NAMES.map((workload) =>
    Math.max(...LOADS[results.profile].map((load) => results.of(DISORDER_MAX, { workload, load, core: 'full', system: 'spraypass-listing' }))),
  );
  return row(`spraypass-listing: largest degree of disorder (${WORKLOAD_NAMES.join(', ')})`, ours, 0, {
    paper: `at most ${PAPER_DISORDER}, least for the web server`,
    met: ours.every((each) => each <= PAPER_DISORDER && each >= ours[WORKLOAD_NAMES.indexOf('web-server')]),
    held: `Held to ${PAPER_DISORDER}, and to no less for the others than for the web server`,
    why: WHY_DISORDER,
  });
}

const WHY_DISORDER = 'A handful of large flows decide in a quick run.';
