// Tested by test/apps/figures/catalogue.test.ts
import { DISORDER_MAX, DISORDER_P99, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { acrossLeaves, leafSpine, PAPER_FABRIC, SPRAY_SYSTEMS, type SpraySystem, systemFields } from '../../blocks/spray.js';
import { cross, figure, row } from '../../plan.js';

/** Three spines of four carry 300 of the 400 Gbit/s that ten hosts could send. */
const REMAINING = 0.75;
/** Payload on a link of 40 Gbit/s: 94.6 % of it in frames of 1538 B with 1446 B of payload each. */
const HOST_GBPS = (40 * 0.946 * 1446) / 1538;

export const asymmetry = figure<{ system: SpraySystem }>('spraypass-asymmetry', "One spine's links at 1 Gbit/s", {
  source: 'SprayPass, Figure 11',
  about: (profile) =>
    `The permutation over ${profile === 'quick' ? '4 leaves (paper: 24) ' : ''}with all links of spine1 at 1 Gbit/s instead of 100, for ${profile === 'quick' ? '8 ms, measured from 1 ms' : '20 ms, measured from 1 ms'}: the degree of disorder with and without path probing, and what is left of the goodput.`,
  cases: () => cross({ system: SPRAY_SYSTEMS }),
  document: ({ system }, profile) => {
    const fabric = { ...PAPER_FABRIC, ...(profile === 'quick' && { leaves: 4 }) };
    const links = Array.from({ length: fabric.leaves }, (_, leaf) => `leaf${leaf + 1}-spine1`);
    return {
      ...systemFields(system),
      ...leafSpine(fabric),
      duration: profile === 'quick' ? '8ms' : '20ms',
      warmUp: '1ms',
      flows: acrossLeaves(fabric),
      faults: [{ at: '0s', link: links, rate: '1gbit' }],
    };
  },
  rows: (results) => [
    row('99 % degree of disorder with probing', results.of(DISORDER_P99, { system: 'spraypass' }), 0, {
      paper: 3,
      most: 3,
      held: "Held to no more than the paper's",
    }),
    row('99 % degree of disorder without', results.of(DISORDER_P99, { system: 'spraypass-2' }), 0, {
      paper: 185,
      // Ours: what "a large degree" is held to.
      met: results.of(DISORDER_P99, { system: 'spraypass-2' }) > 100,
      held: 'Held to more than 100',
    }),
    row('mean goodput over the share of three spines', results.of(MEAN_GOODPUT, { system: 'spraypass' }) / (HOST_GBPS * REMAINING), 3, {
      // Ours: credits' loss and overhead taken off.
      least: 0.9,
    }),
  ],
  charts: (results) => ({ '': results.bars(DISORDER_P99, '99 % degree of disorder (frames)') }),
  table: [{ run: 'system' }, MEAN_GOODPUT, LEAST_GOODPUT, DISORDER_P99, DISORDER_MAX],
});
