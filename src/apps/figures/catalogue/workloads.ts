import { type FctResult, SIZE_CLASSES, type SimulationRun, type SizeClass } from '../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../sim/traffic/workloads.js';
import { type Rule, ruleFields, SIXTEENTH_START } from '../blocks/dumbbell.js';
import { CLASSES, DATA_DROPS, UNFINISHED, WASTED_PER_FLOW } from '../blocks/quantities.js';
import type { Cell, FigureDocument } from '../figure.js';
import { chartsOf, counted, cross, figure, fixed, quantity, type Results, type Row, rounded, row } from '../plan.js';
import { mean } from '../statistics.js';

type Case = { readonly workload: WorkloadName; readonly rule: Rule };

const DRAWN: readonly Rule[] = ['steady', 'expresspass'];
const PAPER_FLOWS = 100_000;
/** What some seconds of work allow. */
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = { 'data-mining': 200, 'web-search': 300, 'cache-follower': 500, 'web-server': 2_000 };
/** Queue per port of ExpressPass with data mining at 10 Gbit/s, bytes. */
const PAPER_QUEUE = { mean: 938, max: 29_900 };
/** Credits that a flow wastes on average in the paper of 2016; its range for the workloads that it does not name. */
const PAPER_WASTE: Readonly<Partial<Record<WorkloadName, number>>> = { 'data-mining': 30, 'web-search': 40 };
const PAPER_WASTE_RANGE = '30 to 40';
const PAPER_WASTE_MOST = 40;

/** Queues of the ports of switches: all directions but those of the hosts' NICs. The mean is over time and ports. */
const ports = ({ result }: SimulationRun) => result.links.filter(({ name }) => !/^h\d+->/.test(name));
const QUEUE_MEAN = quantity('queue_bytes_mean', 2, (run) => mean(ports(run).map(({ dataQueueBytesMean }) => dataQueueBytesMean)));
const QUEUE_MAX = quantity('queue_bytes_max', 0, (run) => Math.max(...ports(run).map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)));

export const workloads = figure<Case>('workloads', 'Realistic workloads in a fat tree', {
  source: 'ExpressPass 2017, the realistic workloads; ExpressPass 2016, Figure 11 and Table 1',
  about: (profile) =>
    `8 core, 16 aggregation and 32 ToR switches, 192 hosts, links of 10 Gbit/s and 4 us, hosts that take 1 us over a frame and queue 1,000 frames. Flows arrive between random pairs as a Poisson process at a load of 0.6; ${profile === 'quick' ? `${WORKLOAD_NAMES.map((name) => `${counted(QUICK_FLOWS[name])} flows of ${name}`).join(', ')} (paper: 100,000 of each)` : '100,000 flows of each workload'}, one seed, initial rate and w_init 1/16.${profile === 'quick' ? ' So few flows arrive within 4 to 50 ms, and large ones go on alone after that: queues and times say what to expect of a short load, not of a lasting one.' : ''} Times are milliseconds; classes are S below 10 KB, M below 100 KB, L below 1 MB, XL the rest.

The load is a part of 426.67 Gbit/s, as in the authors' script: the links of 192 hosts over 4.5, of which 3 is the over-subscription at the ToR switches and 1.5 is not explained. It counts wire bytes of data. With the sum of the hosts' links the ToR switches would be overloaded.

The paper's completion times are drawings without numbers. The table of web search does not give the shares of classes that the papers state: 15.5 % of its flows are S and 38.8 % M, where they say 49 and 3.`,
  cases: () => cross({ workload: WORKLOAD_NAMES, rule: DRAWN }),
  document: ({ workload, rule }, profile) => treeDocument(workload, rule, profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS),
  rows: (results) => results.cases.flatMap((each) => rowsOf(results, each)),
  charts: (results) =>
    chartsOf(WORKLOAD_NAMES, (workload) => ({
      kind: 'bars',
      title: workload,
      x: { name: 'size class' },
      y: { name: 'completion time (ms)', scale: 'log10' },
      groups: CLASSES,
      series: [...DRAWN.map((rule) => bars(results, { workload, rule }, 'mean')), ...DRAWN.map((rule) => bars(results, { workload, rule }, '99 %'))],
    })),
  tables: (results) => [
    {
      key: 'times',
      titles: ['workload', 'rule', 'class', 'flows', 'mean_ms', 'p50_ms', 'p99_ms', 'max_ms', 'slowdown_p99'],
      rows: results.cases.flatMap((each) =>
        SIZE_CLASSES.flatMap((size) => {
          const times = timesOf(results, each, size);
          return times === undefined ? [] : [[each.workload, each.rule, size, ...timesCells(times)]];
        }),
      ),
    },
    results.table('network', [
      'workload',
      'rule',
      { flows: (each) => results.runsOf(each)[0].result.flows.length },
      UNFINISHED,
      DATA_DROPS,
      { wasted_per_flow: WASTED_PER_FLOW },
      QUEUE_MEAN,
      QUEUE_MAX,
    ]),
  ],
});

