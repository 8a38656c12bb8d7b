// Tested by test/apps/figures/catalogue.test.ts

import type { LineChart } from '../../../../report/plot/chart.js';
import { FLOWS_AXIS, lines } from '../../blocks/charts.js';
import { FEWER_FLOWS, FLOWS, MIX_NAMES, MIX_RUNS, type MixCase, type MixName } from '../../blocks/mix.js';
import { QUEUE } from '../../blocks/quantities.js';
import { counted, figure, type Quantity, type Results, type Row, row } from '../../plan.js';

const LIMITS = { mean: 100e3, max: 200e3 };

export const ec4Queue = figure<MixCase>('ec4-queue', 'The queue that credits and DCTCP share', {
  source: 'EC4, Figure 6',
  about: () =>
    `The runs of ec4-fairness: the data queue of the bottleneck, its mean and its largest from 20 to 121 ms. Lists are for ${FEWER_FLOWS.join(', ')} flows in all in rows whose names end in k100, which have the paper's K, for ${FLOWS.join(', ')} in the others. The queue is never full here, as in the paper. With ec4-dctcp-below-one a flow may send as little as a twentieth of a frame in a round trip (\`min_frames\` of ec4, \`min_window\` of dctcp); as RFC 8257 has it, DCTCP keeps a frame at least.`,
  ...MIX_RUNS,
  rows: (results) => MIX_NAMES.flatMap((name) => rowsOf(results, name)),
  charts: (results) => ({ mean: chart(results, 'mean queue (B)', QUEUE.mean), max: chart(results, 'largest queue (B)', QUEUE.max) }),
});

/** The mixes that are held to something, and why they miss it. */
const WHY: Readonly<Partial<Record<MixName, string>>> = {
  'ec4-literal-dctcp-k100':
    "The paper says of its own K of 100 frames (154 kB on the wire) that the mean queue is around it, so the mean cannot be below 100 kB as well. DCTCP alone has as much. With many flows each keeps a frame in the network, and the listing has no bound on what it credits beyond the link's rate.",
  'ec4-dctcp':
    'DCTCP keeps one frame in the network for each of its flows at the least, and EC4 one in a round trip; the path holds 24 and the rest queues: 104 frames or 160 kB with 128 flows, 232 or 357 kB with 256. DCTCP alone has the same queue. Where both may go below one (ec4-dctcp-below-one) it is gone.',
  'ec4-dctcp-below-one': 'Flows that the marks release together send a frame each.',
};
/** It carries the paper's values; the others stand beside it. */
const PAPERS: MixName = 'ec4-literal-dctcp-k100';

function rowsOf(results: Results<MixCase>, name: MixName): Row[] {
  const why = WHY[name];
  const limit = (most: number): Partial<Row> =>
    why === undefined
      ? { note: 'It stands beside EC4.' }
      : { ...(name === PAPERS && { paper: `below ${counted(most)}` }), most, held: `Held to ${counted(most)} at every number of flows`, why };
  return [
    row(`${name}: mean queue (B)`, results.list(QUEUE.mean, { name }), 0, limit(LIMITS.mean)),
    row(`${name}: largest queue once the flows run (B)`, results.list(QUEUE.max, { name }), 0, limit(LIMITS.max)),
    row(`${name}: largest queue since the start (B)`, results.list(QUEUE.ever, { name }), 0, {
      note: 'All flows begin within 50 us: DCTCP with ten frames each and slow start, credits at the rate of the link.',
    }),
  ];
}

function chart(results: Results<MixCase>, name: string, quantity: Quantity): LineChart {
  return lines(
    { x: FLOWS_AXIS, y: { name, scale: 'log10' } },
    MIX_NAMES.map((mix) => results.line(mix, 'flows', quantity, { name: mix })),
  );
}
