import { FLOWS_AXIS, lines } from '../blocks/charts.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { isPeer, PEERS_WITH_CUBIC, type System } from '../blocks/peers.js';
import { CREDITS_DROPPED, DATA_DROPS, jainOver, QUEUE, UTILISATION } from '../blocks/quantities.js';
import type { Profile } from '../figure.js';
import { cross, figure, noneOf, type Quantity, type Results, type Row, row } from '../plan.js';
import { sum } from '../statistics.js';

type Case = { readonly rule: System; readonly flows: number };

const RULES: Readonly<Record<Profile, readonly System[]>> = {
  quick: ['steady', 'expresspass', ...PEERS_WITH_CUBIC],
  paper: ['steady', 'expresspass', 'expresspass-ns2', ...PEERS_WITH_CUBIC],
};
const FLOWS: Readonly<Record<Profile, readonly number[]>> = { quick: [16, 64, 256, 1024, 2048], paper: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048] };
/** Jain of DCTCP at 2,048 flows, in the text of the paper of 2016. */
const PAPER_DCTCP_JAIN = 0.04;
const MOST_FLOWS = 2048;
/** "Uses much less buffer than DCTCP": a half at most (ours). */
const LESS_BUFFER = 0.5;
/** The papers have the curve as a drawing, high to the end: ours. */
const LEAST_JAIN = 0.95;
const LEAST_UTILISATION = 0.95;
/** "Near zero": ours, of 384,500 B that the queue takes. */
const MOST_QUEUED_FRAMES = 4;
/** Largest queue since the start in the authors' code, wire bytes; they ran no more flows. */
const CODE_QUEUE: Readonly<Record<number, number>> = { 64: 5_208, 128: 10_584, 256: 21_336, 512: 42_840, 1024: 85_848 };
const JAIN = jainOver(100);

export const manyFlows = figure<Case>('many-flows', 'Many flows on one bottleneck', {
  source: 'ExpressPass 2017, the comparison to 2,048 flows; ExpressPass 2016, Figure 9',
  about: (profile) =>
    `Endless flows that start together on one bottleneck of 10 Gbit/s, RTT 100 us. Jain's index over 100 ms, ${profile === 'quick' ? 'one window' : 'three windows'} after 20 ms; the data queue is the largest of that time. With 2,048 flows the bottleneck carries 39 frames of each in 100 ms, and a flow gets a credit every 26 RTTs. Lists are for ${FLOWS[profile].join(', ')} flows. DCTCP marks above 65 frames, HULL above 15 kB of a phantom queue of 95 % of the link; DX goes by the delay; CUBIC fills the 250 frames of the queue.`,
  cases: (profile) => RULES[profile].flatMap((rule) => cross({ rule: [rule], flows: FLOWS[profile] })),
  // One window needs a little more than its length.
  document: ({ rule, flows }, profile) => ({
    ...dumbbell({ rule, pairs: flows }),
    duration: profile === 'quick' ? '121ms' : '321ms',
    warmUp: '20ms',
    jainWindows: ['100ms', '10ms'],
  }),
  seeds: { quick: 1, paper: 3 },
  rows: (results) => RULES[results.profile].flatMap((rule) => rowsOf(results, rule)),
  charts: (results) => {
    const byFlows = (of: Quantity) => RULES[results.profile].map((rule) => results.line(rule, 'flows', of, { rule }));
    return {
      jain: lines({ x: FLOWS_AXIS, y: { name: "Jain's index over 100 ms", max: 1 } }, byFlows(JAIN)),
      queue: lines({ x: FLOWS_AXIS, y: 'largest data queue (B)' }, byFlows(QUEUE.max)),
    };
  },
  table: ['rule', 'flows', JAIN, UTILISATION, { data_queue_bytes_max: QUEUE.max, data_queue_bytes_max_ever: QUEUE.ever }, CREDITS_DROPPED, DATA_DROPS],
});

function rowsOf(results: Results<Case>, rule: System): Row[] {
  if (isPeer(rule)) return peerRows(results, rule);
  const paper = (value: string) => (rule === 'steady' ? {} : { paper: value });
  return [
    row(`${rule}: Jain over 100 ms`, results.list(JAIN, { rule }), 3, {
      ...paper('high to 2,048'),
      least: LEAST_JAIN,
      held: `Held to ${LEAST_JAIN} at every number of flows`,
    }),
    row(`${rule}: utilisation`, results.list(UTILISATION, { rule }), 3, {
      ...paper('high'),
      least: LEAST_UTILISATION,
      held: `Held to ${LEAST_UTILISATION} at every number of flows`,
    }),
    row(`${rule}: largest data queue (B)`, results.list(QUEUE.max, { rule }), 0, {
      ...paper('near zero'),
      most: MOST_QUEUED_FRAMES * 1538,
      held: `"Near zero" held to ${MOST_QUEUED_FRAMES} frames`,
    }),
    row(`${rule}: largest data queue since the start (B)`, results.list(QUEUE.ever, { rule }), 0, {
      code: results.where({ rule }).map(({ flows }) => CODE_QUEUE[flows] ?? null),
      note: 'Opening requests that come all at once and without a credit: N of 98 B here and of 84 B in their code. It is long over when the measured time begins.',
    }),
    noneOf(`${rule}: data frames lost`, sum(results.list(DATA_DROPS, { rule })), paper('0')),
  ];
}

function peerRows(results: Results<Case>, rule: System): Row[] {
  const jains = results.list(JAIN, { rule });
  const queues = results.list(QUEUE.max, { rule });
  const parts = results.list(QUEUE.max, { rule: 'expresspass' }).map((bytes, at) => bytes / queues[at]);
  const ofDctcp = rule === 'dctcp';
  return [
    row(
      `${rule}: Jain over 100 ms`,
      jains,
      3,
      ofDctcp
        ? { paper: `${PAPER_DCTCP_JAIN} at 2,048`, beside: [[results.of(JAIN, { rule, flows: MOST_FLOWS })], [PAPER_DCTCP_JAIN]], why: WHY_DCTCP }
        : { note: 'The papers have no value of it here.' },
    ),
    row(
      `${rule}: utilisation`,
      results.list(UTILISATION, { rule }),
      3,
      ofDctcp
        ? { paper: 'high', least: LEAST_UTILISATION }
        : { note: 'Of the data share beside credits, which this system does not send: 1.055 is the whole link.' },
    ),
    row(`${rule}: largest data queue (B)`, queues, 0, { note: 'It stands beside those of the credits; the queue holds 384,500 B.' }),
    ...(ofDctcp
      ? [
          row('expresspass over dctcp: largest data queue', parts, 3, {
            paper: 'much less',
            most: LESS_BUFFER,
            held: `"Much less" held to ${LESS_BUFFER} at every number of flows`,
          }),
        ]
      : []),
  ];
}

const WHY_DCTCP =
  'Retransmission timeouts start at 200 us as in the paper; ours double to 100 ms at most and repair single holes without a timeout, so that a flow with a window of one frame comes back sooner than in ns-2 and none starves for whole windows of 100 ms.';
