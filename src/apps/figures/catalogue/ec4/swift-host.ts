// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { dataDrops, linkOf } from '../../blocks/link.js';
import { claim, fixed, rounded } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Runs } from '../../figure.js';

const SENDERS = 4;
const LAST_LINK = 's1->h1';
/** Over each frame: half of what the link carries, 813 frames a millisecond. */
const WORK = '2460ns';
const TARGET_US = 100;
const BASE_US = 25;

/** Who is slow, and what of it Swift sees. */
const CASES = {
  'fast-host': { work: '0ns', endpointTarget: TARGET_US },
  'slow-host': { work: WORK, endpointTarget: TARGET_US },
  'slow-host-one-window': { work: WORK, endpointTarget: 1e6 },
} as const;
type CaseName = keyof typeof CASES;
const NAMES = Object.keys(CASES) as CaseName[];
/** As near to a target as a delay is to be, in the mean of the second half of the run. */
const NEAR = 0.5;
/** A window grows by a frame an RTT, and so the delay that nobody heeds: seven times the target after 20 to 40 ms. */
const MOST_WITHOUT = 5;

export const ec4SwiftHost: Figure = {
  name: 'ec4-swift-host',
  title: 'Swift: delay in the fabric and in the hosts',
  source: 'Swift (SIGCOMM 2020), section 3.3; our scenario',
  about: () =>
    `Endless flows of Swift from ${SENDERS} hosts to one, 10 Gbit/s, links of 2 us; 40 ms. The receiver is fast, or its core takes ${WORK} over each frame, which is half of what the link brings. The target in the fabric is ${BASE_US} us and more (${BASE_US}, a switch and the scaling by flows), that in the hosts ${TARGET_US} us. With one window only that of the fabric heeds its delay.`,
  jobs: () => NAMES.map((name) => ({ key: name, document: incast(name), seeds: [1] })),
  evaluate: (runs) => ({
    charts: [
      {
        key: '',
        chart: {
          kind: 'lines',
          x: { name: 'time (ms)' },
          y: { name: 'delay in the hosts (us)', scale: 'log10' },
          series: NAMES.map((name) => courseOf(name, runs.one(name))),
        },
      },
    ],
    rows: rowsOf(runs),
    tables: [table(runs)],
  }),
};

function incast(name: CaseName): FigureDocument {
  const { work, endpointTarget } = CASES[name];
  return {
    algorithm: 'swift',
    parameters: { base_target: BASE_US, initial_window: 1, endpoint_target: endpointTarget },
    duration: '40ms',
    warmUp: '20ms',
    topology: { name: 'star', hosts: SENDERS + 1, rate: '10gbit', delay: '2us', dataQueue: '1000frames' },
    bottlenecks: [LAST_LINK],
    hosts: [{ hosts: '1', processing: { work } }],
    flows: [{ kind: 'incast', to: '1', startJitter: '100us' }],
    jainWindows: ['10ms'],
    probes: { interval: '200us', maxFlows: SENDERS },
  };
}

/** In every sample, of the first flow. */
function stateOf({ series }: SimulationRun, name: string): number[] {
  return [...(series?.flows[0]?.state?.[name] ?? [])];
}

function courseOf(name: CaseName, run: SimulationRun) {
  const y = stateOf(run, 'endpoint_delay').map((ns) => Math.max(ns / 1e3, 0.1));
  return { name, x: [...(run.series?.timesNs ?? [])].map((ns) => ns / 1e6), y };
}

/** Mean of the second half, us. */
function settledUs(run: SimulationRun, name: string): number {
  const values = stateOf(run, name);
  return mean(values.slice(values.length / 2)) / 1e3;
}

function rowsOf(runs: Runs): FigureRow[] {
  const [fast, slow, one] = NAMES.map((name) => runs.one(name));
  const hostsUs = settledUs(slow, 'endpoint_delay');
  const queue = (run: SimulationRun) => linkOf(run, LAST_LINK).dataQueueBytesMean;
  return [
    claim(
      { quantity: 'fast host: utilisation, delay in the hosts (us)', ours: pair(fast) },
      fast.result.utilisation >= 0.9 && settledUs(fast, 'endpoint_delay') === 0,
      { held: 'Held to 0.9 and none' },
    ),
    claim(
      { quantity: 'slow host: utilisation, delay in the hosts (us)', paper: 'by the target', ours: pair(slow) },
      slow.result.utilisation >= 0.45 && Math.abs(hostsUs / TARGET_US - 1) <= NEAR,
      { held: `Held to 0.45 of a link of which the host takes half, and ${NEAR * 100} % of the target` },
    ),
    claim(
      {
        quantity: 'mean queue in the fabric (B): fast host, slow host',
        ours: `${fixed(queue(fast), 0)}, ${fixed(queue(slow), 0)}`,
      },
      queue(slow) <= queue(fast) / 4,
      { held: 'Held to a quarter: what waits, waits in the host' },
    ),
    claim(
      { quantity: 'slow host, one window: utilisation, delay in the hosts (us)', ours: pair(one) },
      settledUs(one, 'endpoint_delay') >= MOST_WITHOUT * hostsUs,
      { held: `Held to ${MOST_WITHOUT} times the delay with two, and it grows on: nothing else bounds what waits` },
    ),
  ];
}

function pair(run: SimulationRun): string {
  return `${fixed(run.result.utilisation, 3)}, ${fixed(settledUs(run, 'endpoint_delay'), 1)}`;
}

function table(runs: Runs): FigureTable {
  const rows = NAMES.map((name) => {
    const run = runs.one(name);
    const { dataQueueBytesMean } = linkOf(run, LAST_LINK);
    const states = ['endpoint_delay', 'target', 'delay'].map((state) => rounded(settledUs(run, state), 1));
    return [name, rounded(run.result.utilisation, 4), ...states, rounded(dataQueueBytesMean, 0), dataDrops(run)];
  });
  return {
    key: '',
    titles: ['case', 'utilisation', 'hosts_us', 'fabric_target_us', 'rtt_us', 'queue_bytes_mean', 'data_drops'],
    rows,
  };
}
