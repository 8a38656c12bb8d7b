// Tested by test/apps/figures/catalogue.test.ts

import type { SimulationRun } from '../../../../sim/result.js';
import { lines } from '../../blocks/charts.js';
import { DATA_DROPS, queueOf, UTILISATION } from '../../blocks/quantities.js';
import { cross, figure, fixed, type Quantity, quantity, type Results, row } from '../../plan.js';
import { mean } from '../../statistics.js';

const SENDERS = 4;
const LAST_LINK = 's1->h1';
/** Over each frame: half of what the link carries, 813 frames a millisecond. */
const WORK = '2460ns';
const TARGET_US = 100;
const BASE_US = 25;
/** Who is slow, and what of it Swift sees. */
const HOSTS = {
  'fast-host': { work: '0ns', endpointTarget: TARGET_US },
  'slow-host': { work: WORK, endpointTarget: TARGET_US },
  'slow-host-one-window': { work: WORK, endpointTarget: 1e6 },
} as const;
type Host = keyof typeof HOSTS;
const HOST_NAMES = Object.keys(HOSTS) as Host[];
/** As near to a target as a delay is to be, in the mean of the second half of the run. */
const NEAR = 0.5;
/** A window grows by a frame an RTT, and so the delay that nobody heeds: seven times the target after 20 to 40 ms. */
const MOST_WITHOUT = 5;

const QUEUE = queueOf(LAST_LINK).mean;
const HOSTS_US = settled('hosts_us', 'endpoint_delay');
const TARGET = settled('fabric_target_us', 'target');
const RTT = settled('rtt_us', 'delay');

export const ec4SwiftHost = figure<{ host: Host }>('ec4-swift-host', 'Swift: delay in the fabric and in the hosts', {
  source: 'Swift (SIGCOMM 2020), section 3.3; our scenario',
  about: () =>
    `Endless flows of Swift from ${SENDERS} hosts to one, 10 Gbit/s, links of 2 us; 40 ms. The receiver is fast, or its core takes ${WORK} over each frame, which is half of what the link brings. The target in the fabric is ${BASE_US} us and more (${BASE_US}, a switch and the scaling by flows), that in the hosts ${TARGET_US} us. With one window only that of the fabric heeds its delay.`,
  cases: () => cross({ host: HOST_NAMES }),
  document: ({ host }) => ({
    algorithm: 'swift',
    parameters: { base_target: BASE_US, initial_window: 1, endpoint_target: HOSTS[host].endpointTarget },
    duration: '40ms',
    warmUp: '20ms',
    topology: { name: 'star', hosts: SENDERS + 1, rate: '10gbit', delay: '2us', dataQueue: '1000frames' },
    bottlenecks: [LAST_LINK],
    hosts: [{ hosts: '1', processing: { work: HOSTS[host].work } }],
    flows: [{ kind: 'incast', to: '1', startJitter: '100us' }],
    jainWindows: ['10ms'],
    probes: { interval: '200us', maxFlows: SENDERS },
  }),
  rows: (results) => {
    const [fast, slow, one] = HOST_NAMES.map((host) => valuesOf(results, host));
    return [
      row('fast host: utilisation, delay in the hosts (us)', fast.text, 0, {
        met: fast.utilisation >= 0.9 && fast.delayUs === 0,
        held: 'Held to 0.9 and none',
      }),
      row('slow host: utilisation, delay in the hosts (us)', slow.text, 0, {
        paper: 'by the target',
        met: slow.utilisation >= 0.45 && Math.abs(slow.delayUs / TARGET_US - 1) <= NEAR,
        held: `Held to 0.45 of a link of which the host takes half, and ${NEAR * 100} % of the target`,
      }),
      row('mean queue in the fabric (B): fast host, slow host', [fast.queue, slow.queue], 0, {
        met: slow.queue <= fast.queue / 4,
        held: 'Held to a quarter: what waits, waits in the host',
      }),
      row('slow host, one window: utilisation, delay in the hosts (us)', one.text, 0, {
        met: one.delayUs >= MOST_WITHOUT * slow.delayUs,
        held: `Held to ${MOST_WITHOUT} times the delay with two, and it grows on: nothing else bounds what waits`,
      }),
    ];
  },
  charts: (results) => ({
    '': lines(
      { x: 'time (ms)', y: { name: 'delay in the hosts (us)', scale: 'log10' } },
      HOST_NAMES.map((host) => {
        const [run] = results.runsOf({ host });
        const y = stateOf(run, 'endpoint_delay').map((ns) => Math.max(ns / 1e3, 0.1));
        return { name: host, x: [...(run.series?.timesNs ?? [])].map((ns) => ns / 1e6), y };
      }),
    ),
  }),
  table: [{ case: 'host' }, UTILISATION, HOSTS_US, TARGET, RTT, { queue_bytes_mean: QUEUE }, DATA_DROPS],
});

/** In every sample, of the first flow. */
function stateOf({ series }: SimulationRun, name: string): number[] {
  return [...(series?.flows[0]?.state?.[name] ?? [])];
}

/** Mean of the second half, us. */
function settled(title: string, state: string): Quantity {
  return quantity(title, 1, (run) => {
    const values = stateOf(run, state);
    return mean(values.slice(values.length / 2)) / 1e3;
  });
}

function valuesOf(results: Results<{ host: Host }>, host: Host) {
  const [utilisation, delayUs, queue] = [UTILISATION, HOSTS_US, QUEUE].map((each) => results.of(each, { host }));
  return { utilisation, delayUs, queue, text: `${fixed(utilisation, 3)}, ${fixed(delayUs, 1)}` };
}
