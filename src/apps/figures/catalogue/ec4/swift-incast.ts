// Tested by test/apps/figures/catalogue.test.ts

import { lines } from '../../blocks/charts.js';
import { DATA_DROPS, jainOver, queueOf, UTILISATION } from '../../blocks/quantities.js';
import { figure, fixed, type Quantity, type Results, row, tableOf } from '../../plan.js';

interface Case {
  readonly flows: number;
  /** Whether an operator has set the base target. */
  readonly isTold: boolean;
}

const SENDERS = 40;
const FLOWS = [1, 10, 40, 200, 1000];
/** The direction in which all flows meet. */
const LAST_LINK = 's1->h1';
const LEAST_UTILISATION = 0.9;
/** Over 10 ms the link carries 8 frames of each of 1,000 flows: fewer than say something of fairness. */
const FAIR_FLOWS = 200;
const LEAST_JAIN = 0.9;
/**
 * An operator's targets, as in the paper: 10.6 us of RTT without queues (four links of 2 us, two full frames, two acknowledgements) and 12 frames.
 * Windows begin at one frame (ours: the paper's connections live long, 3.2, and new ones send nothing at once).
 */
const PARAMETERS = { base_target: 25, initial_window: 1 };
/** Flows of the run without a base target. */
const UNTOLD: Case = { flows: 40, isTold: false };
/** base_target, one switch, and fs_range times base_target: what the target is for small windows. */
const MOST_TARGETS = 1.1;
const HIGHEST_TARGET_BYTES = (25 + 1 + 5 * 25) * 1_250;
const TOLD: readonly Case[] = FLOWS.map((flows) => ({ flows, isTold: true }));

const QUEUE = queueOf(LAST_LINK);
const JAIN = jainOver(10);

export const ec4SwiftIncast = figure<Case>('ec4-swift-incast', 'Swift: incast of 1 to 1,000 flows', {
  source: 'Swift (SIGCOMM 2020), windows below one frame; our scenario',
  about: () =>
    `Endless flows of Swift from ${SENDERS} hosts to one, 10 Gbit/s, links of 2 us, queues of 1,000 frames; 60 ms, measured from 20 ms. The base target is ${PARAMETERS.base_target} us. With 1,000 flows the path holds less than a frame of each, so that windows are below one and paced. Lists are for ${FLOWS.join(', ')} flows.`,
  cases: () => [...TOLD, UNTOLD],
  key: ({ flows, isTold }) => (isTold ? `${flows}` : 'untold'),
  document: ({ flows, isTold }) => {
    const hosts = Math.min(flows, SENDERS);
    const from = hosts === 1 ? '2' : `2-${hosts + 1}`;
    return {
      algorithm: 'swift',
      parameters: isTold ? PARAMETERS : {},
      duration: '60ms',
      warmUp: '20ms',
      topology: { name: 'star', hosts: SENDERS + 1, rate: '10gbit', delay: '2us', dataQueue: '1000frames' },
      bottlenecks: [LAST_LINK],
      flows: [{ kind: 'flow', from, to: '1', count: flows / hosts, startJitter: '1ms' }],
      jainWindows: ['10ms'],
    };
  },
  seeds: { quick: 1, paper: 3 },
  rows: (results) => [
    row('utilisation', firsts(results, UTILISATION), 3, { paper: 'full', least: LEAST_UTILISATION, held: `Held to ${LEAST_UTILISATION} of the data share` }),
    row("Jain's index over 10 ms", firsts(results, JAIN), 3, {
      met: firsts(results, JAIN).every((jain, at) => FLOWS[at] === 1 || FLOWS[at] > FAIR_FLOWS || jain >= LEAST_JAIN),
      held: `Held to ${LEAST_JAIN} from 2 to ${FAIR_FLOWS} flows`,
    }),
    row('data frames lost', firsts(results, DATA_DROPS), 0, { paper: 'few', most: 0, held: 'Held to none' }),
    row('mean queue (B)', firsts(results, QUEUE.mean), 0, {
      paper: 'by the target',
      most: MOST_TARGETS * HIGHEST_TARGET_BYTES,
      held: `Held to ${MOST_TARGETS} times the highest target, ${HIGHEST_TARGET_BYTES} B`,
    }),
    row('largest queue (B)', firsts(results, QUEUE.max), 0, {
      note: 'Below one frame an acknowledgement in time adds ai, a whole frame: windows swing about the target.',
    }),
    row(
      `${UNTOLD.flows} flows, base target from the least RTT: Jain's index, mean queue (B)`,
      `${fixed(first(results, JAIN, UNTOLD), 3)}, ${fixed(first(results, QUEUE.mean, UNTOLD), 0)}`,
      0,
      {
        // What the default costs: a flow that starts while others queue takes their queue for the path.
        note: 'The default, for paths that nobody has measured: who starts while others queue takes their queue for the path, and gets more.',
      },
    ),
  ],
  charts: (results) => ({
    '': lines({ x: { name: 'flows', scale: 'log10' }, y: { name: 'mean queue (B)', scale: 'log10' } }, [
      { name: 'swift', x: FLOWS, y: firsts(results, QUEUE.mean) },
    ]),
  }),
  tables: (results) => [
    tableOf('', TOLD, {
      flows: ({ flows }) => flows,
      utilisation: (each) => Number(first(results, UTILISATION, each).toFixed(4)),
      queue_bytes_mean: (each) => Number(first(results, QUEUE.mean, each).toFixed(0)),
      queue_bytes_max: (each) => first(results, QUEUE.max, each),
      data_drops: (each) => first(results, DATA_DROPS, each),
    }),
  ],
});

/** Of the first seed. */
function first(results: Results<Case>, quantity: Quantity, each: Case): number {
  return results.bySeed(quantity, each)[0];
}

/** For every number of flows. */
function firsts(results: Results<Case>, quantity: Quantity): number[] {
  return TOLD.map((each) => first(results, quantity, each));
}
