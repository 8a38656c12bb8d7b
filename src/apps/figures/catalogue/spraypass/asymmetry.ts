// Tested by test/apps/figures/catalogue.test.ts
import { DISORDER_MAX, DISORDER_P99, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { acrossLeaves, leafSpine, PAPER_FABRIC, type SpraySystem, systemFields, TWO_RULES } from '../../blocks/spray.js';
import { cross, figure, type Results, type Row, row } from '../../plan.js';

/** Three spines of four carry 300 of the 400 Gbit/s that ten hosts could send. */
const REMAINING = 0.75;
/** Payload on a link of 40 Gbit/s: 94.6 % of it in frames of 1538 B with 1446 B of payload each. */
const HOST_GBPS = (40 * 0.946 * 1446) / 1538;

type Case = { readonly system: SpraySystem };

const SYSTEMS = ['expresspass', 'spraypass-1-listing', 'spraypass-2-listing', 'spraypass-listing', 'spraypass'] as const;
/** What "extremely downgraded" is held to, beside spraypass-listing (ours). */
const MOST_DEGRADED = 0.5;

export const asymmetry = figure<Case>('spraypass-asymmetry', "One spine's links at 1 Gbit/s", {
  source: 'SprayPass, Figure 11',
  about: (profile) =>
    `The permutation over ${profile === 'quick' ? '4 leaves (paper: 24) ' : ''}with all links of spine1 at 1 Gbit/s instead of 100, for ${profile === 'quick' ? '8 ms, measured from 1 ms' : '20 ms, measured from 1 ms'}: the degree of disorder with and without path probing, and what is left of the goodput. ${TWO_RULES}`,
  cases: () => cross({ system: SYSTEMS }),
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
  rows: (results) => [...disorderRows(results), ...goodputRows(results)],
  charts: (results) => ({ '': results.bars(DISORDER_P99, '99 % degree of disorder (frames)') }),
  table: [{ run: 'system' }, MEAN_GOODPUT, LEAST_GOODPUT, DISORDER_P99, DISORDER_MAX],
});

function disorderRows(results: Results<Case>): Row[] {
  const p99 = (system: SpraySystem) => results.of(DISORDER_P99, { system });
  return [
    row('spraypass-listing: 99 % degree of disorder', p99('spraypass-listing'), 0, { paper: 3, better: 'less' }),
    row('spraypass-2-listing, without probing: 99 % degree of disorder', p99('spraypass-2-listing'), 0, { paper: 185 }),
    row('spraypass: 99 % degree of disorder', p99('spraypass'), 0, { note: 'It stands beside the listing.' }),
  ];
}

function goodputRows(results: Results<Case>): Row[] {
  const over = (system: SpraySystem) => results.ratio(MEAN_GOODPUT, { system }, { system: 'spraypass-listing' });
  const remaining = (system: SpraySystem) => results.of(MEAN_GOODPUT, { system }) / (HOST_GBPS * REMAINING);
  return [
    row('expresspass: slowest host (Gbit/s)', results.of(LEAST_GOODPUT, { system: 'expresspass' }), 2, { paper: 'below 1', most: 1 }),
    row('spraypass-1-listing: mean goodput over that of spraypass-listing', over('spraypass-1-listing'), 3, {
      paper: 'extremely downgraded',
      most: MOST_DEGRADED,
      why: WHY_SEQUENCE,
    }),
    row('spraypass-2-listing: mean goodput over that of spraypass-listing', over('spraypass-2-listing'), 3, { paper: 1 }),
    // Ours: credits' loss and overhead taken off.
    row('spraypass-listing: mean goodput over the share of three spines', remaining('spraypass-listing'), 3, { least: 0.9, why: WHY_REMAINING }),
    row('spraypass: mean goodput over the share of three spines', remaining('spraypass'), 3, { least: 0.9 }),
  ];
}

const WHY_SEQUENCE = 'A credit that was overtaken counts as lost, so one slow path slows all credits down.';
const WHY_REMAINING = 'The listing takes the same overload off twice (decision 0003).';
