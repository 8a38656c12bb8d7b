import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { BOTTLENECK, dumbbell } from '../blocks/dumbbell.js';
import { dataDrops, jainOver, linkOf } from '../blocks/link.js';
import { claim, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import type { Rule } from '../blocks/rules.js';
import { mean } from '../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const WINDOW_NS = 100e6;
/** Ours; the papers have the curve as a drawing, high to the end. */
const LEAST_JAIN = 0.95;
const LEAST_UTILISATION = 0.95;
/** "Near zero": ours, of 384,500 B that the queue takes. */
const MOST_QUEUED_BYTES = 4 * 1538;
/** Largest queue since the start in the authors' code, wire bytes; they ran no more flows. */
const CODE_QUEUE: Readonly<Record<number, number>> = {
  64: 5_208,
  128: 10_584,
  256: 21_336,
  512: 42_840,
  1024: 85_848,
};

interface Point {
  readonly jain: number;
  readonly utilisation: number;
  /** In the measured time. */
  readonly queueBytes: number;
  readonly queueBytesEver: number;
  readonly dropped: number;
  readonly dataDrops: number;
}

export const manyFlows: Figure = {
  name: 'many-flows',
  title: 'Many flows on one bottleneck',
  source: 'ExpressPass 2017, the comparison to 2,048 flows; ExpressPass 2016, Figure 9',
  about: (profile) =>
    `Endless flows that start together on one bottleneck of 10 Gbit/s, RTT 100 us. Jain's index over 100 ms, ${profile === 'quick' ? 'one window' : 'three windows'} after 20 ms; the data queue is the largest of that time. With 2,048 flows the bottleneck carries 39 frames of each in 100 ms, and a flow gets a credit every 26 RTTs. Lists are for ${flowsOf(profile, 'steady').join(', ')} flows, or as far as they go.`,
  jobs: (profile) =>
    rulesOf(profile).flatMap((rule) =>
      flowsOf(profile, rule).map((flows) => ({
        key: key(rule, flows),
        document: manyDocument(rule, flows, profile),
        seeds: seeds(profile === 'quick' ? 1 : 3),
      })),
    ),
  evaluate: (runs, profile) => {
    const measured = rulesOf(profile).map((rule) => ({ rule, points: measure(runs, rule, flowsOf(profile, rule)) }));
    return {
      charts: [
        { key: 'jain', chart: chart(measured, profile, { name: "Jain's index over 100 ms", of: 'jain' }) },
        { key: 'queue', chart: chart(measured, profile, { name: 'largest data queue (B)', of: 'queueBytes' }) },
      ],
      rows: measured.flatMap(({ rule, points }) => rowsOf(rule, points, flowsOf(profile, rule))),
      tables: [table(measured, profile)],
    };
  },
};

type Measured = readonly { readonly rule: Rule; readonly points: readonly Point[] }[];

function rulesOf(profile: Profile): readonly Rule[] {
  return profile === 'quick' ? ['steady', 'expresspass'] : ['steady', 'expresspass', 'expresspass-ns2'];
}

/** In the quick profile only ours goes to the end. */
function flowsOf(profile: Profile, rule: Rule): readonly number[] {
  if (profile === 'paper') return [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
  return rule === 'steady' ? [16, 64, 256, 1024, 2048] : [16, 64, 256];
}

function key(rule: Rule, flows: number): string {
  return `${rule}-${flows}`;
}

/** One window needs a little more than its length. */
function manyDocument(rule: Rule, pairs: number, profile: Profile): FigureDocument {
  const duration = profile === 'quick' ? '121ms' : '321ms';
  return { ...dumbbell({ rule, pairs }), duration, warmUp: '20ms', jainWindows: ['100ms', '10ms'] };
}

function measure(runs: Runs, rule: Rule, flows: readonly number[]): Point[] {
  return flows.map((count) => {
    const found = runs.of(key(rule, count));
    const links = found.map((run) => linkOf(run, BOTTLENECK));
    return {
      jain: mean(found.map((run) => jainOver(run, WINDOW_NS))),
      utilisation: mean(found.map(({ result }) => result.utilisation)),
      queueBytes: Math.max(...links.map(({ dataQueueBytesMax }) => dataQueueBytesMax)),
      queueBytesEver: Math.max(...links.map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)),
      dropped: mean(found.map(({ result }) => result.creditDropShare)),
      dataDrops: found.reduce((sum, run) => sum + dataDrops(run), 0),
    };
  });
}

function rowsOf(rule: Rule, points: readonly Point[], flows: readonly number[]): FigureRow[] {
  const list = (of: keyof Point, digits: number) =>
    valueList(
      points.map((each) => each[of]),
      digits,
    );
  const lost = points.reduce((sum, each) => sum + each.dataDrops, 0);
  const fairness = { quantity: `${rule}: Jain over 100 ms`, paper: 'high to 2,048', ours: list('jain', 3) };
  const queue = {
    quantity: `${rule}: largest data queue (B)`,
    paper: 'near zero',
    ours: list('queueBytes', 0),
  };
  const isFair = points.every(({ jain }) => jain >= LEAST_JAIN);
  const held = `Held to ${LEAST_JAIN} at every number of flows`;
  return [
    rule === 'steady' ? claim(fairness, isFair, { held }) : noClaim(fairness, 'It stands beside ours.'),
    claim(
      { quantity: `${rule}: utilisation`, paper: 'high', ours: list('utilisation', 3) },
      points.every(({ utilisation }) => utilisation >= LEAST_UTILISATION),
      { held: `Held to ${LEAST_UTILISATION} at every number of flows` },
    ),
    claim(
      queue,
      points.every(({ queueBytes }) => queueBytes <= MOST_QUEUED_BYTES),
      { held: `"Near zero" held to ${MOST_QUEUED_BYTES / 1538} frames` },
    ),
    noClaim(
      {
        quantity: `${rule}: largest data queue since the start (B)`,
        authorsCode: flows.map((count) => CODE_QUEUE[count] ?? '-').join(', '),
        ours: list('queueBytesEver', 0),
      },
      'Opening requests that come all at once and without a credit: N of 98 B here and of 84 B in their code. It is long over when the measured time begins.',
    ),
    claim({ quantity: `${rule}: data frames lost`, paper: '0', ours: String(lost) }, lost === 0, {
      held: 'Held to none',
    }),
  ];
}

function chart(measured: Measured, profile: Profile, y: { name: string; of: 'jain' | 'queueBytes' }): LineChart {
  return {
    kind: 'lines',
    x: { name: 'flows', scale: 'log2' },
    y: { name: y.name, ...(y.of === 'jain' && { max: 1 }) },
    series: measured.map(({ rule, points }) => ({
      name: rule,
      x: flowsOf(profile, rule),
      y: points.map((each) => each[y.of]),
    })),
  };
}

function table(measured: Measured, profile: Profile): FigureTable {
  const titles = [
    'rule',
    'flows',
    'jain_100ms',
    'utilisation',
    'data_queue_bytes_max',
    'data_queue_bytes_max_ever',
    'credits_dropped',
    'data_drops',
  ];
  const rows = measured.flatMap(({ rule, points }) =>
    points.map((each, at) => [
      rule,
      flowsOf(profile, rule)[at],
      rounded(each.jain, 4),
      rounded(each.utilisation, 4),
      each.queueBytes,
      each.queueBytesEver,
      rounded(each.dropped, 4),
      each.dataDrops,
    ]),
  );
  return { key: '', titles, rows };
}
