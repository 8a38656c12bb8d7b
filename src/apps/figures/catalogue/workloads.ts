import { type FctResult, SIZE_CLASSES, type SimulationRun, type SizeClass } from '../../../sim/result.js';
import type { WorkloadName } from '../../../sim/traffic/workloads.js';
import { ruleFields, SIXTEENTH_START } from '../blocks/dumbbell.js';
import { PAYLOAD_BYTES } from '../blocks/payload.js';
import { isPeer, PEERS, portsOf, type System } from '../blocks/peers.js';
import { CLASSES, DATA_DROPS, UNFINISHED, WASTED_PER_FLOW } from '../blocks/quantities.js';
import type { Cell, Figure, FigureDocument, Profile } from '../figure.js';
import { counted, cross, figure, fixed, quantity, type Results, type Row, rounded, row } from '../plan.js';
import { mean, sum } from '../statistics.js';
import { nearestOf } from '../verdict.js';

type Case = { readonly rule: System };

const DRAWN: readonly System[] = ['steady', 'expresspass', ...PEERS];
const PAPER_FLOWS = 100_000;
/** What some seconds of work allow. */
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = { 'data-mining': 200, 'web-search': 300, 'cache-follower': 500, 'web-server': 2_000 };

/** What the paper of 2016 says of a workload at 10 Gbit/s. */
interface PaperValues {
  /** Mean and largest queue per port, bytes (Table 1). */
  readonly queues?: Readonly<Partial<Record<System, readonly [number, number]>>>;
  /** Of a flow with credits, on average (section 4): credits that found no data, their part of all, and bytes that a last frame could have held besides. */
  readonly wasted: number;
  readonly wastedPart: number;
  readonly fragmentBytes: number;
}
const PAPER: Readonly<Partial<Record<WorkloadName, PaperValues>>> = {
  'data-mining': {
    queues: { expresspass: [938, 29_900], dctcp: [10_080, 243_100], hull: [826, 40_000], dx: [851, 307_600] },
    wasted: 30,
    wastedPart: 0.006,
    fragmentBytes: 727,
  },
  'web-search': { wasted: 40, wastedPart: 0.037, fragmentBytes: 745 },
};

/** Queues of the ports of switches: all directions but those of the hosts' NICs. The mean is over time and ports. */
const ports = ({ result }: SimulationRun) => result.links.filter(({ name }) => !/^h\d+->/.test(name));
const QUEUE_MEAN = quantity('queue_bytes_mean', 2, (run) => mean(ports(run).map(({ dataQueueBytesMean }) => dataQueueBytesMean)));
const QUEUE_MAX = quantity('queue_bytes_max', 0, (run) => Math.max(...ports(run).map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)));
/** Of the credits that reached senders. */
const WASTED_PART = quantity('wasted_part', 4, ({ result }) => {
  const [used, unused] = (['used', 'unused'] as const).map((kind) => sum(result.flows.map(({ credits }) => credits[kind])));
  return unused / (used + unused);
});
/** What the frames of a flow could have held beyond its bytes: internal fragmentation. */
const FRAGMENT = quantity('fragment_bytes', 0, ({ result }) =>
  mean(result.flows.map(({ bytes }) => Math.ceil((bytes ?? 0) / PAYLOAD_BYTES) * PAYLOAD_BYTES - (bytes ?? 0))),
);

/** One workload: a figure of its own, so that it can be played alone at the scale of the papers. */
export function workloadFigure(workload: WorkloadName): Figure {
  return figure<Case>(`workloads-${workload}`, `Fat tree: ${workload}`, {
    source: 'ExpressPass 2017, the realistic workloads; ExpressPass 2016, Figure 11, Table 1 and section 4',
    about: (profile) => about(workload, profile),
    cases: () => cross({ rule: DRAWN }),
    document: ({ rule }, profile) => treeDocument(workload, rule, flowsOf(workload, profile)),
    rows: (results) => [...DRAWN.flatMap((rule) => rowsOf(results, workload, rule)), ...tailRows(results, workload)],
    charts: (results) => ({
      '': {
        kind: 'bars',
        title: workload,
        x: { name: 'size class' },
        y: { name: 'completion time (ms)', scale: 'log10' },
        groups: CLASSES,
        series: (['mean', '99 %'] as const).flatMap((what) => DRAWN.map((rule) => bars(results, rule, what))),
      },
    }),
    tables: (results) => [
      {
        key: 'times',
        titles: ['rule', 'class', 'flows', 'mean_ms', 'p50_ms', 'p99_ms', 'max_ms', 'slowdown_p99'],
        rows: results.cases.flatMap(({ rule }) =>
          SIZE_CLASSES.flatMap((size) => {
            const times = timesOf(results, rule, size);
            return times === undefined ? [] : [[rule, size, ...timesCells(times)]];
          }),
        ),
      },
      results.table('network', [
        'rule',
        { flows: (each) => results.runsOf(each)[0].result.flows.length },
        UNFINISHED,
        DATA_DROPS,
        { wasted_per_flow: WASTED_PER_FLOW },
        WASTED_PART,
        FRAGMENT,
        QUEUE_MEAN,
        QUEUE_MAX,
      ]),
    ],
  });
}

