// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import { lines } from '../blocks/charts.js';
import { FLOW_0, UTILISATION } from '../blocks/quantities.js';
import type { Profile } from '../figure.js';
import { cross, figure, fixed, row } from '../plan.js';
import { BOTTLENECKS, parkingLotDocument } from './parking-lot.js';

const PAPER = { two: 0.967, six: 0.922 };
/** As far as a mean over seeds may be below the paper's value to count as the same (ours). */
const TOLERANCE = 0.02;
const SEEDS: Readonly<Record<Profile, number>> = { quick: 2, paper: 10 };
/** Sizes of credits, with half of their spread. The paper of 2016 has 84 B; here they are 88 B, the mean, as every rate and meter is made for (ours). */
const SIZES = { fixed: { name: 'credits of 88 B', jitter: '0B' }, random: { name: 'credits of 84 to 92 B', jitter: '4B' } } as const;
type Size = keyof typeof SIZES;
const SIZE_NAMES = Object.keys(SIZES) as Size[];

export const parkingLot2016 = figure<{ size: Size; bottlenecks: number }>('parking-lot-2016', 'Parking lot, as in the paper of 2016', {
  source: 'ExpressPass 2016, Figure 3',
  about: (profile) =>
    `As parking-lot, with the rule of 2016, a credit queue of 16 and jitter of 1 % as in that paper. It has credits of 84 B. Ours have 88 B where they have one size: frames of 84 to 92 B are metered by their mean, so that all rates stay as they are. Random sizes, which came in 2017, stand beside them. It does not say how long its links are: they have 4 us here. Lists are for one to six bottlenecks, means over ${SEEDS[profile]} seeds.`,
  cases: () => cross({ size: SIZE_NAMES, bottlenecks: BOTTLENECKS }),
  // Section 3 of the paper: a queue of 16 credits, jitter of 1 %.
  document: ({ size, bottlenecks }) => ({
    ...parkingLotDocument('expresspass-2016', bottlenecks, { creditQueue: 16 }),
    hosts: [{ jitter: '1%', endpoint: { creditSizeJitter: SIZES[size].jitter } }],
  }),
  seeds: SEEDS,
  rows: (results) =>
    SIZE_NAMES.flatMap((size) => {
      const utilisation = results.list(UTILISATION, { size });
      return [
        row(`${SIZES[size].name}: utilisation of the least used link`, utilisation, 3, {
          paper: `-, ${PAPER.two}, -, -, -, ${PAPER.six}`,
          beside: [
            [utilisation[1], utilisation[5]],
            [PAPER.two, PAPER.six],
          ],
          better: 'more',
          met: utilisation[1] >= PAPER.two - TOLERANCE && utilisation[5] >= PAPER.six - TOLERANCE,
          held: `Held to the paper's at two and six, less ${TOLERANCE}`,
          why: WHY,
        }),
        row(`${SIZES[size].name}: flow 0 (Gbit/s)`, results.list(FLOW_0, { size }), 2, { note: 'The paper does not show it.' }),
      ];
    }),
  charts: (results) => ({
    '': lines({ x: 'bottlenecks', y: { name: 'utilisation of the least used link', min: 0.7, max: 1.02 } }, [
      ...SIZE_NAMES.map((size) => results.line(SIZES[size].name, 'bottlenecks', UTILISATION, { size })),
      { name: 'paper', x: [2, 6], y: [PAPER.two, PAPER.six] },
    ]),
  }),
  table: [{ credit_sizes: 'size' }, 'bottlenecks', { lowest_utilisation: UTILISATION, flow_0_gbps: (each, results) => fixed(results.of(FLOW_0, each), 3) }],
});

const WHY =
  "The paper's values lie between the two kinds of credits. With one size all ports run in step: two links lose next to nothing, and flow 0 starves from three on. With random sizes drops come at random, and a rule that halves its distance to the full rate every RTT loses them again and again. With random sizes, jitter of 10 %, a queue of 32 and links of 16 us each changed the value at two by less than 0.01.";
