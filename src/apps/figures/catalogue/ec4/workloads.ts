// Tested by test/apps/figures/catalogue.test.ts

import { SIZE_CLASSES, type SizeClass } from '../../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../../sim/traffic/workloads.js';
import { DATA_DROPS, time, unfinished } from '../../blocks/quantities.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { chartsOf, cross, figure, type Quantity, quantity, type Results, type Row, rounded, row } from '../../plan.js';
import { largest, mean, sum } from '../../statistics.js';

type Load = { readonly workload: WorkloadName; readonly load: number };

interface Case extends Load {
  readonly mix: Mix;
}

/** `full-rate`: its flows open at the rate of the link, as EC4 §III.C has it. */
const MIXES = ['ec4-dctcp', 'ec4-full-rate-dctcp', 'expresspass-dctcp', 'dctcp'] as const;
type Mix = (typeof MIXES)[number];
const HOSTS = 192;
/** The paper does not say how many (ours). */
const PAPER_FLOWS = 20_000;
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = { 'data-mining': 100, 'web-search': 250, 'cache-follower': 400, 'web-server': 2_000 };
/** A handful of large flows decide the 99 % of a quick run. */
const SEEDS: Readonly<Record<Profile, number>> = { quick: 2, paper: 1 };
/** What ExpressPass opens with beside it: ExpressPass 2017 §3.3, for realistic workloads. Why not EC4's own: docs/decisions/0015-ec4.md. */
const INITIAL_RATE = 1 / 16;
/** Against DCTCP alone: "almost the same" on average; ours, since so few flows differ by chance. */
const MOST_MEAN = 1.25;
const HEAVY: readonly Load[] = cross({ workload: WORKLOAD_NAMES, load: [0.6] });
/** The paper draws the other loads for web search only. */
const LOADS: Readonly<Record<Profile, readonly Load[]>> = {
  quick: HEAVY,
  paper: [...HEAVY, ...cross({ workload: ['web-search'] as const, load: [0.2, 0.4] })],
};

/** Completion times of a size class in ms, over the seeds that have flows of it: means, and the longest of all. */
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

export const ec4Workloads = figure<Case>('ec4-workloads', 'Realistic workloads in a fat tree, half of the hosts with credits', {
  source: 'EC4, Figures 8 and 9',
  about: (profile) =>
    `8 core, 16 aggregation and 32 ToR switches, 192 hosts, 40 Gbit/s, links of 1 us, hosts that take 1 us over a frame, queues of 250 frames that mark above 100. ${profile === 'quick' ? 'Load 0.6, some hundred flows (paper: loads of 0.2, 0.4 and 0.6), which end within milliseconds: what to expect of a short load' : 'Load 0.6, and 0.2 and 0.4 of web search, 20,000 flows each'}. Every second host sends by DCTCP. Mean completion times of all flows, over those of DCTCP alone, and the 99th percentile of the largest class; means over ${SEEDS[profile]} seeds. Flows with credits open at a sixteenth of the link, as ExpressPass's do for realistic workloads; those of ec4-full-rate at all of it, as EC4's paper has it.`,
  cases: (profile) => LOADS[profile].flatMap((load) => MIXES.map((mix) => ({ ...load, mix }))),
  document: treeDocument,
  seeds: SEEDS,
  rows: (results) => LOADS[results.profile].flatMap((load) => rowsOf(results, load)),
  charts: (results) =>
    chartsOf(WORKLOAD_NAMES, (workload) => {
      const groups = classesOf(results, { workload, load: 0.6 });
      return {
        kind: 'bars',
        title: workload,
        x: { name: 'size class' },
        y: { name: '99 % of completion times (ms)', scale: 'log10' },
        groups,
        series: MIXES.map((mix) => ({ name: mix, values: groups.map((size) => results.of(TIMES[size].p99, { workload, load: 0.6, mix }) / 1e6) })),
      };
    }),
  tables: (results) => [
    {
      key: '',
      titles: ['workload', 'load', 'mix', 'class', 'flows', 'mean_ms', 'p99_ms', 'max_ms'],
      rows: results.cases.flatMap((each) =>
        SIZE_CLASSES.filter((size) => Number.isFinite(results.of(TIMES[size].mean, each))).map((size) => {
          const { mean: average, p99, max, count } = TIMES[size];
          const ms = [average, p99, max].map((quantity) => rounded(results.of(quantity, each) / 1e6, 4));
          return [each.workload, each.load, each.mix, size, results.of(count, each), ...ms];
        }),
      ),
    },
  ],
});

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