function flowsOf(workload: WorkloadName, profile: Profile): number {
  return profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS;
}

function about(workload: WorkloadName, profile: Profile): string {
  const flows = `${counted(flowsOf(workload, profile))} flows of ${workload}${profile === 'quick' ? ` (paper: ${counted(PAPER_FLOWS)})` : ''}, one seed, initial rate and w_init 1/16.`;
  const short =
    profile === 'quick' ? ' So few arrive within 4 to 50 ms, and large ones go on alone after that: queues and times say what to expect of a short load.' : '';
  const times =
    ' Times are milliseconds; classes are S below 10 KB, M below 100 KB, L below 1 MB, XL the rest. The completion times of the papers are drawings without numbers.';
  return `8 core, 16 aggregation and 32 ToR switches, 192 hosts, links of 10 Gbit/s and 4 us, hosts that take 1 us over a frame and queue 1,000 frames. Flows arrive between random pairs as a Poisson process at a load of 0.6; ${flows}${short}${times}${NOTES[workload] ?? ''}`;
}

const NOTES: Readonly<Partial<Record<WorkloadName, string>>> = {
  'web-server': `

The load is a part of 426.67 Gbit/s, as in the authors' script: the links of 192 hosts over 4.5, of which 3 is the over-subscription at the ToR switches and 1.5 is not explained. It counts wire bytes of data. With the sum of the hosts' links the ToR switches would be overloaded.`,
  'web-search': `

The table of web search does not give the shares of classes that the papers state: 15.5 % of its flows are S and 38.8 % M, where they say 49 and 3.`,
};

/** The fat tree under a load of 0.6 of this workload. `endpoint`: what its hosts have of their own. */
export function treeDocument(workload: WorkloadName, rule: System, flows: number, endpoint: FigureDocument = {}): FigureDocument {
  return {
    ...ruleFields(rule, SIXTEENTH_START),
    // The largest flow alone takes 0.9 s; arrivals of 100,000 flows of data mining 25 s.
    duration: '120s',
    topology: { name: 'fat-tree', rate: '10gbit', delay: '4us', ...portsOf(rule) },
    hosts: [{ processing: { delay: '1us' }, nic: { dataQueue: '1000frames' }, endpoint }],
    flows: [{ kind: 'poisson', workload, load: 0.6, loadRate: '426.67gbit', flows }],
  };
}

function timesOf(results: Results<Case>, rule: System, size: SizeClass): FctResult | undefined {
  return results.runsOf({ rule })[0].result.fct[size];
}

function rowsOf(results: Results<Case>, workload: WorkloadName, rule: System): Row[] {
  const [missing, lost] = [UNFINISHED, DATA_DROPS].map((quantity) => results.of(quantity, { rule }));
  const ended = row(`${rule}: flows that did not end; data frames lost`, `${missing}; ${lost}`, 0);
  return [
    isPeer(rule)
      ? { ...ended, met: missing === 0, held: 'Held to all ended; losses are repaired' }
      : { ...ended, ...(rule === 'expresspass' && { paper: '0; 0' }), met: missing === 0 && lost === 0, held: 'Held to none' },
    ...queueRows(results, workload, rule),
    ...(isPeer(rule) ? [] : wasteRows(results, workload, rule)),
    row(`${rule}: mean / 99 % by class (ms)`, timesText(results, rule), 0, { note: 'The paper has it as a drawing only.' }),
  ];
}

