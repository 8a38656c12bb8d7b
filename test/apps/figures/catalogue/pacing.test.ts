import { expect, it } from 'vitest';
import { pacing } from '../../../../src/apps/figures/catalogue/pacing.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { evaluated, jainByWindow, madeUpRun, rowOf } from '../made-up-runs.js';

it('holds uneven gaps to be enough, and shows the miss of a pacer on a real machine', () => {
  const fair = (jain: number) =>
    evaluated(pacing, () => madeUpRun({ jainByWindow: jainByWindow({ 1e6: jain }) }), 'quick');
  expect(rowOf(fair(0.9), 'Jain')).toMatchObject({ ours: '0.900, 0.900, 0.900', verdict: 'met' });
  expect(rowOf(fair(0.89), 'Jain').verdict).toBe('missed');
  expect(rowOf(fair(1), 'software pacer')).toMatchObject({ paper: '772.52 ns', ours: '52 us', verdict: 'missed' });
});

it('varies gaps by what it says, and credits by nothing else', () => {
  const [{ document }] = pacing.jobs('quick');
  expect(parseScenario(document).hosts[0]).toMatchObject({
    endpoint: { jitter: 0.5, creditSizeJitterBytes: 0 },
    nic: { creditBurstBytes: 1e6 },
  });
  // A uniform part of 0.5 of 1,626 wire bytes at 10 Gbit/s.
  expect(pacing.about('quick')).toContain('a standard deviation of 376 ns');
});
