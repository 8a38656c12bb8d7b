import { type FctResult, SIZE_CLASSES, type SimulationRun, type SizeClass } from '../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../sim/traffic/workloads.js';
import type { BarChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { dataDrops } from '../blocks/link.js';
import { claim, fixed, noClaim, rounded } from '../blocks/rows.js';
import { type Rule, ruleFields } from '../blocks/rules.js';
import { mean } from '../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const DRAWN: readonly Rule[] = ['steady', 'expresspass'];
/** As in the paper for realistic workloads. */
const START = { initialRate: 1 / 16, wInit: 1 / 16 };
const PAPER_FLOWS = 100_000;
/** So many flows as some seconds of work allow. */
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = {
  'data-mining': 200,
  'web-search': 300,
  'cache-follower': 500,
  'web-server': 2_000,
};
const CLASSES = SIZE_CLASSES.filter((each) => each !== 'all');

/** Queue per port of ExpressPass with data mining at 10 Gbit/s, bytes. */
const PAPER_QUEUE = { mean: 938, max: 29_900 };
/** Credits that a flow wastes on average in the paper of 2016; its range for the workloads that it does not name. */
const PAPER_WASTE: Readonly<Partial<Record<WorkloadName, number>>> = { 'data-mining': 30, 'web-search': 40 };
const PAPER_WASTE_RANGE = '30 to 40';
const PAPER_WASTE_MOST = 40;
/** The port of a switch to its own host, or between switches: all but those of the hosts' NICs. */
const NIC_DIRECTION = /^h\d+->/;

export const workloads: Figure = {
  name: 'workloads',
  title: 'Realistic workloads in a fat tree',
  source: 'ExpressPass 2017, the realistic workloads; ExpressPass 2016, Figure 11 and Table 1',
  about: (profile) =>
    `8 core, 16 aggregation and 32 ToR switches, 192 hosts, links of 10 Gbit/s and 4 us, hosts that take 1 us over a frame and queue 1,000 frames. Flows arrive between random pairs as a Poisson process at a load of 0.6; ${profile === 'quick' ? `${WORKLOAD_NAMES.map((name) => `${QUICK_FLOWS[name].toLocaleString('en-US')} flows of ${name}`).join(', ')} (paper: 100,000 of each)` : '100,000 flows of each workload'}, one seed, initial rate and w_init 1/16.${profile === 'quick' ? ' So few flows arrive within 4 to 50 ms, and large ones go on alone after that: queues and times say what to expect of a short load, not of a lasting one.' : ''} Times are milliseconds; classes are S below 10 KB, M below 100 KB, L below 1 MB, XL the rest.

The load is a part of 426.67 Gbit/s, as in the authors' script: the links of 192 hosts over 4.5, of which 3 is the over-subscription at the ToR switches and 1.5 is not explained. It counts wire bytes of data. With the sum of the hosts' links the ToR switches would be overloaded.

The paper's completion times are drawings without numbers. The table of web search does not give the shares of classes that the papers state: 15.5 % of its flows are S and 38.8 % M, where they say 49 and 3.`,
  jobs: (profile) =>
    WORKLOAD_NAMES.flatMap((name) =>
      DRAWN.map((rule) => ({
        key: key(name, rule),
        document: treeDocument(name, rule, flowsOf(name, profile)),
        seeds: [1],
      })),
    ),
  evaluate: (runs) => ({
    charts: WORKLOAD_NAMES.map((name) => ({ key: name, chart: chart(name, runs) })),
    rows: WORKLOAD_NAMES.flatMap((name) => DRAWN.flatMap((rule) => rowsOf(name, rule, runs.one(key(name, rule))))),
    tables: [timesTable(runs), networkTable(runs)],
  }),
};

function key(name: WorkloadName, rule: Rule): string {
  return `${name}-${rule}`;
}

function flowsOf(name: WorkloadName, profile: Profile): number {
  return profile === 'quick' ? QUICK_FLOWS[name] : PAPER_FLOWS;
}

/** The fat tree under a load of 0.6 of this workload. `endpoint`: what its hosts have of their own. */
export function treeDocument(
  name: WorkloadName,
  rule: Rule,
  flows: number,
  endpoint: FigureDocument = {},
): FigureDocument {
  return {
    ...ruleFields(rule, START),
    // The largest flow alone takes 0.9 s; arrivals of 100,000 flows of data mining 25 s.
    duration: '120s',
    topology: { name: 'fat-tree', rate: '10gbit', delay: '4us' },
    hosts: [{ processing: { delay: '1us' }, nic: { dataQueue: '1000frames' }, endpoint }],
    flows: [
      {
        kind: 'poisson',
        workload: name,
        load: 0.6,
        loadRate: '426.67gbit',
        flows,
      },
    ],
  };
}

/** What the network was like during a run. */
interface NetworkFigures {
  readonly unfinished: number;
  readonly dataDrops: number;
  /** Credits that found nothing to send, per flow. */
  readonly wasted: number;
  /** Of the ports of switches; the mean is over time and ports. */
  readonly queueBytesMean: number;
  readonly queueBytesMax: number;
}

function networkOf(run: SimulationRun): NetworkFigures {
  const { flows, links } = run.result;
  const ports = links.filter(({ name }) => !NIC_DIRECTION.test(name));
  return {
    unfinished: flows.filter(({ fctNs }) => fctNs === null).length,
    dataDrops: dataDrops(run),
    wasted: mean(flows.map(({ credits }) => credits.wasted)),
    queueBytesMean: mean(ports.map(({ dataQueueBytesMean }) => dataQueueBytesMean)),
    queueBytesMax: Math.max(...ports.map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)),
  };
}

