// Tested by test/apps/figures/catalogue.test.ts
import { type FctResult, SIZE_CLASSES, type SizeClass } from '../../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../../sim/traffic/workloads.js';
import type { BarChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { dataDrops } from '../../blocks/link.js';
import { claim, fixed, noClaim, rounded } from '../../blocks/rows.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

const MIXES = ['ec4-dctcp', 'expresspass-dctcp', 'dctcp'] as const;
type Mix = (typeof MIXES)[number];
const HOSTS = 192;
/** The paper does not say how many (ours). */
const PAPER_FLOWS = 20_000;
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = {
  'data-mining': 100,
  'web-search': 250,
  'cache-follower': 400,
  'web-server': 2_000,
};
/** Against DCTCP alone: "almost the same" on average; ours, since so few flows differ by chance. */
const MOST_MEAN = 1.25;

interface Case {
  readonly workload: WorkloadName;
  readonly load: number;
}

/** The paper draws the other loads for web search only. */
const LIGHTER: readonly Case[] = [0.2, 0.4].map((load) => ({ workload: 'web-search', load }));

export const ec4Workloads: Figure = {
  name: 'ec4-workloads',
  title: 'Realistic workloads in a fat tree, half of the hosts with credits',
  source: 'EC4, Figures 8 and 9',
  about: (profile) =>
    `8 core, 16 aggregation and 32 ToR switches, 192 hosts, 40 Gbit/s, links of 1 us, hosts that take 1 us over a frame, queues of 250 frames that mark above 100. ${profile === 'quick' ? 'Load 0.6, some hundred flows (paper: loads of 0.2, 0.4 and 0.6), which end within milliseconds: what to expect of a short load' : 'Load 0.6, and 0.2 and 0.4 of web search, 20,000 flows each'}. Every second host sends by DCTCP. Mean completion times of all flows, over those of DCTCP alone, and the 99th percentile of the largest class.`,
  jobs: (profile) =>
    cases(profile).flatMap((each) =>
      MIXES.map((mix) => ({ key: key(each, mix), document: treeDocument(each, mix, profile), seeds: [1] })),
    ),
  evaluate: (runs, profile) => ({
    charts: WORKLOAD_NAMES.map((workload) => ({ key: workload, chart: chart(runs, { workload, load: 0.6 }) })),
    rows: cases(profile).flatMap((each) => rowsOf(runs, each)),
    tables: [table(runs, profile)],
  }),
};

function cases(profile: Profile): Case[] {
  const heavy = WORKLOAD_NAMES.map((workload) => ({ workload, load: 0.6 }));
  return profile === 'quick' ? heavy : [...heavy, ...LIGHTER];
}

function key({ workload, load }: Case, mix: Mix): string {
  return `${workload}-${load}-${mix}`;
}

function treeDocument({ workload, load }: Case, mix: Mix, profile: Profile): FigureDocument {
  const every = mix === 'dctcp' ? 1 : 2;
  const hosts = Array.from({ length: HOSTS / every }, (_, at) => `${every * (at + 1)}`);
  return {
    algorithm: mix === 'expresspass-dctcp' ? 'expresspass' : 'ec4',
    duration: '60s',
    topology: { name: 'fat-tree', rate: '40gbit', delay: '1us', dataQueue: '250frames', ecnThreshold: '100frames' },
    hosts: [
      { processing: { delay: '1us' }, nic: { dataQueue: '1000frames' } },
      { hosts, algorithm: 'dctcp' },
    ],
    flows: [
      {
        kind: 'poisson',
        workload,
        load,
        // The links of 192 hosts over 4.5, as for the workloads of ExpressPass.
        loadRate: '1706.67gbit',
        flows: profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS,
      },
    ],
  };
}

function times(runs: Runs, each: Case, mix: Mix, size: SizeClass = 'all'): FctResult | undefined {
  return runs.one(key(each, mix)).result.fct[size];
}

function largestClass(runs: Runs, each: Case): SizeClass {
  return [...SIZE_CLASSES].reverse().find((size) => times(runs, each, 'dctcp', size) !== undefined) as SizeClass;
}

function rowsOf(runs: Runs, each: Case): FigureRow[] {
  const of = (mix: Mix, size: SizeClass, read: (fct: FctResult) => number): number => {
    const found = times(runs, each, mix, size);
    return found === undefined ? Number.NaN : read(found);
  };
  const meanRatio = (mix: Mix): number =>
    of(mix, 'all', ({ meanNs }) => meanNs) / of('dctcp', 'all', ({ meanNs }) => meanNs);
  const size = largestClass(runs, each);
  const p99 = of('ec4-dctcp', size, ({ p99Ns }) => p99Ns) / of('expresspass-dctcp', size, ({ p99Ns }) => p99Ns);
  const what = `${each.workload}, load ${each.load}`;
  const missing = MIXES.map(
    (mix) => runs.one(key(each, mix)).result.flows.filter(({ fctNs }) => fctNs === null).length,
  );
  const drops = MIXES.map((mix) => dataDrops(runs.one(key(each, mix))));
  return [
    claim(
      {
        quantity: `${what}: mean time of EC4 with DCTCP over DCTCP`,
        paper: 'almost 1',
        ours: fixed(meanRatio('ec4-dctcp'), 2),
      },
      meanRatio('ec4-dctcp') <= MOST_MEAN,
      { held: `Held to ${MOST_MEAN}` },
    ),
    noClaim(
      { quantity: `${what}: the same of ExpressPass`, paper: 'worse', ours: fixed(meanRatio('expresspass-dctcp'), 2) },
      'It stands beside EC4.',
    ),
    claim(
      { quantity: `${what}: 99 % of ${size}, EC4 : ExpressPass`, paper: 'far below 1', ours: fixed(p99, 2) },
      p99 < 1,
      { held: 'Held to below 1' },
    ),
    noClaim(
      { quantity: `${what}: data frames lost (${MIXES.join(', ')})`, ours: drops.join(', ') },
      `Flows that did not end: ${missing.join(', ')}.`,
    ),
  ];
}

function chart(runs: Runs, each: Case): BarChart {
  const groups = SIZE_CLASSES.filter((size) => times(runs, each, 'dctcp', size) !== undefined);
  const ms = (mix: Mix, size: SizeClass): number | null => (times(runs, each, mix, size)?.p99Ns ?? Number.NaN) / 1e6;
  return {
    kind: 'bars',
    title: each.workload,
    x: { name: 'size class' },
    y: { name: '99 % of completion times (ms)', scale: 'log10' },
    groups,
    series: MIXES.map((mix) => ({ name: mix, values: groups.map((size) => ms(mix, size)) })),
  };
}

function table(runs: Runs, profile: Profile): FigureTable {
  const rows = cases(profile).flatMap((each) =>
    MIXES.flatMap((mix) =>
      SIZE_CLASSES.flatMap((size) => {
        const found = times(runs, each, mix, size);
        if (found === undefined) return [];
        const ms = [found.meanNs, found.p99Ns, found.maxNs].map((ns) => rounded(ns / 1e6, 4));
        return [[each.workload, each.load, mix, size, found.count, ...ms]];
      }),
    ),
  );
  return { key: '', titles: ['workload', 'load', 'mix', 'class', 'flows', 'mean_ms', 'p99_ms', 'max_ms'], rows };
}
