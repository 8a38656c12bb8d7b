// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { dataDrops, jainOver, linkOf } from '../../blocks/link.js';
import { claim, noClaim, rounded, valueList } from '../../blocks/rows.js';
import type { Figure, FigureDocument, FigureTable, Runs } from '../../figure.js';

const SENDERS = 40;
const FLOWS = [1, 10, 40, 200, 1000];
/** The direction in which all flows meet. */
const LAST_LINK = 's1->h1';
const LEAST_UTILISATION = 0.9;
/** Over 10 ms the link carries 8 frames of each of 1,000 flows: fewer than say something of fairness. */
const FAIR_FLOWS = 200;
const LEAST_JAIN = 0.9;

export const ec4SwiftIncast: Figure = {
  name: 'ec4-swift-incast',
  title: 'Swift: incast of 1 to 1,000 flows',
  source: 'Swift (SIGCOMM 2020), windows below one frame; our scenario',
  about: () =>
    `Endless flows of Swift from ${SENDERS} hosts to one, 10 Gbit/s, links of 2 us, queues of 1,000 frames; 60 ms, measured from 20 ms. With 1,000 flows the path holds less than a frame of each, so that windows are below one and paced. Lists are for ${FLOWS.join(', ')} flows.`,
  jobs: (profile) =>
    FLOWS.map((flows) => ({ key: `${flows}`, document: incast(flows), seeds: profile === 'quick' ? [1] : [1, 2, 3] })),
  evaluate: (runs) => ({
    charts: [
      {
        key: '',
        chart: {
          kind: 'lines',
          x: { name: 'flows', scale: 'log10' },
          y: { name: 'mean queue (B)', scale: 'log10' },
          series: [{ name: 'swift', x: FLOWS, y: each(runs, (run) => linkOf(run, LAST_LINK).dataQueueBytesMean) }],
        },
      },
    ],
    rows: rowsOf(runs),
    tables: [table(runs)],
  }),
};

function incast(flows: number): FigureDocument {
  const hosts = Math.min(flows, SENDERS);
  return {
    algorithm: 'swift',
    duration: '60ms',
    warmUp: '20ms',
    topology: { name: 'star', hosts: SENDERS + 1, rate: '10gbit', delay: '2us', dataQueue: '1000frames' },
    bottlenecks: [LAST_LINK],
    flows: [
      { kind: 'flow', from: hosts === 1 ? '2' : `2-${hosts + 1}`, to: '1', count: flows / hosts, startJitter: '1ms' },
    ],
    jainWindows: ['10ms'],
  };
}

/** Of the first seed of every number of flows. */
function each(runs: Runs, of: (run: SimulationRun) => number): number[] {
  return FLOWS.map((flows) => of(runs.of(`${flows}`)[0]));
}

function rowsOf(runs: Runs): FigureRow[] {
  const utilisation = each(runs, ({ result }) => result.utilisation);
  const jain = each(runs, (run) => (run.result.flows.length > 1 ? jainOver(run, 10e6) : Number.NaN));
  const lost = each(runs, dataDrops);
  const mean = each(runs, (run) => linkOf(run, LAST_LINK).dataQueueBytesMean);
  const most = each(runs, (run) => linkOf(run, LAST_LINK).dataQueueBytesMax);
  const isFair = FLOWS.every((flows, at) => flows === 1 || flows > FAIR_FLOWS || jain[at] >= LEAST_JAIN);
  return [
    claim(
      { quantity: 'utilisation', paper: 'full', ours: valueList(utilisation, 3) },
      utilisation.every((value) => value >= LEAST_UTILISATION),
      { held: `Held to ${LEAST_UTILISATION} of the data share` },
    ),
    claim({ quantity: "Jain's index over 10 ms", ours: valueList(jain, 3) }, isFair, {
      held: `Held to ${LEAST_JAIN} from 2 to ${FAIR_FLOWS} flows`,
      why: WHY,
    }),
    claim(
      { quantity: 'data frames lost', paper: 'few', ours: valueList(lost, 0) },
      lost.every((count) => count === 0),
      {
        held: 'Held to none',
        why: WHY,
      },
    ),
    noClaim(
      { quantity: 'mean queue (B)', ours: valueList(mean, 0) },
      'The target delay of 30 to 130 us is 40 to 160 kB.',
    ),
    noClaim(
      { quantity: 'largest queue (B)', ours: valueList(most, 0) },
      'The target delay of 30 to 130 us is 40 to 160 kB.',
    ),
  ];
}

const WHY =
  'The queue holds several frames of each flow, which is more than the target delay of 30 to 130 us (40 to 160 kB) allows: windows fall too little or too late. Why was not found.';

function table(runs: Runs): FigureTable {
  const rows = FLOWS.map((flows) => {
    const run = runs.of(`${flows}`)[0];
    const { dataQueueBytesMean, dataQueueBytesMax } = linkOf(run, LAST_LINK);
    return [
      flows,
      rounded(run.result.utilisation, 4),
      rounded(dataQueueBytesMean, 0),
      dataQueueBytesMax,
      dataDrops(run),
    ];
  });
  return { key: '', titles: ['flows', 'utilisation', 'queue_bytes_mean', 'queue_bytes_max', 'data_drops'], rows };
}
