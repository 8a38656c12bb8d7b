import { expect, it } from 'vitest';
import { groupRate } from '../../../../src/apps/figures/blocks/group-rate.js';
import { wireBps } from '../../../../src/apps/figures/blocks/payload.js';
import type { SimulationRun } from '../../../../src/sim/result.js';

it('the rate of a group is that of its mean flow on the wire', () => {
  const flows = [
    { group: 'high', goodputBps: 2e9 },
    { group: 'high', goodputBps: 4e9 },
    { group: 'low', goodputBps: 1e9 },
  ];
  const run = { result: { flows } } as unknown as SimulationRun;
  expect(groupRate('high').title).toBe('high_gbps');
  expect(groupRate('high').of(run)).toBeCloseTo(wireBps(3e9) / 1e9, 12);
  expect(groupRate('low').of(run)).toBeCloseTo(wireBps(1e9) / 1e9, 12);
});