function queueRows(results: Results<Case>, workload: WorkloadName, rule: System): Row[] {
  const found = [
    row(`${rule}: mean queue per port (B)`, results.of(QUEUE_MEAN, { rule }), 1),
    row(`${rule}: largest queue (B)`, results.of(QUEUE_MAX, { rule }), 0),
  ];
  const paper = PAPER[workload]?.queues?.[rule];
  if (paper === undefined) return found.map((each) => ({ ...each, note: 'The paper gives the queues of data mining only, of its own rule and of others.' }));
  const why = `Ours is over all ports of switches and all of the run, idle ones too; over what theirs is the paper does not say. ${results.profile === 'quick' ? `The quick profile plays ${flowsOf(workload, 'quick')} of ${counted(PAPER_FLOWS)} flows.` : ''}`;
  return found.map((each, at) => ({ ...each, paper: paper[at], why, ...(!isPeer(rule) && { better: 'less' as const }) }));
}

function wasteRows(results: Results<Case>, workload: WorkloadName, rule: System): Row[] {
  const of = { wasted: results.of(WASTED_PER_FLOW, { rule }), part: results.of(WASTED_PART, { rule }) };
  const wasted = row(`${rule}: credits wasted per flow`, of.wasted, 1);
  const part = row(`${rule}: part of the credits that was wasted (%)`, 100 * of.part, 2);
  const paper = PAPER[workload];
  if (rule === 'steady') return [wasted, part].map((each) => ({ ...each, note: 'The paper has it of its own rule, above and below.' }));
  if (paper === undefined)
    return [
      {
        ...wasted,
        paper: '30 to 40',
        beside: [[of.wasted], [nearestOf(of.wasted, [30, 40])]],
        better: 'less',
        why: 'Of flows that end within a round trip or two of their start, credits under way are few at an initial rate of 1/16.',
      },
      { ...part, note: 'The paper has it of two other workloads.' },
    ];
  return [
    { ...wasted, paper: paper.wasted, better: 'less' },
    {
      ...part,
      paper: 100 * paper.wastedPart,
      better: 'less',
      why: 'The paper divides by the mean size of all flows; here it is that of the flows that were drawn.',
    },
    row('bytes of a flow that its last frame could have held besides', results.of(FRAGMENT, { rule }), 0, { paper: paper.fragmentBytes }),
  ];
}

/** The paper in words: for flows below 100 KB DX and HULL are like ExpressPass on average and two to four times as slow at 99 %. */
function tailRows(results: Results<Case>, workload: WorkloadName): Row[] {
  if (workload !== 'data-mining') return [];
  const times = (rule: System, what: 'meanNs' | 'p99Ns'): number => timesOf(results, rule, 'S')?.[what] ?? Number.NaN;
  return PEERS.flatMap((peer) => {
    const [average, tail] = (['meanNs', 'p99Ns'] as const).map((what) => times(peer, what) / times('expresspass', what));
    const isNamed = peer !== 'dctcp';
    return [
      row(
        `${peer} over expresspass: mean of flows below 10 KB`,
        average,
        2,
        isNamed ? { paper: 'similar', beside: [[average], [1]] } : { paper: 'longer', least: 1 },
      ),
      row(
        `${peer} over expresspass: 99 % of flows below 10 KB`,
        tail,
        2,
        isNamed ? { paper: '2 to 4', beside: [[tail], [nearestOf(tail, [2, 4])]], better: 'more' } : { paper: 'longer', least: 1 },
      ),
    ];
  });
}

/** `S 0.104 / 0.209; M ...`. */
function timesText(results: Results<Case>, rule: System): string {
  const ms = (ns: number): string => fixed(ns / 1e6, 3);
  const found = CLASSES.flatMap((size) => {
    const times = timesOf(results, rule, size);
    return times === undefined ? [] : [`${size} ${ms(times.meanNs)} / ${ms(times.p99Ns)}`];
  });
  return found.join('; ');
}

function bars(results: Results<Case>, rule: System, what: 'mean' | '99 %') {
  const ms = (times: FctResult): number => (what === 'mean' ? times.meanNs : times.p99Ns) / 1e6;
  const values = CLASSES.map((size) => timesOf(results, rule, size)).map((times) => (times ? ms(times) : null));
  return { name: `${rule}, ${what}`, values };
}

function timesCells({ count, meanNs, p50Ns, p99Ns, maxNs, slowdownP99 }: FctResult): Cell[] {
  const ms = [meanNs, p50Ns, p99Ns, maxNs].map((ns) => rounded(ns / 1e6, 4));
  return [count, ...ms, rounded(slowdownP99, 2)];
}
