import { expect, it } from 'vitest';
import { workloads } from '../../../../src/apps/figures/catalogue/workloads.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import type { LinkResult, SimulationResult } from '../../../../src/sim/result.js';
import type { PoissonTraffic } from '../../../../src/sim/scenario.js';
import { evaluated, madeUpFlow, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

const SMALL = { count: 9, meanNs: 1e5, p50Ns: 9e4, p99Ns: 2e5, maxNs: 3e5, slowdownP99: 1.234 };

function figure(says: Partial<SimulationResult>) {
  return evaluated(
    workloads,
    () => madeUpRun({ flows: [madeUpFlow()], fct: { all: SMALL, S: SMALL }, ...says }),
    'quick',
  );
}

function withPorts(...says: Partial<LinkResult>[]) {
  return figure({ links: says.map((each, index) => madeUpLink({ name: `tor${index}->h${index}`, ...each })) });
}

it('takes queues from the ports of switches, not from those of hosts', () => {
  const nic = { name: 'h17->tor3', dataQueueBytesMaxEver: 9e6, dataQueueBytesMean: 9e6 };
  const outcome = withPorts(
    nic,
    { dataQueueBytesMaxEver: 29_900, dataQueueBytesMean: 1_876 },
    { dataQueueBytesMaxEver: 10, dataQueueBytesMean: 0 },
  );
  expect(rowOf(outcome, 'data-mining, steady: largest queue')).toMatchObject({ ours: '29900', verdict: 'met' });
  expect(rowOf(outcome, 'data-mining, steady: mean queue')).toMatchObject({ ours: '938.0', verdict: 'met' });
  const longer = withPorts({ dataQueueBytesMaxEver: 29_901, dataQueueBytesMean: 938.1 });
  expect(rowOf(longer, 'data-mining, steady: largest queue').verdict).toBe('missed');
  expect(rowOf(longer, 'data-mining, steady: mean queue').verdict).toBe('missed');
  expect(rowOf(longer, 'web-search, steady: largest queue').verdict).toBe('no claim');
});

it('holds the credits wasted by a flow to those of the paper', () => {
  const wasting = (...wasted: number[]) =>
    figure({ flows: wasted.map((each) => madeUpFlow({ credits: { sent: 99, used: 9, unused: each, dropped: 0 } })) });
  expect(rowOf(wasting(20, 40), 'data-mining, steady: credits wasted')).toMatchObject({ ours: '30.0', verdict: 'met' });
  expect(rowOf(wasting(31), 'data-mining, steady: credits wasted').verdict).toBe('missed');
  expect(rowOf(wasting(31), 'cache-follower, steady: credits wasted')).toMatchObject({
    paper: '30 to 40',
    verdict: 'met',
  });
});

it('holds every flow to end and no frame to be lost', () => {
  const words = 'web-server, expresspass: flows that did not end';
  expect(rowOf(figure({}), words)).toMatchObject({ ours: '0; 0', verdict: 'met' });
  expect(rowOf(figure({ flows: [madeUpFlow({ fctNs: null })] }), words)).toMatchObject({
    ours: '1; 0',
    verdict: 'missed',
  });
  expect(rowOf(withPorts({ dataDrops: 2 }), words)).toMatchObject({ ours: '0; 2', verdict: 'missed' });
});

it('gives times by class, and nothing of classes without flows', () => {
  const outcome = figure({});
  expect(rowOf(outcome, 'web-server, steady: mean / 99 %').ours).toBe('S 0.100 / 0.200');
  expect(outcome.tables[0].rows[1]).toEqual(['web-server', 'steady', 'S', 9, 0.1, 0.09, 0.2, 0.3, 1.23]);
  expect(outcome.charts[0].chart).toMatchObject({ groups: ['S', 'M', 'L', 'XL'], series: Array(4).fill({}) });
});

it('plays the fat tree and the load of the authors, and 100,000 flows in the profile of the papers', () => {
  const scenario = (profile: 'quick' | 'paper') => parseScenario(workloads.jobs(profile)[0].document);
  const { topology, hosts, traffic } = scenario('paper');
  expect([topology.hosts.length, topology.switches.length]).toEqual([192, 56]);
  expect(hosts[191]).toMatchObject({ processing: { delayNs: 1_000 }, nic: { dataQueueBytes: 1_538_000 } });
  expect(traffic[0] as PoissonTraffic).toMatchObject({ load: 0.6, loadRateBps: 426.67e9, flows: 100_000 });
  expect((scenario('quick').traffic[0] as PoissonTraffic).flows).toBe(2_000);
});
