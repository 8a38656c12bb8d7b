// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { BOTTLENECKS, measureParkingLot, type ParkingLot, parkingLotDocument } from '../blocks/parking-lot.js';
import { claim, fixed, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import type { Rule } from '../blocks/rules.js';
import type { Figure, FigureDocument, FigureTable, Profile } from '../figure.js';

const RULE: Rule = 'expresspass-2016';
const PAPER = { two: 0.967, six: 0.922 };
/** As far as a mean over seeds may be below the paper's value to count as the same (ours). */
const TOLERANCE = 0.02;

/** Sizes of credits: the paper of 2016 has 84 B, random sizes came in 2017. */
const SIZES = ['fixed', 'random'] as const;
type Size = (typeof SIZES)[number];
const SIZE_NAME: Readonly<Record<Size, string>> = { fixed: 'credits of 84 B', random: 'credits of 84 to 92 B' };
/** Half of the spread around the mean size. */
const SIZE_JITTER: Readonly<Record<Size, string>> = { fixed: '0B', random: '4B' };

/** Section 3 of the paper: a queue of 16 credits, jitter of 1 %. */
const SETTINGS: FigureDocument = { creditQueue: 16 };
const JITTER = '1%';

interface Measured {
  readonly size: Size;
  readonly lot: ParkingLot;
}

export const parkingLot2016: Figure = {
  name: 'parking-lot-2016',
  title: 'Parking lot, as in the paper of 2016',
  source: 'ExpressPass 2016, Figure 3',
  about: (profile) =>
    `As parking-lot, with the rule of 2016, a credit queue of 16 and jitter of 1 % as in that paper. It has credits of 84 B; random sizes, which came in 2017, stand beside them. It does not say how long its links are: they have 4 us here. Lists are for one to six bottlenecks, means over ${seedCount(profile)} seeds.`,
  jobs: (profile) =>
    SIZES.flatMap((size) =>
      BOTTLENECKS.map((bottlenecks) => ({
        key: key(size, bottlenecks),
        document: parkingLotDocument({ rule: RULE, bottlenecks, settings: SETTINGS, changes: hostsWith(size) }),
        seeds: seeds(seedCount(profile)),
      })),
    ),
  evaluate: (runs) => {
    const measured = SIZES.map((size) => ({
      size,
      lot: measureParkingLot(runs, RULE, (bottlenecks) => key(size, bottlenecks)),
    }));
    return { charts: [{ key: '', chart: chart(measured) }], rows: measured.flatMap(rowsOf), tables: [table(measured)] };
  },
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 10;
}

function key(size: Size, bottlenecks: number): string {
  return `${size}-${bottlenecks}`;
}

function hostsWith(size: Size): FigureDocument {
  return { hosts: [{ jitter: JITTER, endpoint: { creditSizeJitter: SIZE_JITTER[size] } }] };
}

function rowsOf({ size, lot }: Measured): FigureRow[] {
  const { utilisation, flow0Gbps } = lot;
  const text = {
    quantity: `${SIZE_NAME[size]}: utilisation of the least used link`,
    paper: `-, ${PAPER.two}, -, -, -, ${PAPER.six}`,
    ours: valueList(utilisation, 3),
  };
  const isMet = utilisation[1] >= PAPER.two - TOLERANCE && utilisation[5] >= PAPER.six - TOLERANCE;
  return [
    claim(text, isMet, { held: `Held to the paper's at two and six, less ${TOLERANCE}`, why: WHY }),
    noClaim(
      { quantity: `${SIZE_NAME[size]}: flow 0 (Gbit/s)`, ours: valueList(flow0Gbps, 2) },
      'The paper does not show it.',
    ),
  ];
}

const WHY =
  "The paper's values lie between the two kinds of credits. With 84 B all ports run in step: two links lose next to nothing, and flow 0 starves from three on. With random sizes drops come at random, and a rule that halves its distance to the full rate every RTT loses them again and again. With random sizes, jitter of 10 %, a queue of 32 and links of 16 us each changed the value at two by less than 0.01.";

function chart(measured: readonly Measured[]): LineChart {
  const ours = measured.map(({ size, lot }) => ({ name: SIZE_NAME[size], x: BOTTLENECKS, y: lot.utilisation }));
  return {
    kind: 'lines',
    x: { name: 'bottlenecks' },
    y: { name: 'utilisation of the least used link', min: 0.7, max: 1.02 },
    series: [...ours, { name: 'paper', x: [2, 6], y: [PAPER.two, PAPER.six] }],
  };
}

function table(measured: readonly Measured[]): FigureTable {
  const rows = measured.flatMap(({ size, lot: { utilisation, flow0Gbps } }) =>
    BOTTLENECKS.map((bottlenecks, at) => [size, bottlenecks, rounded(utilisation[at], 4), fixed(flow0Gbps[at], 3)]),
  );
  return { key: '', titles: ['credit_sizes', 'bottlenecks', 'lowest_utilisation', 'flow_0_gbps'], rows };
}
