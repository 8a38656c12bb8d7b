// Tested by test/apps/figures/catalogue.test.ts
import { type FctResult, SIZE_CLASSES, type SimulationRun, type SizeClass } from '../../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../../sim/traffic/workloads.js';
import type { BarChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { dataDrops } from '../../blocks/link.js';
import { claim, fixed, noClaim, rounded, seeds } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

/** `full-rate`: its flows open at the rate of the link, as EC4 §III.C has it. */
const MIXES = ['ec4-dctcp', 'ec4-full-rate-dctcp', 'expresspass-dctcp', 'dctcp'] as const;
type Mix = (typeof MIXES)[number];
type Times = Pick<FctResult, 'count' | 'meanNs' | 'p99Ns' | 'maxNs'>;
const HOSTS = 192;
/** The paper does not say how many (ours). */
const PAPER_FLOWS = 20_000;
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = {
  'data-mining': 100,
  'web-search': 250,
  'cache-follower': 400,
  'web-server': 2_000,
};
/** What ExpressPass opens with beside it: ExpressPass 2017 §3.3, for realistic workloads. Why not EC4's own: docs/decisions/0015-ec4.md. */
const INITIAL_RATE = 1 / 16;
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
    `8 core, 16 aggregation and 32 ToR switches, 192 hosts, 40 Gbit/s, links of 1 us, hosts that take 1 us over a frame, queues of 250 frames that mark above 100. ${profile === 'quick' ? 'Load 0.6, some hundred flows (paper: loads of 0.2, 0.4 and 0.6), which end within milliseconds: what to expect of a short load' : 'Load 0.6, and 0.2 and 0.4 of web search, 20,000 flows each'}. Every second host sends by DCTCP. Mean completion times of all flows, over those of DCTCP alone, and the 99th percentile of the largest class; means over ${seedCount(profile)} seeds. Flows with credits open at a sixteenth of the link, as ExpressPass's do for realistic workloads; those of ec4-full-rate at all of it, as EC4's paper has it.`,
  jobs: (profile) =>
    cases(profile).flatMap((each) =>
      MIXES.map((mix) => ({
        key: key(each, mix),
        document: treeDocument(each, mix, profile),
        seeds: seeds(seedCount(profile)),
      })),
    ),
  evaluate: (runs, profile) => ({
    charts: WORKLOAD_NAMES.map((workload) => ({ key: workload, chart: chart(runs, { workload, load: 0.6 }) })),
    rows: cases(profile).flatMap((each) => rowsOf(runs, each)),
    tables: [table(runs, profile)],
  }),
};

/** A handful of large flows decide the 99 % of a quick run. */
function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 1;
}

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
      ...(mix === 'ec4-dctcp' ? [{ parameters: { initial_rate: INITIAL_RATE } }] : []),
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

/** Means over seeds; of counts the sum, of the longest the longest. */
function times(runs: Runs, each: Case, mix: Mix, size: SizeClass = 'all'): Times | undefined {
  const found = runs.of(key(each, mix)).flatMap(({ result }) => result.fct[size] ?? []);
  if (found.length === 0) return undefined;
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    meanNs: mean(found.map(({ meanNs }) => meanNs)),
    p99Ns: mean(found.map(({ p99Ns }) => p99Ns)),
    maxNs: Math.max(...found.map(({ maxNs }) => maxNs)),
  };
}

function largestClass(runs: Runs, each: Case): SizeClass {
  return [...SIZE_CLASSES].reverse().find((size) => times(runs, each, 'dctcp', size) !== undefined) as SizeClass;
}

/** The times of one mix over those of another. */
function timeRatio(runs: Runs, each: Case, [mix, over]: readonly [Mix, Mix]) {
  const of = (which: Mix, size: SizeClass, time: 'meanNs' | 'p99Ns'): number =>
    times(runs, each, which, size)?.[time] ?? Number.NaN;
  return (size: SizeClass, time: 'meanNs' | 'p99Ns'): number => of(mix, size, time) / of(over, size, time);
}

function rowsOf(runs: Runs, each: Case): FigureRow[] {
  const what = `${each.workload}, load ${each.load}`;
  return [...meanRows(runs, each, what), ...longestRows(runs, each, what), lostRow(runs, each, what)];
}

function meanRows(runs: Runs, each: Case, what: string): FigureRow[] {
  const overDctcp = (mix: Mix): number => timeRatio(runs, each, [mix, 'dctcp'])('all', 'meanNs');
  const ratio = overDctcp('ec4-dctcp');
  const text = {
    quantity: `${what}: mean time of EC4 with DCTCP over DCTCP`,
    paper: 'almost 1',
    ours: fixed(ratio, 2),
  };
  const beside = (name: string, mix: Mix, paper: string): FigureRow =>
    noClaim(
      { quantity: `${what}: the same of ${name}`, paper, ours: fixed(overDctcp(mix), 2) },
      'It stands beside EC4.',
    );
  return [
    claim(text, ratio <= MOST_MEAN, { held: `Held to ${MOST_MEAN}` }),
    beside('EC4 at full rate', 'ec4-full-rate-dctcp', 'almost 1'),
    beside('ExpressPass', 'expresspass-dctcp', 'worse'),
  ];
}

function longestRows(runs: Runs, each: Case, what: string): FigureRow[] {
  const size = largestClass(runs, each);
  const [ratio, fullRate] = (['ec4-dctcp', 'ec4-full-rate-dctcp'] as const).map((mix) =>
    timeRatio(runs, each, [mix, 'expresspass-dctcp'])(size, 'p99Ns'),
  );
  const text = { quantity: `${what}: 99 % of ${size}, EC4 : ExpressPass`, paper: 'far below 1', ours: fixed(ratio, 2) };
  return [
    claim(text, ratio < 1, { held: 'Held to below 1', why: WHY[each.workload] ?? '' }),
    noClaim(
      { quantity: `${what}: the same of EC4 at full rate`, paper: 'far below 1', ours: fixed(fullRate, 2) },
      'Its flows crowd each other out: credits are lost, and what a loss takes comes back a frame in a round trip.',
    ),
  ];
}

/** Why the largest flows of a workload take no less time than with ExpressPass. */
const WHY: Readonly<Partial<Record<WorkloadName, string>>> = {
  'web-server':
    "No flow is larger than 500 kB: each ends within some fifty round trips, in which ExpressPass cannot starve DCTCP. Its own flows gain at DCTCP's cost, those of EC4 take 1.1 to 1.3 times as long as DCTCP's.",
  'data-mining': 'The time of the largest flow, some 70 MB at the rate of the link, whoever is beside it.',
};

function lostRow(runs: Runs, each: Case, what: string): FigureRow {
  const sum = (mix: Mix, of: (run: SimulationRun) => number): number =>
    runs.of(key(each, mix)).reduce((all, run) => all + of(run), 0);
  const missing = MIXES.map((mix) =>
    sum(mix, ({ result }) => result.flows.filter(({ fctNs }) => fctNs === null).length),
  );
  const drops = MIXES.map((mix) => sum(mix, dataDrops));
  return noClaim(
    { quantity: `${what}: data frames lost (${MIXES.join(', ')})`, ours: drops.join(', ') },
    `Flows that did not end: ${missing.join(', ')}.`,
  );
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
