// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { MARK_FRAMES } from '../../blocks/mix.js';
import { FLOWS, MIX_NAMES, type MixName, type MixPoint, mixJobs, mixPoints } from '../../blocks/mixes.js';
import { claim, noClaim, rounded, valueList } from '../../blocks/rows.js';
import type { Figure, FigureTable } from '../../figure.js';

/** What we hold ourselves to, and to how many flows; the paper has the curves as drawings. */
const RATIO = { least: 0.8, most: 1.25 };
const LEAST_JAIN = 0.9;
const HELD_FLOWS = 64;
/** In wire bytes of the data share; the paper counts 95 % of the link, which is all of it. */
const LEAST_UTILISATION = 0.95;
/** Held to share; and all in which both kinds are. */
const SHARING: readonly MixName[] = ['ec4-dctcp', 'ec4-dctcp-below-one'];
const MIXED: readonly MixName[] = [...SHARING, 'expresspass-dctcp', 'ec4-literal-dctcp'];

type Measured = readonly { readonly name: MixName; readonly points: readonly MixPoint[] }[];

export const ec4Fairness: Figure = {
  name: 'ec4-fairness',
  title: 'Fairness of credits and DCTCP in one queue',
  source: 'EC4, Figure 4 and the paragraphs on utilisation and fairness',
  about: () =>
    `Half of the flows have credits, half are DCTCP's; they start together and are endless. One bottleneck of 10 Gbit/s, links of 5 us, marking above ${MARK_FRAMES} frames, 121 ms, measured from 20 ms. The ratio is what all flows with credits get over what all of DCTCP get; Jain's index is over one window of 100 ms. ec4-literal is the listing as published; ec4-dctcp-below-one is explained at ec4-queue. Lists are for ${FLOWS.join(', ')} flows in all.

The paper marks above 100 frames, by which no mean queue below its 100 KB can come about; it says that 20 are enough for 10 Gbit/s.`,
  jobs: mixJobs,
  evaluate: (runs) => {
    const measured = MIX_NAMES.map((name) => ({ name, points: mixPoints(runs, name) }));
    return {
      charts: [
        { key: 'jain', chart: chart(measured, MIX_NAMES, { name: "Jain's index over 100 ms", of: 'jain' }) },
        { key: 'ratio', chart: chart(measured, MIXED, { name: 'credits : DCTCP', of: 'ratio' }) },
      ],
      rows: measured.flatMap(({ name, points }) => rowsOf(name, points)),
      tables: [table(measured)],
    };
  },
};

function rowsOf(name: MixName, points: readonly MixPoint[]): FigureRow[] {
  const list = (of: keyof MixPoint) =>
    valueList(
      points.map((each) => each[of]),
      of === 'ratio' ? 2 : 3,
    );
  const jain = { quantity: `${name}: Jain over 100 ms`, ours: list('jain') };
  const ratio = { quantity: `${name}: credits : DCTCP`, paper: PAPER_RATIO[name] ?? '', ours: list('ratio') };
  const utilisation = { quantity: `${name}: utilisation`, paper: '95 to 100 %', ours: list('utilisation') };
  const isFull = points.every((point) => point.utilisation >= LEAST_UTILISATION);
  const held = points.filter((_, at) => FLOWS[at] <= HELD_FLOWS);
  const full = claim(utilisation, isFull, { held: `Held to ${LEAST_UTILISATION} of the data share` });
  if (!SHARING.includes(name)) {
    const rows = [noClaim(jain, 'It stands beside EC4.'), full];
    return MIXED.includes(name) ? [noClaim(ratio, 'It stands beside EC4.'), ...rows] : rows;
  }
  return [
    claim(
      ratio,
      held.every((point) => point.ratio >= RATIO.least && point.ratio <= RATIO.most),
      {
        held: `Held to ${RATIO.least} to ${RATIO.most} up to ${HELD_FLOWS} flows`,
      },
    ),
    claim(
      { ...jain, paper: 'high' },
      held.every((point) => point.jain >= LEAST_JAIN),
      {
        held: `Held to ${LEAST_JAIN} up to ${HELD_FLOWS} flows`,
      },
    ),
    full,
  ];
}

const PAPER_RATIO: Readonly<Partial<Record<MixName, string>>> = {
  'ec4-dctcp': 'near 1',
  'ec4-dctcp-below-one': 'near 1',
  'expresspass-dctcp': 'immense',
};

function chart(measured: Measured, names: readonly MixName[], y: { name: string; of: 'jain' | 'ratio' }): LineChart {
  const drawn = measured.filter(({ name }) => names.includes(name));
  return {
    kind: 'lines',
    x: { name: 'flows', scale: 'log2' },
    y: { name: y.name, ...(y.of === 'jain' ? { max: 1 } : { scale: 'log2' }) },
    series: drawn.map(({ name, points }) => ({ name, x: FLOWS, y: points.map((each) => each[y.of]) })),
  };
}

function table(measured: Measured): FigureTable {
  const titles = [
    'mix',
    'flows',
    'ratio',
    'jain_100ms',
    'utilisation',
    'queue_bytes_mean',
    'queue_bytes_max',
    'data_drops',
  ];
  const rows = measured.flatMap(({ name, points }) =>
    points.map((each, at) => [
      name,
      FLOWS[at],
      rounded(each.ratio, 4),
      rounded(each.jain, 4),
      rounded(each.utilisation, 4),
      rounded(each.queueBytesMean, 0),
      each.queueBytesMax,
      each.dataDrops,
    ]),
  );
  return { key: '', titles, rows };
}
