import { expect, it } from 'vitest';
import { joiningLeaving } from '../../../../src/apps/figures/catalogue/joining-leaving.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { simulate } from '../../../../src/sim/simulate.js';
import { evaluated, madeUpRun, rowOf } from '../made-up-runs.js';

/** Five flows with their shares of 1 in each of 9 phases of 30 samples; in phase `at` one of them has `part` of its share. */
function course(at: number, part: number) {
  const flows = Array.from({ length: 5 }, (_, flow) => {
    const goodputBps = Float64Array.from({ length: 270 }, (_sample, sample) => {
      const phase = Math.floor(sample / 30);
      const isActive = phase >= flow && phase < flow + 5;
      return isActive ? (phase === at && flow === 2 ? part : 1) : 0;
    });
    return { goodputBps };
  });
  const timesNs = Float64Array.from({ length: 270 }, (_, sample) => 1e6 * (sample + 1));
  return { ...madeUpRun(), series: { timesNs, flows } } as never;
}

it('judges each phase by the flows that are there, and takes the worst', () => {
  const verdictOf = (at: number, part: number) =>
    rowOf(
      evaluated(joiningLeaving, () => course(at, part), 'quick'),
      'expresspass-2016',
    );
  expect(verdictOf(4, 1)).toMatchObject({ paper: 'fair share', ours: '1.000', verdict: 'met' });
  expect(verdictOf(4, 0)).toMatchObject({ ours: '0.800', verdict: 'missed' });
  expect(verdictOf(2, 0)).toMatchObject({ ours: '0.667', verdict: 'missed' });
});

it('plays flows that come one by one and go one by one', () => {
  const [job] = joiningLeaving.jobs('quick');
  const scenario = parseScenario({ ...job.document, duration: '32ms' });
  const { series } = simulate({ ...scenario, seed: 1 });
  const arrived = series?.flows.map(({ goodputBps }) => goodputBps.reduce((sum, bps) => sum + bps, 0)) ?? [];
  expect(arrived.map((sum) => sum > 0)).toEqual([true, true, false, false, false]);
});
