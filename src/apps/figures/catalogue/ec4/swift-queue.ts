// Tested by test/apps/figures/catalogue.test.ts

import { FLOWS_AXIS, lines } from '../../blocks/charts.js';
import { QUEUE } from '../../blocks/quantities.js';
import { cross, figure, type Results, row } from '../../plan.js';
import { mean } from '../../statistics.js';

type Case = { readonly flows: number };

const FLOWS = [4, 16, 64, 256];
const RATE_MBPS = 10_000;
const FRAME_NS = 1_230.4;
/** Frames that each host has waiting at its own link at all times, so that it sends at that link's rate without a pause. */
const WINDOW = 8;
/** The exponent of the paper's O(sqrt(N)). */
const PAPER_EXPONENT = 0.5;

export const ec4SwiftQueue = figure<Case>('ec4-swift-queue', 'Swift: the queue of many flows with perfect rates', {
  source: 'Swift (SIGCOMM 2020), Figure 4',
  about: () =>
    `What Swift's target has its flow scaling for: N flows share 10 Gbit/s, each from a host whose own link has 1/N of that and is never idle, so that every flow sends at exactly its share, and starts at a random time of its period. Nothing adapts; what queues at the bottleneck is chance alone. Windows of ${WINDOW} frames, no marks; 40 periods, measured from the 20th. Lists are for ${FLOWS.join(', ')} flows.`,
  cases: () => cross({ flows: FLOWS }),
  document: ({ flows }) => {
    const periodNs = Math.ceil(flows * FRAME_NS);
    return {
      algorithm: 'dctcp',
      parameters: { initial_window: WINDOW, max_window: WINDOW },
      duration: `${40 * periodNs}ns`,
      warmUp: `${20 * periodNs}ns`,
      topology: {
        name: 'dumbbell',
        pairs: flows,
        edge: { rate: `${RATE_MBPS / flows}mbit`, delay: '100ns' },
        core: { rate: `${RATE_MBPS}mbit`, delay: '100ns' },
      },
      bottlenecks: ['left->right'],
      flows: [{ kind: 'pairs', startJitter: `${periodNs}ns` }],
    };
  },
  seeds: { quick: 10, paper: 30 },
  rows: (results) => [
    row('mean queue over that of four times fewer flows, as a power of their number', exponent(results), 2, { paper: PAPER_EXPONENT }),
    row('mean queue (B)', results.list(QUEUE.mean, {}), 0, { note: 'The paper has the curve as a drawing.' }),
  ],
  charts: (results) => ({
    '': lines({ x: FLOWS_AXIS, y: { name: 'mean queue (B)', scale: 'log10' } }, [results.line('perfect rates', 'flows', QUEUE.mean, {})]),
  }),
  table: ['flows', QUEUE.mean, QUEUE.max],
});

/** The slope of log queue over log flows, from neighbours of the list, averaged. */
function exponent(results: Results<Case>): number {
  const queues = results.list(QUEUE.mean, {});
  return mean(queues.slice(1).map((queue, at) => Math.log(queue / queues[at]) / Math.log(FLOWS[at + 1] / FLOWS[at])));
}
