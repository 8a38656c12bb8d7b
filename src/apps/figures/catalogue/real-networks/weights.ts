// Tested by test/apps/figures/catalogue.test.ts
import { CREDIT_ALGORITHMS } from '../../../../core/credit/registry.js';
import { groupRate, UTILISATION } from '../../blocks/quantities.js';
import type { FigureDocument } from '../../figure.js';
import { cross, figure, row } from '../../plan.js';

type Case = { readonly rule: string; readonly place: Place; readonly weight: number };

/** The algorithms that give weights: others refuse such flows (PROTOCOL §4.9). */
const RULES = CREDIT_ALGORITHMS.filter(({ takesWeights }) => takesWeights).map(({ name }) => name);
const WEIGHTS = { quick: [3], paper: [2, 3, 8, 16] } as const;
/** Ours: a share that an operator would not tell from the one asked for. */
const TOLERANCE = 0.05;

const HEAVY = groupRate('heavy');
const LIGHT = groupRate('light');

/** Where the heavy flow shares each link with light ones alone. */
const PLACES = {
  'one-bottleneck': (weight: number): FigureDocument => ({
    topology: { name: 'dumbbell', pairs: 8, edge: { delay: '10us' }, core: { delay: '30us' } },
    flows: [
      { from: 1, to: 9, weight, group: 'heavy', startJitter: '1ms' },
      { from: '2-8', to: '10-16', group: 'light', startJitter: '1ms' },
    ],
  }),
  'parking-lot': (weight: number): FigureDocument => ({
    topology: { name: 'parking-lot', bottlenecks: 2 },
    flows: [
      { from: 1, to: 2, weight, group: 'heavy', startJitter: '1ms' },
      { kind: 'pairs', hosts: '3-', group: 'light', startJitter: '1ms' },
    ],
  }),
} as const;
type Place = keyof typeof PLACES;

export const weights = figure<Case>('real-networks-weights', 'Weighted credits', {
  source: 'ours',
  about: (profile) =>
    `Endless flows on links of 10 Gbit/s, one of which has a weight of ${WEIGHTS[profile].join(', ')} and all others one of 1: beside seven neighbours on one bottleneck, and across a parking lot of two links with a flow of its own each. Wire rate over the last 80 of 100 ms. Only algorithms that give weights are here; all others refuse a flow of another weight than 1 (PROTOCOL §4.9).`,
  cases: (profile) => cross({ rule: RULES, place: Object.keys(PLACES) as Place[], weight: WEIGHTS[profile] }),
  document: ({ rule, place, weight }) => ({ algorithm: rule, duration: '100ms', warmUp: '20ms', ...PLACES[place](weight) }),
  rows: (results) =>
    results.cases.map((each) => {
      const ratio = results.of(HEAVY, each) / results.of(LIGHT, each);
      return row(`${each.rule}, ${each.place}: weight ${each.weight} over its neighbours`, ratio, 3, {
        met: Math.abs(ratio / each.weight - 1) <= TOLERANCE,
        held: `Held to ${each.weight} within ${TOLERANCE * 100} %`,
      });
    }),
  charts: (results) => ({ '': results.bars(HEAVY, 'the heavy flow (Gbit/s)') }),
  table: [{ run: ({ rule, place, weight }) => `${rule}-${place}-${weight}` }, HEAVY, LIGHT, UTILISATION],
});
