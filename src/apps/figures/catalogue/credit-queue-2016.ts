import { lines } from '../blocks/charts.js';
import { dumbbell, withLinks } from '../blocks/dumbbell.js';
import { cross, figure, row } from '../plan.js';
import { UNDER_UTILISATION } from './credit-queue.js';

const QUEUES = [1, 2, 4, 8, 16, 32, 64, 128];
/** The paper does not say how many flows it had. */
const FLOWS = [2, 8, 32];
/** The length that the paper settles on, and what it says that this costs at most, per cent of the data share. */
const CHOSEN = 16;
const PAPER_WORST_PERCENT = 3.3;
/** "Maxes out": what longer queues may still win, per cent (ours). */
const MOST_WON_PERCENT = 2;

export const creditQueue2016 = figure<{ queue: number; flows: number }>('credit-queue-2016', 'Length of the credit queue, rule of 2016', {
  source: 'ExpressPass 2016, Figure 4',
  about: (profile) =>
    `Under-utilisation of the data share in per cent with the feedback of 2016 and credit queues of 1 to 128 credits in every switch and NIC. ${FLOWS.join(', ')} endless flows at 10 Gbit/s, RTT 100 us, gaps of credits that vary by 1 % as in that paper; 60 ms, measured from 20 to 60 ms, ${profile === 'quick' ? 'one seed' : 'means over 10 seeds'}. The other queue figures of the paper are on this page too: many concurrent flows (its Figure 9) under many-flows, queues in a fat tree (its Table 1) under workloads.`,
  cases: () => cross({ queue: QUEUES, flows: FLOWS }),
  document: ({ queue, flows }) => ({ ...withLinks(dumbbell({ rule: 'expresspass-2016', pairs: flows }), { creditQueue: queue }), hosts: [{ jitter: 0.01 }] }),
  seeds: { quick: 1, paper: 10 },
  rows: (results) => {
    const [shortest, chosen, longest] = [1, CHOSEN, 128].map((queue) => results.list(UNDER_UTILISATION, { queue }));
    const what = `(%), ${FLOWS.join(', ')} flows`;
    return [
      row(`under-utilisation, ${CHOSEN} credits ${what}`, chosen, 1, {
        paper: `at most ${PAPER_WORST_PERCENT}`,
        most: PAPER_WORST_PERCENT,
        held: "Held to the paper's worst case",
      }),
      row(
        `won by 128 credits ${what}`,
        chosen.map((percent, at) => percent - longest[at]),
        1,
        {
          paper: 'nothing',
          met: chosen.every((percent, at) => percent <= Math.max(0, longest[at]) + MOST_WON_PERCENT),
          held: `Held to at most ${MOST_WON_PERCENT} % of the link`,
        },
      ),
      row(`under-utilisation, 1 credit ${what}`, shortest, 1, { note: 'The paper has it as a drawing only.' }),
    ];
  },
  charts: (results) => ({
    '': lines(
      { x: { name: 'credit queue (credits)', scale: 'log2' }, y: { name: 'under-utilisation (%)', min: -1 } },
      FLOWS.map((flows) => results.line(`${flows} flows`, 'queue', UNDER_UTILISATION, { flows })),
    ),
  }),
  table: [{ credit_queue: 'queue' }, 'flows', { under_utilisation_percent: UNDER_UTILISATION }],
});
