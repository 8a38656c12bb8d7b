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
import type { Figure, Profile } from '../figure.js';

const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'naive'];
const PAPER = [1, 0.98, 0.98, 0.98, 0.98, 0.978];
/** The authors' code at delays of 4 us. */
const CODE = [1.001, 0.98, 0.953, 0.939, 0.944, 0.948];
const CODE_NAIVE = [1.01, 0.792, 0.676, 0.622, 0.589, 0.567];
/** Of flow 0 at six bottlenecks, Gbit/s: it is given as 0.6 to 0.8. */
const CODE_FLOW_0_SIX = 0.8;
/** Shares of the two flows of each link. */
const MAX_MIN_GBPS = dataBps(10e9) / 2e9;

export const parkingLot: Figure = {
  name: 'parking-lot',
  title: 'Parking lot of one to six bottlenecks',
  source: 'ExpressPass 2017, Figure 10',
  about: (profile) =>
    `A chain of links of 10 Gbit/s and 4 us. Flow 0 crosses all of them; each link has a second flow of its own, so a max-min share is half of a link for everyone. Lowest utilisation over the links, of their data share, and the rate of flow 0 on the wire; lists are for one to six bottlenecks. 60 ms, measured from 20 to 60 ms, means over ${seedCount(profile)} seeds; initial rate and w_init 0.5.`,
  jobs: (profile) =>
    DRAWN.flatMap((rule) =>
      BOTTLENECKS.map((bottlenecks) => ({
        key: key(rule, bottlenecks),
        document: parkingLotDocument({ rule, bottlenecks }),
        seeds: seeds(seedCount(profile)),
      })),
    ),
  evaluate: (runs) => {
    const lots = DRAWN.map((rule) => measureParkingLot(runs, rule, (bottlenecks) => key(rule, bottlenecks)));
    const paper = { name: 'paper', x: BOTTLENECKS, y: PAPER };
    const code = { name: "authors' code", x: BOTTLENECKS, y: CODE };
    return {
      charts: [
        { key: 'utilisation', chart: utilisationChart(lots, [paper, code]) },
        { key: 'flow-0', chart: flow0Chart(lots, MAX_MIN_GBPS) },
      ],
      rows: lots.flatMap(rowsOf),
      tables: [parkingLotTable(lots)],
    };
  },
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 10;
}

function key(rule: Rule, bottlenecks: number): string {
  return `${rule}-${bottlenecks}`;
}

function rowsOf(lot: ParkingLot): FigureRow[] {
  switch (lot.rule) {
    case 'steady':
      return steadyRows(lot);
    case 'naive':
      return [naiveRow(lot)];
    default:
      return otherRows(lot);
  }
}

function utilisationText({ rule, utilisation }: ParkingLot) {
  return { quantity: `${rule}: utilisation of the least used link`, ours: valueList(utilisation, 3) };
}

function flow0Text({ rule, flow0Gbps }: ParkingLot) {
  return { quantity: `${rule}: flow 0 (Gbit/s)`, ours: valueList(flow0Gbps, 2) };
}

function steadyRows(lot: ParkingLot): FigureRow[] {
  const { utilisation, flow0Gbps } = lot;
  const [two, six] = [utilisation[1], utilisation[5]];
  return [
    claim(
      { ...utilisationText(lot), paper: valueList(PAPER, 3), authorsCode: valueList(CODE, 3) },
      two >= 0.98 && six >= 0.97,
      { held: "Held to 0.98 at two and 0.97 at six; the paper's 0.978 is the aim" },
    ),
    claim({ ...flow0Text(lot), authorsCode: '0.6 to 0.8 at six' }, flow0Gbps[5] >= 2 * CODE_FLOW_0_SIX, {
      held: `Held to twice what the authors' code gives at six; a max-min share is ${fixed(MAX_MIN_GBPS, 2)}`,
    }),
  ];
}

function naiveRow(lot: ParkingLot): FigureRow {
  const [two, six] = [lot.utilisation[1], lot.utilisation[5]];
  const text = {
    ...utilisationText(lot),
    paper: `-, ${PAPER_NAIVE.two}, -, -, -, ${fixed(PAPER_NAIVE.six, 2)}`,
    authorsCode: valueList(CODE_NAIVE, 3),
  };
  const isNear = two >= 0.79 && two <= 0.84 && six >= 0.56 && six <= 0.61;
  return claim(text, isNear, {
    held: "Held to between the authors' code and the paper's arithmetic: 0.79 to 0.84 at two, 0.56 to 0.61 at six",
    why: WHY_NAIVE,
  });
}

const WHY_NAIVE =
  'Which credit finds the queue full is less random here than in either: with credits of exactly 84 B the least used of two links has 0.98, with 84 to 92 B 0.76 on average over six seeds whatever their jitter, and 0.80 once the NICs let jitter of half a gap through. The authors draw 76 to 92 B, twice the spread; a frame of ours cannot be below 84 B.';

function otherRows(lot: ParkingLot): FigureRow[] {
  const isCode = lot.rule === 'expresspass-ns2';
  const text = {
    ...utilisationText(lot),
    paper: valueList(PAPER, 3),
    ...(isCode && { authorsCode: valueList(CODE, 3) }),
  };
  const isNear = isCode && lot.utilisation.every((each, at) => Math.abs(each - CODE[at]) <= 0.03);
  const first = isCode
    ? claim(text, isNear, { held: "Held to within 0.03 of the authors' code" })
    : noClaim(text, 'Nothing is claimed of this rule; it stands beside ours.');
  return [first, noClaim(flow0Text(lot), 'Nothing is claimed of this rule; it stands beside ours.')];
}