function rowsOf(name: WorkloadName, rule: Rule, run: SimulationRun): FigureRow[] {
  const what = `${name}, ${rule}`;
  const network = networkOf(run);
  return [
    claim(
      {
        quantity: `${what}: flows that did not end; data frames lost`,
        paper: '0; 0',
        ours: `${network.unfinished}; ${network.dataDrops}`,
      },
      network.unfinished === 0 && network.dataDrops === 0,
      { held: 'Held to none' },
    ),
    ...(name === 'data-mining' ? queueRows(what, network) : [largestRow(what, network)]),
    wasteRow(name, what, network),
    noClaim(
      { quantity: `${what}: mean / 99 % by class (ms)`, ours: timesText(run) },
      'The paper has it as a drawing only.',
    ),
  ];
}

function queueRows(what: string, { queueBytesMean, queueBytesMax }: NetworkFigures): FigureRow[] {
  return [
    claim(
      { quantity: `${what}: mean queue per port (B)`, paper: `${PAPER_QUEUE.mean}`, ours: fixed(queueBytesMean, 1) },
      queueBytesMean <= PAPER_QUEUE.mean,
      {
        held: "Held to no more than the paper's. Ours is over all ports of switches and all of the run, idle ones too; over what theirs is the paper does not say",
      },
    ),
    claim(
      { quantity: `${what}: largest queue (B)`, paper: `${PAPER_QUEUE.max}`, ours: fixed(queueBytesMax, 0) },
      queueBytesMax <= PAPER_QUEUE.max,
      { held: "Held to no more than the paper's" },
    ),
  ];
}

function largestRow(what: string, { queueBytesMax }: NetworkFigures): FigureRow {
  return noClaim(
    { quantity: `${what}: largest queue (B)`, ours: fixed(queueBytesMax, 0) },
    'The paper gives the queues of data mining only.',
  );
}

function wasteRow(name: WorkloadName, what: string, { wasted }: NetworkFigures): FigureRow {
  const paper = PAPER_WASTE[name];
  const text = {
    quantity: `${what}: credits wasted per flow`,
    paper: paper === undefined ? PAPER_WASTE_RANGE : `${paper}`,
    ours: fixed(wasted, 1),
  };
  return claim(text, wasted <= (paper ?? PAPER_WASTE_MOST), { held: "Held to no more than the paper's" });
}

/** `S 0.104 / 0.209; M ...`. */
function timesText(run: SimulationRun): string {
  const ms = (ns: number): string => fixed(ns / 1e6, 3);
  const found = CLASSES.flatMap((each) => {
    const times = run.result.fct[each];
    return times === undefined ? [] : [`${each} ${ms(times.meanNs)} / ${ms(times.p99Ns)}`];
  });
  return found.join('; ');
}

function chart(name: WorkloadName, runs: Runs): BarChart {
  const ms = (rule: Rule, each: SizeClass, of: (times: FctResult) => number): number | null => {
    const times = runs.one(key(name, rule)).result.fct[each];
    return times === undefined ? null : of(times) / 1e6;
  };
  const bars = (what: string, of: (times: FctResult) => number) =>
    DRAWN.map((rule) => ({ name: `${rule}, ${what}`, values: CLASSES.map((each) => ms(rule, each, of)) }));
  return {
    kind: 'bars',
    title: name,
    x: { name: 'size class' },
    y: { name: 'completion time (ms)', scale: 'log10' },
    groups: CLASSES,
    series: [...bars('mean', ({ meanNs }) => meanNs), ...bars('99 %', ({ p99Ns }) => p99Ns)],
  };
}

function timesTable(runs: Runs): FigureTable {
  const titles = ['workload', 'rule', 'class', 'flows', 'mean_ms', 'p50_ms', 'p99_ms', 'max_ms', 'slowdown_p99'];
  const rows = WORKLOAD_NAMES.flatMap((name) =>
    DRAWN.flatMap((rule) => {
      const { fct } = runs.one(key(name, rule)).result;
      return SIZE_CLASSES.flatMap((each) => {
        const times = fct[each];
        return times === undefined ? [] : [[name, rule, each, ...timesCells(times)]];
      });
    }),
  );
  return { key: 'times', titles, rows };
}

function timesCells({ count, meanNs, p50Ns, p99Ns, maxNs, slowdownP99 }: FctResult): (number | null)[] {
  const ms = [meanNs, p50Ns, p99Ns, maxNs].map((ns) => rounded(ns / 1e6, 4));
  return [count, ...ms, rounded(slowdownP99, 2)];
}

function networkTable(runs: Runs): FigureTable {
  const titles = [
    'workload',
    'rule',
    'flows',
    'unfinished',
    'data_drops',
    'wasted_per_flow',
    'queue_bytes_mean',
    'queue_bytes_max',
  ];
  const rows = WORKLOAD_NAMES.flatMap((name) =>
    DRAWN.map((rule) => {
      const run = runs.one(key(name, rule));
      const network = networkOf(run);
      return [
        name,
        rule,
        run.result.flows.length,
        network.unfinished,
        network.dataDrops,
        rounded(network.wasted, 2),
        rounded(network.queueBytesMean, 2),
        network.queueBytesMax,
      ];
    }),
  );
  return { key: 'network', titles, rows };
}
