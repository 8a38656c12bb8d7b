import { expect, it } from 'vitest';
import {
  acrossLeaves,
  DISORDER_P99,
  LARGEST_QUEUE,
  LEAST_GOODPUT,
  MEAN_GOODPUT,
  PAPER_FABRIC,
} from '../../../../src/apps/figures/blocks/spray.js';
import { madeUpFlow, madeUpLink, madeUpRun } from '../made-up-runs.js';

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

it('quantities are those of the run', () => {
  const run = madeUpRun({
    flows: [madeUpFlow({ goodputBps: 1e9 }), madeUpFlow({ goodputBps: 3e9 })],
    links: [madeUpLink({ dataQueueBytesMaxEver: 7 }), madeUpLink({ dataQueueBytesMaxEver: 9 })],
    disorder: { p99: 2, max: 5 },
  });
  expect([MEAN_GOODPUT, LEAST_GOODPUT, LARGEST_QUEUE, DISORDER_P99].map(({ of }) => of(run))).toEqual([2, 1, 9, 2]);
});
