import { FLOWS_AXIS, lines } from '../blocks/charts.js';
import { dumbbell, type Rule } from '../blocks/dumbbell.js';
import { CREDITS_DROPPED, DATA_DROPS, jainOver, QUEUE, UTILISATION } from '../blocks/quantities.js';
import type { Profile } from '../figure.js';
import { cross, figure, noneOf, type Quantity, type Results, type Row, row } from '../plan.js';
import { sum } from '../statistics.js';

type Case = { readonly rule: Rule; readonly flows: number };

const RULES: Readonly<Record<Profile, readonly Rule[]>> = { quick: ['steady', 'expresspass'], paper: ['steady', 'expresspass', 'expresspass-ns2'] };
/** Ours; the papers have the curve as a drawing, high to the end. */
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
    `Endless flows that start together on one bottleneck of 10 Gbit/s, RTT 100 us. Jain's index over 100 ms, ${profile === 'quick' ? 'one window' : 'three windows'} after 20 ms; the data queue is the largest of that time. With 2,048 flows the bottleneck carries 39 frames of each in 100 ms, and a flow gets a credit every 26 RTTs. Lists are for ${flowsOf(profile, 'steady').join(', ')} flows, or as far as they go.`,
  cases: (profile) => RULES[profile].flatMap((rule) => cross({ rule: [rule], flows: flowsOf(profile, rule) })),
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

/** In the quick profile only ours goes to the end. */
function flowsOf(profile: Profile, rule: Rule): readonly number[] {
  if (profile === 'paper') return [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
  return rule === 'steady' ? [16, 64, 256, 1024, 2048] : [16, 64, 256];
}

function rowsOf(results: Results<Case>, rule: Rule): Row[] {
  return [
    row(`${rule}: Jain over 100 ms`, results.list(JAIN, { rule }), 3, {
      paper: 'high to 2,048',
      ...(rule === 'steady' ? { least: LEAST_JAIN, held: `Held to ${LEAST_JAIN} at every number of flows` } : { note: 'It stands beside ours.' }),
    }),
    row(`${rule}: utilisation`, results.list(UTILISATION, { rule }), 3, {
      paper: 'high',
      least: LEAST_UTILISATION,
      held: `Held to ${LEAST_UTILISATION} at every number of flows`,
    }),
    row(`${rule}: largest data queue (B)`, results.list(QUEUE.max, { rule }), 0, {
      paper: 'near zero',
      most: MOST_QUEUED_FRAMES * 1538,
      held: `"Near zero" held to ${MOST_QUEUED_FRAMES} frames`,
    }),
    row(`${rule}: largest data queue since the start (B)`, results.list(QUEUE.ever, { rule }), 0, {
      code: results.where({ rule }).map(({ flows }) => CODE_QUEUE[flows] ?? null),
      note: 'Opening requests that come all at once and without a credit: N of 98 B here and of 84 B in their code. It is long over when the measured time begins.',
    }),
    noneOf(`${rule}: data frames lost`, sum(results.list(DATA_DROPS, { rule })), { paper: '0' }),
  ];
}
