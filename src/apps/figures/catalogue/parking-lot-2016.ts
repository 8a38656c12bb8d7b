// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { FigureRow } from '../../shared/report/figures-page.js';
import {
  BOTTLENECKS,
  flow0Chart,
  measureParkingLot,
  PAPER_NAIVE,
  type ParkingLot,
  parkingLotDocument,
  parkingLotTable,
  utilisationChart,
} from '../blocks/parking-lot.js';
import { dataBps } from '../blocks/payload.js';
import { claim, fixed, noClaim, seeds, valueList } from '../blocks/rows.js';
import type { Rule } from '../blocks/rules.js';
import type { Figure, FigureDocument, Profile } from '../figure.js';

const DRAWN: readonly Rule[] = ['expresspass-2016', 'naive'];
const PAPER = { two: 0.967, six: 0.922 };
/** Delays of a link: the paper does not give its own, and the rule's utilisation depends on it. */
const DELAYS = ['4us', '10us'] as const;
type Delay = (typeof DELAYS)[number];
/** As far as the value read off a mean over seeds may be from the paper's to count as the same (ours). */
const TOLERANCE = 0.02;

/** Section 3 of the paper: credit queue 16, jitter 1 %. */
const SETTINGS_2016 = { creditQueue: 16 };
const CHANGES_2016: FigureDocument = { hosts: [{ jitter: '1%' }] };

export const parkingLot2016: Figure = {
  name: 'parking-lot-2016',
  title: 'Parking lot, as in the paper of 2016',
  source: 'ExpressPass 2016, Figure 3',
  about: (profile) =>
    `As parking-lot, with the rule of 2016: a credit queue of 16 and jitter of 1 %, as that paper has it. It says nothing of the delay of its links: 4 us and 10 us are shown. Lists are for one to six bottlenecks, means over ${seedCount(profile)} seeds.`,
  jobs: (profile) =>
    DRAWN.flatMap((rule) =>
      DELAYS.flatMap((delay) =>
        BOTTLENECKS.map((bottlenecks) => ({
          key: key(rule, delay, bottlenecks),
          document: parkingLotDocument({
            rule,
            bottlenecks,
            delay,
            settings: SETTINGS_2016,
            changes: CHANGES_2016,
          }),
          seeds: seeds(seedCount(profile)),
        })),
      ),
    ),
  evaluate: (runs) => {
    const lots = DELAYS.map((delay) => ({
      delay,
      lots: DRAWN.map((rule) => measureParkingLot(runs, rule, (bottlenecks) => key(rule, delay, bottlenecks))),
    }));
    const paper = [
      { name: 'paper', x: [2, 6], y: [PAPER.two, PAPER.six] },
      { name: 'paper, naive', x: [2, 6], y: [PAPER_NAIVE.two, PAPER_NAIVE.six] },
    ];
    return {
      charts: lots.flatMap(({ delay, lots: found }) => [
        {
          key: `utilisation-${delay}`,
          chart: { ...utilisationChart(found, paper), title: `Least used link, ${delay}` },
        },
        { key: `flow-0-${delay}`, chart: { ...flow0Chart(found, dataBps(10e9) / 2e9), title: `Flow 0, ${delay}` } },
      ]),
      rows: lots.flatMap(({ delay, lots: found }) => found.flatMap((lot) => rowsOf(lot, delay))),
      tables: lots.map(({ delay, lots: found }) => ({ ...parkingLotTable(found), key: delay })),
    };
  },
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 10;
}

function key(rule: Rule, delay: Delay, bottlenecks: number): string {
  return `${rule}-${delay}-${bottlenecks}`;
}

function rowsOf({ rule, utilisation, flow0Gbps }: ParkingLot, delay: Delay): FigureRow[] {
  const [two, six] = [utilisation[1], utilisation[5]];
  const wanted = rule === 'naive' ? PAPER_NAIVE : PAPER;
  const text = {
    quantity: `${rule}, ${delay}: utilisation of the least used link`,
    paper: `-, ${wanted.two}, -, -, -, ${fixed(wanted.six, 3)}`,
    ours: valueList(utilisation, 3),
  };
  const flow0 = noClaim(
    { quantity: `${rule}, ${delay}: flow 0 (Gbit/s)`, ours: valueList(flow0Gbps, 2) },
    'The paper does not show it.',
  );
  if (rule === 'naive') return [noClaim(text, 'See parking-lot, where the same is compared.'), flow0];
  const isMet = two >= wanted.two - TOLERANCE && six >= wanted.six - TOLERANCE;
  return [claim(text, isMet, { held: `Held to the paper's at two and six, less ${TOLERANCE}`, why: WHY }), flow0];
}

const WHY = '';