function treeDocument({ workload, load, mix }: Case, profile: Profile): FigureDocument {
  const every = mix === 'dctcp' ? 1 : 2;
  const hosts = Array.from({ length: HOSTS / every }, (_, at) => `${every * (at + 1)}`);
  // The links of 192 hosts over 4.5, as for the workloads of ExpressPass.
  const loadRate = '1706.67gbit';
  return {
    algorithm: mix === 'expresspass-dctcp' ? 'expresspass' : 'ec4',
    duration: '60s',
    topology: { name: 'fat-tree', rate: '40gbit', delay: '1us', dataQueue: '250frames', ecnThreshold: '100frames' },
    hosts: [
      ...(mix === 'ec4-dctcp' ? [{ parameters: { initial_rate: INITIAL_RATE } }] : []),
      { processing: { delay: '1us' }, nic: { dataQueue: '1000frames' } },
      { hosts, algorithm: 'dctcp' },
    ],
    flows: [{ kind: 'poisson', workload, load, loadRate, flows: profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS }],
  };
}

/** Those of the flows, by the runs of DCTCP alone. */
function classesOf(results: Results<Case>, load: Load): SizeClass[] {
  return SIZE_CLASSES.filter((size) => Number.isFinite(results.of(TIMES[size].mean, { ...load, mix: 'dctcp' })));
}

function rowsOf(results: Results<Case>, load: Load): Row[] {
  const name = `${load.workload}, load ${load.load}`;
  const size = classesOf(results, load).at(-1) as SizeClass;
  const ratio = (quantity: Quantity, mix: Mix, over: Mix) => results.ratio(quantity, { ...load, mix }, { ...load, mix: over });
  const overDctcp = (what: string, mix: Mix, rest: Partial<Row>) => row(`${name}: ${what}`, ratio(TIMES.all.mean, mix, 'dctcp'), 2, rest);
  const overExpresspass = (what: string, mix: Mix, rest: Partial<Row>) =>
    row(`${name}: ${what}`, ratio(TIMES[size].p99, mix, 'expresspass-dctcp'), 2, { paper: 'far below 1', ...rest });
  const met = ratio(TIMES[size].p99, 'ec4-dctcp', 'expresspass-dctcp') < 1;
  const note = 'It stands beside EC4.';
  return [
    overDctcp('mean time of EC4 with DCTCP over DCTCP', 'ec4-dctcp', { paper: 'almost 1', most: MOST_MEAN }),
    overDctcp('the same of EC4 at full rate', 'ec4-full-rate-dctcp', { paper: 'almost 1', note }),
    overDctcp('the same of ExpressPass', 'expresspass-dctcp', { paper: 'worse', note }),
    overExpresspass(`99 % of ${size}, EC4 : ExpressPass`, 'ec4-dctcp', { met, held: 'Held to below 1', why: WHY[load.workload] ?? '' }),
    overExpresspass('the same of EC4 at full rate', 'ec4-full-rate-dctcp', {
      note: 'Its flows crowd each other out: credits are lost, and what a loss takes comes back a frame in a round trip.',
    }),
    row(`${name}: data frames lost (${MIXES.join(', ')})`, results.list(DATA_DROPS, load), 0, {
      note: `Flows that did not end: ${results.list(MISSING, load).join(', ')}.`,
    }),
  ];
}

/** Why the largest flows of a workload take no less time than with ExpressPass. */
const WHY: Readonly<Partial<Record<WorkloadName, string>>> = {
  'web-server':
    "No flow is larger than 500 kB: each ends within some fifty round trips, in which ExpressPass cannot starve DCTCP. Its own flows gain at DCTCP's cost, those of EC4 take 1.1 to 1.3 times as long as DCTCP's.",
  'data-mining': 'The time of the largest flow, some 70 MB at the rate of the link, whoever is beside it.',
};
