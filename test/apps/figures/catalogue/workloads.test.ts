import { expect, it } from 'vitest';
import { workloadFigure } from '../../../../src/apps/figures/catalogue/workloads.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import type { LinkResult, SimulationResult } from '../../../../src/sim/result.js';
import type { PoissonTraffic } from '../../../../src/sim/scenario.js';
import type { WorkloadName } from '../../../../src/sim/traffic/workloads.js';
import { evaluated, madeUpFlow, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

const SMALL = { count: 9, meanNs: 1e5, p50Ns: 9e4, p99Ns: 2e5, maxNs: 3e5, slowdownP99: 1.234 };

function figure(says: Partial<SimulationResult>, workload: WorkloadName = 'data-mining') {
  return evaluated(
    workloadFigure(workload),
    () => madeUpRun({ flows: [madeUpFlow()], fct: { all: SMALL, S: SMALL }, ...says }),
    'quick',
  );
}

function withPorts(...says: Partial<LinkResult>[]) {
  return figure({ links: says.map((each, index) => madeUpLink({ name: `tor${index}->h${index}`, ...each })) });
}

it('takes queues from the ports of switches, not from those of hosts, and holds them to the paper', () => {
  const nic = { name: 'h17->tor3', dataQueueBytesMaxEver: 9e6, dataQueueBytesMean: 9e6 };
  const outcome = withPorts(
    nic,
    { dataQueueBytesMaxEver: 29_900, dataQueueBytesMean: 1_876 },
    { dataQueueBytesMaxEver: 10, dataQueueBytesMean: 0 },
  );
  expect(rowOf(outcome, 'expresspass: largest queue')).toMatchObject({ paper: '29900', ours: '29900', verdict: 'met' });
  expect(rowOf(outcome, 'expresspass: mean queue')).toMatchObject({ ours: '938.0', verdict: 'met' });
  expect(rowOf(outcome, 'dctcp: largest queue')).toMatchObject({ paper: '243100', verdict: 'outside' });
  expect(rowOf(outcome, 'steady: largest queue')).toMatchObject({ paper: null, verdict: 'no claim' });
  const longer = withPorts({ dataQueueBytesMaxEver: 40_000, dataQueueBytesMean: 10 });
  expect(rowOf(longer, 'expresspass: largest queue').verdict).toBe('missed');
  expect(rowOf(longer, 'expresspass: mean queue').verdict).toBe('outside');
});

it('holds what a flow wastes to the paper: credits, their part, and what its last frame could have held', () => {
  const wasting = (unused: number, workload?: WorkloadName) => {
    const flow = madeUpFlow({ bytes: 1_446 + 719, credits: { sent: 99, used: 4_970, unused, dropped: 0 } });
    return figure({ flows: [flow] }, workload);
  };
  const words = 'expresspass: credits wasted';
  expect(rowOf(wasting(30), words)).toMatchObject({ paper: '30', ours: '30.0', verdict: 'met' });
  expect(rowOf(wasting(30), 'expresspass: part of the credits')).toMatchObject({ paper: '0.6', ours: '0.60' });
  expect(rowOf(wasting(60), words).verdict).toBe('missed');
  expect(rowOf(wasting(10), words).verdict).toBe('outside');
  expect(rowOf(wasting(31, 'cache-follower'), words)).toMatchObject({ paper: '30 to 40', verdict: 'met' });
  expect(rowOf(wasting(30), 'bytes of a flow').ours).toBe('727');
});

it('holds every flow to end, and no frame of a rule of credits to be lost', () => {
  const words = 'expresspass: flows that did not end';
  expect(rowOf(figure({}), words)).toMatchObject({ ours: '0; 0', verdict: 'met' });
  const unfinished = figure({ flows: [madeUpFlow({ fctNs: null })] });
  expect(rowOf(unfinished, words)).toMatchObject({ ours: '1; 0', verdict: 'missed' });
  expect(rowOf(unfinished, 'dctcp: flows that did not end').verdict).toBe('missed');
  expect(rowOf(withPorts({ dataDrops: 2 }), words)).toMatchObject({ ours: '0; 2', verdict: 'missed' });
  expect(rowOf(withPorts({ dataDrops: 2 }), 'dctcp: flows that did not end').verdict).toBe('met');
});

it('gives times by class, and nothing of classes without flows', () => {
  const outcome = figure({}, 'web-server');
  expect(rowOf(outcome, 'steady: mean / 99 %').ours).toBe('S 0.100 / 0.200');
  expect(outcome.tables[0].rows[1]).toEqual(['steady', 'S', 9, 0.1, 0.09, 0.2, 0.3, 1.23]);
  expect(outcome.charts[0].chart).toMatchObject({ groups: ['S', 'M', 'L', 'XL'] });
});

it('plays the fat tree and the load of the authors, and 100,000 flows in the profile of the papers', () => {
  const scenario = (profile: 'quick' | 'paper') =>
    parseScenario(workloadFigure('web-server').jobs(profile)[0].document);
  const { topology, hosts, traffic } = scenario('paper');
  expect([topology.hosts.length, topology.switches.length]).toEqual([192, 56]);
  expect(hosts[191]).toMatchObject({ processing: { delayNs: 1_000 }, nic: { dataQueueBytes: 1_538_000 } });
  expect(traffic[0] as PoissonTraffic).toMatchObject({ load: 0.6, loadRateBps: 426.67e9, flows: 100_000 });
  expect((scenario('quick').traffic[0] as PoissonTraffic).flows).toBe(2_000);
});
