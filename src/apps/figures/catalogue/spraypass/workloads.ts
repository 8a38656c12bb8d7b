// Tested by test/apps/figures/catalogue.test.ts

import { quantile } from '../../../../sim/measure/quantile.js';
import { idealTimesOf } from '../../blocks/ideal-times.js';
import { DATA_DROPS, DISORDER_MAX, LARGEST_QUEUE, MEAN_QUEUE, time, UNFINISHED } from '../../blocks/quantities.js';
import { leafSpine, PAPER_FABRIC, systemFields } from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, fixed, type Quantity, quantity, type Results, type Row, row, valueList } from '../../plan.js';
import { mean } from '../../statistics.js';

type Setting = { readonly workload: Workload; readonly load: number; readonly core: keyof typeof CORE_GBPS };

interface Case extends Setting {
  readonly system: 'expresspass' | 'spraypass';
}

/** Over 8 of the 24 leaves, which have as many links each: three times as long a time at the load for the same work. */
const QUICK_LEAVES = 8;
/**
 * Flows by profile (ours, the paper gives none: an hour of simulation and tails of a hundred flows; the web server's are short, 3 ms).
 * `queuesKb`: mean and largest queue at load 0.6 (Table III).
 */
const WORKLOADS = {
  'cache-follower': { quick: 400, paper: 10_000, queuesKb: [0.96, 36.2] },
  'web-search': { quick: 200, paper: 10_000, queuesKb: [1.21, 56.3] },
  'data-mining': { quick: 60, paper: 10_000, queuesKb: [1.49, 71.4] },
  'web-server': { quick: 6_000, paper: 30_000, queuesKb: [0.93, 38.2] },
} as const;
type Workload = keyof typeof WORKLOADS;
const WORKLOAD_NAMES = Object.keys(WORKLOADS) as Workload[];
const LOADS: Readonly<Record<Profile, readonly number[]>> = { quick: [0.6], paper: [0.4, 0.6, 0.8] };
/** Of each of the four uplinks of a ToR switch: the paper's, and where they carry a quarter of what the hosts do, for half as many flows. */
const CORE_GBPS = { full: 100, short: 25 } as const;
const SHORT: Setting = { workload: 'web-server', load: 0.6, core: 'short' };
/** Half the RTT of 32 us. */
const ONE_WAY_NS = 16_000;
/** Mean and 99 % of the web server's flows at load 0.6, in the paper and at most here. */
const PAPER_TIMES = '0.531, 0.431';
const MOST_TIMES = [0.6, 0.5];
/** How far above the paper's queues ours may be. */
const QUEUE_FACTOR = 1.5;

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
    `The fabric of the permutation${profile === 'quick' ? ` with ${QUICK_LEAVES} of its 24 leaves` : ''}; flows between random hosts as a Poisson process whose data is a part of what the ToR switches' uplinks carry: ${profile === 'quick' ? 'load 0.6, few flows' : 'loads 0.4, 0.6 and 0.8, 10,000 flows of each workload, 30,000 of the web server'}. Completion times of all flows. Ideal: of the same flows with max-min fair shares at every moment and nothing wasted, over the path that a hash picks or over all. Over-subscribed: uplinks of 25 Gbit/s, so that they and not the hosts' links are short.`,
  cases: (profile) => [...settings(profile), SHORT].flatMap((setting) => (['expresspass', 'spraypass'] as const).map((system) => ({ ...setting, system }))),
  key,
  document: documentOf,
  rows: (results) => [
    ...settings(results.profile).flatMap((setting) => rowsOf(results, setting)),
    row(`${SHORT.workload}, load ${SHORT.load}, over-subscribed four to one: the same`, ratios(results, SHORT, [FCT_MEAN, FCT_P99]), 3, {
      note: `Not in the paper. Where the uplinks are short, flows do wait for their hash. With ideal shares: ${idealRatios(results, SHORT)}.`,
    }),
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

/** Times of SprayPass over those of ExpressPass. */
function ratios(results: Results<Case>, setting: Setting, quantities: readonly Quantity[]): number[] {
  return quantities.map((quantity) => results.ratio(quantity, { ...setting, system: 'spraypass' }, { ...setting, system: 'expresspass' }));
}

function idealRatios(results: Results<Case>, setting: Setting): string {
  return valueList(ratios(results, setting, [IDEAL_MEAN, IDEAL_P99]), 3);
}

function rowsOf(results: Results<Case>, setting: Setting): Row[] {
  const { workload, load } = setting;
  const best = idealRatios(results, setting);
  const idealOf = (quantity: Quantity) => results.of(quantity, { ...setting, system: 'spraypass' });
  const theirs = (quantity: Quantity) => results.of(quantity, { ...setting, system: 'expresspass' });
  const overOurs = valueList([idealOf(IDEAL_MEAN) / theirs(FCT_MEAN), idealOf(IDEAL_P99) / theirs(FCT_P99)], 3);
  const isHeld = workload === 'web-server' && load === 0.6;
  const times = row(
    `${workload}, load ${load}: mean and 99 % time over ExpressPass's`,
    ratios(results, setting, [FCT_MEAN, FCT_P99]),
    3,
    isHeld
      ? {
          paper: PAPER_TIMES,
          most: MOST_TIMES,
          held: `Held to ${MOST_TIMES.join(' and ')}`,
          why: `With ideal shares it would be ${best}: the hosts' links have the same load as the uplinks and fewer flows each, so it is at them that flows wait, however their paths are chosen. Ideal shares over all paths take ${overOurs} of our ExpressPass's times.`,
        }
      : { note: `The paper has it as a drawing only. With ideal shares: ${best}.` },
  );
  return load === 0.6 ? [times, queueRow(results, setting)] : [times];
}

function queueRow(results: Results<Case>, setting: Setting): Row {
  const queuesKb = [MEAN_QUEUE, LARGEST_QUEUE].map((quantity) => results.of(quantity, { ...setting, system: 'spraypass' }) / 1e3);
  const paper = WORKLOADS[setting.workload].queuesKb;
  return row(`${setting.workload}, load 0.6: mean and largest queue (KB)`, `${fixed(queuesKb[0], 2)}, ${fixed(queuesKb[1], 1)}`, 0, {
    paper: paper.join(', '),
    met: queuesKb.every((kb, at) => kb <= QUEUE_FACTOR * paper[at]),
    held: `Held to no more than ${QUEUE_FACTOR} times the paper's`,
  });
}