/** The fat tree under a load of 0.6 of this workload. `endpoint`: what its hosts have of their own. */
export function treeDocument(workload: WorkloadName, rule: Rule, flows: number, endpoint: FigureDocument = {}): FigureDocument {
  return {
    ...ruleFields(rule, SIXTEENTH_START),
    // The largest flow alone takes 0.9 s; arrivals of 100,000 flows of data mining 25 s.
    duration: '120s',
    topology: { name: 'fat-tree', rate: '10gbit', delay: '4us' },
    hosts: [{ processing: { delay: '1us' }, nic: { dataQueue: '1000frames' }, endpoint }],
    flows: [{ kind: 'poisson', workload, load: 0.6, loadRate: '426.67gbit', flows }],
  };
}

function timesOf(results: Results<Case>, each: Case, size: SizeClass): FctResult | undefined {
  return results.runsOf(each)[0].result.fct[size];
}

function rowsOf(results: Results<Case>, each: Case): Row[] {
  const { workload, rule } = each;
  const what = `${workload}, ${rule}`;
  const [missing, lost] = [UNFINISHED, DATA_DROPS].map((quantity) => results.of(quantity, each));
  const largest = row(`${what}: largest queue (B)`, results.of(QUEUE_MAX, each), 0);
  return [
    row(`${what}: flows that did not end; data frames lost`, `${missing}; ${lost}`, 0, {
      paper: '0; 0',
      met: missing === 0 && lost === 0,
      held: 'Held to none',
    }),
    ...(workload === 'data-mining'
      ? [
          row(`${what}: mean queue per port (B)`, results.of(QUEUE_MEAN, each), 1, {
            paper: PAPER_QUEUE.mean,
            most: PAPER_QUEUE.mean,
            held: "Held to no more than the paper's. Ours is over all ports of switches and all of the run, idle ones too; over what theirs is the paper does not say",
          }),
          { ...largest, paper: PAPER_QUEUE.max, most: PAPER_QUEUE.max, held: "Held to no more than the paper's" },
        ]
      : [{ ...largest, note: 'The paper gives the queues of data mining only.' }]),
    row(`${what}: credits wasted per flow`, results.of(WASTED_PER_FLOW, each), 1, {
      paper: PAPER_WASTE[workload] ?? PAPER_WASTE_RANGE,
      most: PAPER_WASTE[workload] ?? PAPER_WASTE_MOST,
      held: "Held to no more than the paper's",
    }),
    row(`${what}: mean / 99 % by class (ms)`, timesText(results, each), 0, { note: 'The paper has it as a drawing only.' }),
  ];
}

/** `S 0.104 / 0.209; M ...`. */
function timesText(results: Results<Case>, each: Case): string {
  const ms = (ns: number): string => fixed(ns / 1e6, 3);
  const found = CLASSES.flatMap((size) => {
    const times = timesOf(results, each, size);
    return times === undefined ? [] : [`${size} ${ms(times.meanNs)} / ${ms(times.p99Ns)}`];
  });
  return found.join('; ');
}

function bars(results: Results<Case>, each: Case, what: 'mean' | '99 %') {
  const ms = (times: FctResult): number => (what === 'mean' ? times.meanNs : times.p99Ns) / 1e6;
  const values = CLASSES.map((size) => timesOf(results, each, size)).map((times) => (times ? ms(times) : null));
  return { name: `${each.rule}, ${what}`, values };
}

function timesCells({ count, meanNs, p50Ns, p99Ns, maxNs, slowdownP99 }: FctResult): Cell[] {
  const ms = [meanNs, p50Ns, p99Ns, maxNs].map((ns) => rounded(ns / 1e6, 4));
  return [count, ...ms, rounded(slowdownP99, 2)];
}
