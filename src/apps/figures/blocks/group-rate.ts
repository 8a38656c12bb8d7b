// Tested by test/apps/figures/blocks/group-rate.test.ts
import type { Quantity } from './comparison.js';
import { wireBps } from './payload.js';
import { mean } from './statistics.js';

/** Wire rate of a mean flow of the group, Gbit/s. */
export function groupRate(group: string): Quantity {
  return {
    title: `${group}_gbps`,
    digits: 3,
    of: ({ result }) =>
      mean(result.flows.filter((flow) => flow.group === group).map((flow) => wireBps(flow.goodputBps))) / 1e9,
  };
}
