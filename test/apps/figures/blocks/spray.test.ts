import { expect, it } from 'vitest';
import {
  acrossLeaves,
  PAPER_FABRIC,
  type SpraySystem,
  systemFields,
} from '../../../../src/apps/figures/blocks/spray.js';

it.each([PAPER_FABRIC, { ...PAPER_FABRIC, leaves: 2, hostsPerLeaf: 8 }])(
  'every host sends to another leaf and gets one: %j',
  (fabric) => {
    const flows = acrossLeaves(fabric) as { from: number; to: number }[];
    const all = Array.from({ length: fabric.leaves * fabric.hostsPerLeaf }, (_, index) => index + 1);
    const leafOf = (host: number) => Math.floor((host - 1) / fabric.hostsPerLeaf);
    expect(flows.map(({ from }) => from)).toEqual(all);
    expect(flows.map(({ to }) => to).sort((a, b) => a - b)).toEqual(all);
    for (const { from, to } of flows) expect(leafOf(from)).not.toBe(leafOf(to));
  },
);

it('has what the listing says by the names of listings alone', () => {
  const parametersOf = (system: SpraySystem) => systemFields(system).parameters;
  expect(parametersOf('spraypass-listing')).toEqual({ initial_rate: 1 / 16, w_init: 1 / 16, sent_rate: 0 });
  expect(parametersOf('spraypass')).toEqual({ initial_rate: 1 / 16, w_init: 1 / 16 });
  expect(systemFields('spraypass-1-listing')).toMatchObject({ algorithm: 'spraypass-1', parameters: { late_lost: 1 } });
});
