import { expect, it } from 'vitest';
import { shuffle } from '../../../../src/apps/figures/catalogue/shuffle.js';
import type { FlowResult, SimulationResult } from '../../../../src/sim/result.js';
import { expectedFlows } from '../expected-flows.js';
import { evaluated, madeUpFlow, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

/** 7 hosts send 16 flows of 1 MB to each: 1,446 B of payload in 1,626 wire bytes of frame and credit. */
const IDEAL_NS = ((7 * 16 * 1e6) / 1446) * 1626 * 0.8;

function times(part: number): SimulationResult['fct'] {
  const ns = part * IDEAL_NS;
  return { all: { count: 896, meanNs: ns, p50Ns: ns, p99Ns: 2 * ns, maxNs: 3 * ns, slowdownP99: null } };
}

function figure(says: Partial<SimulationResult> & { flow?: Partial<FlowResult> }) {
  const flows = [madeUpFlow(says.flow), madeUpFlow()];
  return evaluated(shuffle, () => madeUpRun({ fct: times(1), flows, ...says }), 'quick');
}

it('gives times as parts of what the link of a host needs', () => {
  const outcome = figure({ fct: times(1.1) });
  expect(rowOf(outcome, 'expresspass: median')).toMatchObject({
    paper: '0.98 (2.2 s)',
    ours: '1.100 (0.111 s)',
    verdict: 'met',
  });
  expect(rowOf(figure({ fct: times(1.101) }), 'expresspass: median').verdict).toBe('missed');
  expect(rowOf(outcome, 'steady: 99 %').ours).toBe('2.200 (0.222 s)');
  expect(rowOf(outcome, 'steady: longest').ours).toBe('3.300 (0.332 s)');
});

it('holds every flow to end and no frame to be lost', () => {
  const words = 'steady: flows that did not end';
  expect(rowOf(figure({}), words)).toMatchObject({ ours: '0; 0', verdict: 'met' });
  expect(rowOf(figure({ flow: { fctNs: null } }), words)).toMatchObject({ ours: '1; 0', verdict: 'missed' });
  expect(rowOf(figure({ links: [madeUpLink({ dataDrops: 3 })] }), words)).toMatchObject({
    ours: '0; 3',
    verdict: 'missed',
  });
});

it('has as many flows as it says: those of the paper in its profile', () => {
  expect(expectedFlows(shuffle.jobs('quick')[0].document)).toBe(896);
  expect(expectedFlows(shuffle.jobs('paper')[0].document)).toBe(99_840);
  expect(shuffle.about('paper')).toContain('99,840 flows. Links');
});
