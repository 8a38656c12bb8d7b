// Tested by test/apps/figures/catalogue.test.ts
import { DATA_DROPS, DISORDER_MAX, DISORDER_P99, LARGEST_QUEUE, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { acrossLeaves, leafSpine, PAPER_FABRIC, SPRAY_SYSTEMS, type SpraySystem, systemFields } from '../../blocks/spray.js';
import { cross, figure, noneOf, row } from '../../plan.js';

/** Mean goodput and that of the slowest host over ExpressPass's: the paper's (of the slowest 35.1 and 36.8 over 15.8 Gbit/s), and what we hold it to (ours). */
const GAINS = [
  { system: 'spraypass-2', paper: '1.225', least: 1.2, paperSlowest: '2.22' },
  { system: 'spraypass', paper: '1.279', least: 1.25, paperSlowest: '2.33' },
] as const;

export const permutation = figure<{ system: SpraySystem }>('spraypass-permutation', 'Permutation traffic over four spines', {
  source: 'SprayPass, Figure 8',
  about: (profile) =>
    `240 hosts at 24 leaves, 40 Gbit/s down and 100 Gbit/s up, RTT 32 us. Every host sends one endless flow to another leaf and gets one. ${profile === 'quick' ? '1.2 ms, measured from 0.4 ms' : '6 ms, measured from 2 ms'}. ExpressPass takes the links that the hash of its flows picks.`,
  cases: (profile) => cross({ system: profile === 'quick' ? (['expresspass', 'spraypass-2', 'spraypass'] as const) : SPRAY_SYSTEMS }),
  document: ({ system }, profile) => ({
    ...systemFields(system),
    ...leafSpine(PAPER_FABRIC),
    duration: profile === 'quick' ? '1.2ms' : '6ms',
    warmUp: profile === 'quick' ? '0.4ms' : '2ms',
    flows: acrossLeaves(PAPER_FABRIC),
  }),
  rows: (results) =>
    GAINS.flatMap(({ system, paper, least, paperSlowest }) => [
      row(`${system}: mean goodput over that of ExpressPass`, results.ratio(MEAN_GOODPUT, { system }, { system: 'expresspass' }), 3, { paper, least }),
      row(`${system}: slowest host over that of ExpressPass`, results.ratio(LEAST_GOODPUT, { system }, { system: 'expresspass' }), 2, {
        paper: paperSlowest,
        least: 2.2,
      }),
      noneOf(`${system}: data frames lost`, results.of(DATA_DROPS, { system }), { paper: '0' }),
    ]),
  charts: (results) => ({ '': results.bars(MEAN_GOODPUT, 'mean goodput (Gbit/s)') }),
  table: [{ run: 'system' }, MEAN_GOODPUT, LEAST_GOODPUT, DISORDER_P99, DISORDER_MAX, LARGEST_QUEUE, DATA_DROPS],
});
