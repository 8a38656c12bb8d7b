// Tested by test/apps/figures/catalogue.test.ts
import { CREDIT_ALGORITHMS } from '../../../../core/credit/registry.js';
import type { SimulationRun } from '../../../../sim/result.js';
import { comparison } from '../../blocks/comparison.js';
import { groupRate } from '../../blocks/group-rate.js';
import { claim, fixed } from '../../blocks/rows.js';
import type { FigureDocument, Profile } from '../../figure.js';

/** The algorithms that give weights: others refuse such flows (PROTOCOL §4.9). */
const RULES = CREDIT_ALGORITHMS.filter(({ takesWeights }) => takesWeights).map(({ name }) => name);
const WEIGHTS = { quick: [3], paper: [2, 3, 8, 16] } as const;
/** Ours: a share that an operator would not tell from the one asked for. */
const TOLERANCE = 0.05;

const HEAVY = groupRate('heavy');
const LIGHT = groupRate('light');
const UTILISATION = { title: 'utilisation', digits: 4, of: ({ result }: SimulationRun) => result.utilisation };

/** Where the heavy flow shares each link with light ones alone. */
interface Place {
  readonly name: string;
  readonly fields: (weight: number) => FigureDocument;
}

const PLACES: readonly Place[] = [
  {
    name: 'one-bottleneck',
    fields: (weight) => ({
      topology: { name: 'dumbbell', pairs: 8, edge: { delay: '10us' }, core: { delay: '30us' } },
      flows: [
        { from: 1, to: 9, weight, group: 'heavy', startJitter: '1ms' },
        { from: '2-8', to: '10-16', group: 'light', startJitter: '1ms' },
      ],
    }),
  },
  {
    name: 'parking-lot',
    fields: (weight) => ({
      topology: { name: 'parking-lot', bottlenecks: 2 },
      flows: [
        { from: 1, to: 2, weight, group: 'heavy', startJitter: '1ms' },
        { kind: 'pairs', hosts: '3-', group: 'light', startJitter: '1ms' },
      ],
    }),
  },
];

export const weights = comparison({
  name: 'real-networks-weights',
  title: 'Weighted credits',
  source: 'ours',
  about: (profile) =>
    `Endless flows on links of 10 Gbit/s, one of which has a weight of ${WEIGHTS[profile].join(', ')} and all others one of 1: beside seven neighbours on one bottleneck, and across a parking lot of two links with a flow of its own each. Wire rate over the last 80 of 100 ms. Only algorithms that give weights are here; all others refuse a flow of another weight than 1 (PROTOCOL §4.9).`,
  quantities: [HEAVY, LIGHT, UTILISATION],
  drawn: { title: HEAVY.title, axis: 'the heavy flow (Gbit/s)' },
  cases: (profile) =>
    casesOf(profile).map(({ key, rule, place, weight }) => ({
      key,
      document: { algorithm: rule, duration: '100ms', warmUp: '20ms', ...place.fields(weight) },
    })),
  rows: (measured, profile) =>
    casesOf(profile).map(({ key, rule, place, weight }) => {
      const ratio = measured(key, HEAVY.title) / measured(key, LIGHT.title);
      return claim(
        { quantity: `${rule}, ${place.name}: weight ${weight} over its neighbours`, ours: fixed(ratio, 3) },
        Math.abs(ratio / weight - 1) <= TOLERANCE,
        { held: `Held to ${weight} within ${TOLERANCE * 100} %` },
      );
    }),
});

function casesOf(profile: Profile) {
  return RULES.flatMap((rule) =>
    PLACES.flatMap((place) =>
      WEIGHTS[profile].map((weight) => ({ key: `${rule}-${place.name}-${weight}`, rule, place, weight })),
    ),
  );
}
