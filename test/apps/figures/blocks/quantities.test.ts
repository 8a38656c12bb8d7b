import { expect, it } from 'vitest';
import { wireBps } from '../../../../src/apps/figures/blocks/payload.js';
import {
  DISORDER_P99,
  groupRate,
  LARGEST_QUEUE,
  LEAST_GOODPUT,
  MEAN_GOODPUT,
} from '../../../../src/apps/figures/blocks/quantities.js';
import type { SimulationRun } from '../../../../src/sim/result.js';
import { madeUpFlow, madeUpLink, madeUpRun } from '../made-up-runs.js';

it('quantities are those of the run', () => {
  const run = madeUpRun({
    flows: [madeUpFlow({ goodputBps: 1e9 }), madeUpFlow({ goodputBps: 3e9 })],
    links: [madeUpLink({ dataQueueBytesMaxEver: 7 }), madeUpLink({ dataQueueBytesMaxEver: 9 })],
    disorderP99: 2,
    disorderMax: 5,
  });
  expect([MEAN_GOODPUT, LEAST_GOODPUT, LARGEST_QUEUE, DISORDER_P99].map(({ of }) => of(run, {}))).toEqual([2, 1, 9, 2]);
});

it('the rate of a group is that of its mean flow on the wire', () => {
  const flows = [
    { group: 'high', goodputBps: 2e9 },
    { group: 'high', goodputBps: 4e9 },
    { group: 'low', goodputBps: 1e9 },
  ];
  const run = { result: { flows } } as unknown as SimulationRun;
  expect(groupRate('high').title).toBe('high_gbps');
  expect(groupRate('high').of(run, {})).toBeCloseTo(wireBps(3e9) / 1e9, 12);
  expect(groupRate('low').of(run, {})).toBeCloseTo(wireBps(1e9) / 1e9, 12);
});
