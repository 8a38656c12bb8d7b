import { expect, it } from 'vitest';
import { StateSamples } from '../../../src/sim/measure/state-samples.js';
import { simulate } from '../../../src/sim/simulate.js';
import { flow, scenarioWith } from '../../harness/simulations.js';

it('keeps each value by its name, and NaN where it was not there', () => {
  const samples = new StateSamples();
  samples.add(1, { alpha: 0.5 });
  samples.add(2, { alpha: 0.25, mode: 3 });
  samples.add(4, { mode: 4 });
  const { alpha, mode, ...rest } = samples.series(6);
  expect([...alpha]).toEqual([Number.NaN, 0.5, 0.25, Number.NaN, Number.NaN, Number.NaN]);
  expect([...mode]).toEqual([Number.NaN, Number.NaN, 3, Number.NaN, 4, Number.NaN]);
  expect(rest).toEqual({});
});

it('is sampled of credits and windows alike: mode and alpha of EC4, window and delay of DCTCP', () => {
  const { series } = simulate(
    scenarioWith({
      traffic: [flow(1, 3), flow(2, 4)],
      hosts: { 2: { endpoint: { windowAlgorithm: 'dctcp' } }, 3: { endpoint: { creditAlgorithm: 'ec4' } } },
      durationNs: 2e6,
      probes: { intervalNs: 500e3, links: [], maxFlows: 8 },
    }),
  );
  const [credits, window] = series?.flows ?? [];
  expect(Object.keys(credits?.state ?? {})).toEqual(expect.arrayContaining(['alpha', 'mode', 'cur_rate']));
  expect(Object.keys(window?.state ?? {})).toEqual(expect.arrayContaining(['alpha', 'cwnd', 'window', 'delay']));
  expect(window?.state?.delay).toHaveLength(4);
  expect(window?.state?.window[3]).toBe(window?.state?.cwnd[3]);
  expect(window?.state?.delay[3]).toBeGreaterThan(20e3);
});
