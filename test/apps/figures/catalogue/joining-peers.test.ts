import { expect, it } from 'vitest';
import { joiningPeers } from '../../../../src/apps/figures/catalogue/joining-peers.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { evaluated, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

/** Payload of a fair half. */
const halfBps = (rateBps: number) => (rateBps / 2) * (1446 / 1538);

/** Two flows that are fair from the sample `at` on, counted from when the second starts. */
function fairFrom(key: string, rtts: number) {
  const rateBps = key.endsWith('100gbit') ? 100e9 : 10e9;
  const isPeer = !key.startsWith('expresspass');
  const [start, at] = isPeer ? [20, rtts / 10] : [0, rtts];
  const length = 320;
  const timesNs = Float64Array.from(
    { length },
    (_, sample) => (isPeer ? 1e6 : 1e5) * (sample + 1) + (isPeer ? 0 : 5e6),
  );
  const payload = (sample: number) => (sample < start + at ? 0.1 : 1) * halfBps(rateBps) * (isPeer ? 1 : 1538 / 1626);
  const flows = [0, 1].map(() => ({ goodputBps: Float64Array.from({ length }, (_, sample) => payload(sample)) }));
  return { result: madeUpRun({ links: [madeUpLink({ rateBps })] }).result, series: { timesNs, flows } } as never;
}

function figure(dctcp: number, dctcp100: number) {
  const rtts = (key: string) => (key.startsWith('expresspass') ? 3 : key.endsWith('100gbit') ? dctcp100 : dctcp);
  return evaluated(joiningPeers, (key) => fairFrom(key, rtts(key)), 'quick');
}

it('holds DCTCP to 80 times the time of ExpressPass and to growth with the rate', () => {
  const outcome = figure(300, 3_000);
  expect(rowOf(outcome, 'dctcp over')).toMatchObject({ ours: '100', paper: 'more than 80', verdict: 'met' });
  expect(rowOf(outcome, 'dctcp, 100 Gbit/s over')).toMatchObject({ ours: '10.0', verdict: 'met' });
  expect(rowOf(figure(60, 120), 'dctcp over').verdict).toBe('missed');
  expect(rowOf(figure(60, 120), 'dctcp, 100 Gbit/s over').verdict).toBe('outside');
});

it('has the marking of the paper at both rates', () => {
  const ports = joiningPeers.jobs('quick').filter(({ key }) => key.startsWith('dctcp'));
  const marks = ports.map(({ document }) => parseScenario(document).topology.links[0].port.ecnThresholdBytes);
  expect(marks).toEqual([65 * 1538, 650 * 1538]);
});
