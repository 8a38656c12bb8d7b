import { DEFAULT_PORT } from '../../../switch/port.js';
import { creditShare, DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../../wire/layout.js';
import { lines } from '../blocks/charts.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { dataBps } from '../blocks/payload.js';
import type { Rule } from '../blocks/peers.js';
import { DATA_DROPS, QUEUE } from '../blocks/quantities.js';
import type { FigureDocument, Profile } from '../figure.js';
import { chartsOf, cross, figure, row, valueList } from '../plan.js';
import { sum } from '../statistics.js';

type Case = { readonly cause: Cause; readonly rule: Rule; readonly spreadUs: number };

const LINK_BPS = 10e9;
const PAIRS = 16;
const SPREADS_US = [0, 2, 5, 10, 20, 50, 100];
const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'naive'];
/** Where the spread comes from. */
const CAUSES = { jitter: 'each frame at its host by chance', hosts: 'half of the senders slower' } as const;
type Cause = keyof typeof CAUSES;
const CAUSE_NAMES = Object.keys(CAUSES) as Cause[];

/**
 * Data of all credits that the meter lets pass during the spread, which may arrive at once (ExpressPass 2016, Section 2.1). A credit also waits behind
 * seven others at a port, and the meter's bucket lets two through at once.
 */
function boundBytes(spreadUs: number): number {
  const creditBps = LINK_BPS * creditShare(DEFAULT_FRAME_BYTES);
  const queuedNs = ((DEFAULT_PORT.creditQueueFrames - 1) * MEAN_CREDIT_WIRE_BYTES * 8e9) / creditBps;
  const burstFrames = DEFAULT_PORT.creditBurstBytes / MEAN_CREDIT_WIRE_BYTES;
  return ((spreadUs * 1e3 + queuedNs) * dataBps(LINK_BPS)) / 8e9 + burstFrames * wireBytes(DEFAULT_FRAME_BYTES);
}

const BOUNDS = SPREADS_US.map(boundBytes);

export const queueBound = figure<Case>('queue-bound', 'No data loss, and what bounds the data queue', {
  source: 'ExpressPass 2017, the claim of delay bounds; ExpressPass 2016, Section 2.1',
  about: (profile) =>
    `${PAIRS} endless flows on one bottleneck of 10 Gbit/s, RTT 100 us; the time from a credit to its data spreads by 0 to ${SPREADS_US[SPREADS_US.length - 1]} us, either by chance with every frame that a host handles, or because half of the senders take that much longer. Largest data queue of the bottleneck since the start of the run, ${profile === 'quick' ? 'one seed' : 'the largest of 10 seeds'}; lists are for spreads of ${SPREADS_US.join(', ')} us.

The bound is what the link carries of data in the spread, a credit queue of eight at the port to the sender and the two credits of the meter's bucket counted in. Opening requests travel without a credit; so few are within it.`,
  cases: () => cross({ cause: CAUSE_NAMES, rule: DRAWN, spreadUs: SPREADS_US }),
  document: boundDocument,
  seeds: { quick: 1, paper: 10 },
  rows: (results) => [
    ...cross({ cause: CAUSE_NAMES, rule: DRAWN }).map((each) =>
      row(`${each.rule}, ${CAUSES[each.cause]}: largest data queue (B)`, results.list(QUEUE.ever, each), 0, {
        paper: `at most ${valueList(BOUNDS, 0)}`,
        most: BOUNDS,
        held: 'Held to the bound at every spread',
      }),
    ),
    row(`data frames lost in ${sum(results.cases.map((each) => results.runsOf(each).length))} runs`, sum(results.list(DATA_DROPS, {})), 0, {
      paper: '0',
      most: 0,
      held: 'Held to none; the other figures have a row of their own',
    }),
  ],
  charts: (results) =>
    chartsOf(CAUSE_NAMES, (cause) =>
      lines({ x: 'spread of the time from credit to data (us)', y: 'largest data queue (B)', title: CAUSES[cause] }, [
        { name: 'bound', x: SPREADS_US, y: BOUNDS },
        ...DRAWN.map((rule) => results.line(rule, 'spreadUs', QUEUE.ever, { cause, rule })),
      ]),
    ),
  table: ['cause', 'rule', { spread_us: 'spreadUs', data_queue_bytes_max_ever: QUEUE.ever, bound_bytes: ({ spreadUs }) => Math.round(boundBytes(spreadUs)) }],
});

function boundDocument({ cause, rule, spreadUs }: Case, profile: Profile): FigureDocument {
  const slower = cause === 'jitter' ? { processing: { jitter: `${spreadUs}us` } } : { hosts: `1-${PAIRS / 2}`, processing: { delay: `${spreadUs}us` } };
  return { ...dumbbell({ rule, pairs: PAIRS }), ...(profile === 'quick' && { duration: '25ms', warmUp: '5ms' }), hosts: [slower] };
}
