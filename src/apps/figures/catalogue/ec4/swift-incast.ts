// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { dataDrops, jainOver, linkOf } from '../../blocks/link.js';
import { claim, fixed, noClaim, rounded, valueList } from '../../blocks/rows.js';
import type { Figure, FigureDocument, FigureTable, Runs } from '../../figure.js';

const SENDERS = 40;
const FLOWS = [1, 10, 40, 200, 1000];
/** The direction in which all flows meet. */
const LAST_LINK = 's1->h1';
const LEAST_UTILISATION = 0.9;
/** Over 10 ms the link carries 8 frames of each of 1,000 flows: fewer than say something of fairness. */
const FAIR_FLOWS = 200;
const LEAST_JAIN = 0.9;
/**
 * An operator's targets, as in the paper: the RTT without queues is 10.6 us (four links of 2 us, two full frames, two acknowledgements), and 12 frames more make 25 us. Initial
 * windows of one frame: those of the paper are of connections that live long (3.2), and 10,000 frames in a millisecond are nobody's fault but theirs.
 */
const PARAMETERS = { base_target: 25, initial_window: 1 };
/** Flows of the run without a base target. */
const UNTOLD_FLOWS = 40;
const UNTOLD = 'untold';
/** base_target, one switch, and fs_range times base_target: what the target is for small windows. */
const MOST_TARGETS = 1.1;
const HIGHEST_TARGET_BYTES = (25 + 1 + 5 * 25) * 1_250;

export const ec4SwiftIncast: Figure = {
  name: 'ec4-swift-incast',
  title: 'Swift: incast of 1 to 1,000 flows',
  source: 'Swift (SIGCOMM 2020), windows below one frame; our scenario',
  about: () =>
    `Endless flows of Swift from ${SENDERS} hosts to one, 10 Gbit/s, links of 2 us, queues of 1,000 frames; 60 ms, measured from 20 ms. The base target is ${PARAMETERS.base_target} us. With 1,000 flows the path holds less than a frame of each, so that windows are below one and paced. Lists are for ${FLOWS.join(', ')} flows.`,
  jobs: (profile) => {
    const seeds = profile === 'quick' ? [1] : [1, 2, 3];
    const told = FLOWS.map((flows) => ({ key: `${flows}`, document: incast(flows, PARAMETERS), seeds }));
    return [...told, { key: UNTOLD, document: incast(UNTOLD_FLOWS, {}), seeds }];
  },
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

function incast(flows: number, parameters: Readonly<Record<string, number>>): FigureDocument {
  const hosts = Math.min(flows, SENDERS);
  return {
    algorithm: 'swift',
    parameters,
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
    }),
    claim(
      { quantity: 'data frames lost', paper: 'few', ours: valueList(lost, 0) },
      lost.every((count) => count === 0),
      { held: 'Held to none' },
    ),
    claim(
      { quantity: 'mean queue (B)', paper: 'by the target', ours: valueList(mean, 0) },
      mean.every((bytes) => bytes <= MOST_TARGETS * HIGHEST_TARGET_BYTES),
      { held: `Held to ${MOST_TARGETS} times the highest target, ${HIGHEST_TARGET_BYTES} B` },
    ),
    noClaim(
      { quantity: 'largest queue (B)', ours: valueList(most, 0) },
      'Below one frame an acknowledgement in time adds ai, a whole frame: windows swing about the target.',
    ),
    ...untoldRows(runs.of(UNTOLD)[0]),
  ];
}

/** What the default costs: a flow that starts while others queue takes their queue for the path. */
function untoldRows(run: SimulationRun): FigureRow[] {
  const { dataQueueBytesMean } = linkOf(run, LAST_LINK);
  return [
    noClaim(
      {
        quantity: `${UNTOLD_FLOWS} flows, base target from the least RTT: Jain's index, mean queue (B)`,
        ours: `${fixed(jainOver(run, 10e6), 3)}, ${fixed(dataQueueBytesMean, 0)}`,
      },
      'The default, for paths that nobody has measured: who starts while others queue takes their queue for the path, and gets more.',
    ),
  ];
}

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
