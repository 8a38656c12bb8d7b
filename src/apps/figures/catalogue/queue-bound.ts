import type { SimulationRun } from '../../../sim/result.js';
import { DEFAULT_PORT } from '../../../switch/port.js';
import { creditShare, DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../../wire/layout.js';
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { BOTTLENECK, dumbbell } from '../blocks/dumbbell.js';
import { dataDrops, linkOf } from '../blocks/link.js';
import { dataBps } from '../blocks/payload.js';
import { claim, seeds, valueList } from '../blocks/rows.js';
import type { Rule } from '../blocks/rules.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const LINK_BPS = 10e9;
const PAIRS = 16;
const SPREADS_US = [0, 2, 5, 10, 20, 50, 100];
const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'naive'];
/** Where the spread comes from. */
const CAUSES = [
  { key: 'jitter', name: 'each frame at its host by chance' },
  { key: 'hosts', name: 'half of the senders slower' },
] as const;
type Cause = (typeof CAUSES)[number]['key'];

/**
 * All credits that the meter lets pass during the spread release data that arrive at the same time (ExpressPass 2016, Section 2.1): so much data the link carries in the
 * spread. The spread has a part that is always there: a credit may wait behind seven others at the port to its sender; and the bucket lets two frames more through at
 * once, of which one is on the wire.
 */
function boundBytes(spreadUs: number): number {
  const queuedNs = ((DEFAULT_PORT.creditQueueFrames - 1) * MEAN_CREDIT_WIRE_BYTES * 8e9) / creditBps();
  const burstFrames = DEFAULT_PORT.creditBurstBytes / MEAN_CREDIT_WIRE_BYTES;
  return ((spreadUs * 1e3 + queuedNs) * dataBps(LINK_BPS)) / 8e9 + burstFrames * wireBytes(DEFAULT_FRAME_BYTES);
}

function creditBps(): number {
  return LINK_BPS * creditShare(DEFAULT_FRAME_BYTES);
}

export const queueBound: Figure = {
  name: 'queue-bound',
  title: 'No data loss, and what bounds the data queue',
  source: 'ExpressPass 2017, the claim of delay bounds; ExpressPass 2016, Section 2.1',
  about: (profile) =>
    `${PAIRS} endless flows on one bottleneck of 10 Gbit/s, RTT 100 us; the time from a credit to its data spreads by 0 to ${SPREADS_US[SPREADS_US.length - 1]} us, either by chance with every frame that a host handles, or because half of the senders take that much longer. Largest data queue of the bottleneck since the start of the run, ${profile === 'quick' ? 'one seed' : 'the largest of 10 seeds'}; lists are for spreads of ${SPREADS_US.join(', ')} us.

The bound is what the link carries of data in the spread, a credit queue of eight at the port to the sender and the two credits of the meter's bucket counted in. Opening requests travel without a credit; so few are within it.`,
  jobs: (profile) =>
    CAUSES.flatMap(({ key: cause }) =>
      DRAWN.flatMap((rule) =>
        SPREADS_US.map((spreadUs) => ({
          key: key(cause, rule, spreadUs),
          document: boundDocument(cause, rule, { spreadUs, profile }),
          seeds: seeds(seedCount(profile)),
        })),
      ),
    ),
  evaluate: (runs) => ({
    charts: CAUSES.map(({ key: cause, name }) => ({ key: cause, chart: chart(name, runs, cause) })),
    rows: [...CAUSES.flatMap(({ key: cause }) => DRAWN.map((rule) => boundRow(runs, cause, rule))), lossRow(runs)],
    tables: [table(runs)],
  }),
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 1 : 10;
}

function key(cause: Cause, rule: Rule, spreadUs: number): string {
  return `${cause}-${rule}-${spreadUs}`;
}

function boundDocument(cause: Cause, rule: Rule, on: { spreadUs: number; profile: Profile }): FigureDocument {
  const slower =
    cause === 'jitter'
      ? { processing: { jitter: `${on.spreadUs}us` } }
      : { hosts: `1-${PAIRS / 2}`, processing: { delay: `${on.spreadUs}us` } };
  return {
    ...dumbbell({ rule, pairs: PAIRS }),
    ...(on.profile === 'quick' && { duration: '25ms', warmUp: '5ms' }),
    hosts: [slower],
  };
}

function largestBytes(runs: readonly SimulationRun[]): number {
  return Math.max(...runs.map((run) => linkOf(run, BOTTLENECK).dataQueueBytesMaxEver));
}

function measure(runs: Runs, cause: Cause, rule: Rule): number[] {
  return SPREADS_US.map((spreadUs) => largestBytes(runs.of(key(cause, rule, spreadUs))));
}

function boundRow(runs: Runs, cause: Cause, rule: Rule): FigureRow {
  const found = measure(runs, cause, rule);
  const bounds = SPREADS_US.map(boundBytes);
  const text = {
    quantity: `${rule}, ${CAUSES.find((each) => each.key === cause)?.name}: largest data queue (B)`,
    paper: valueList(bounds, 0),
    ours: valueList(found, 0),
  };
  const isBounded = found.every((bytes, at) => bytes <= bounds[at]);
  return claim(text, isBounded, { held: 'Held to the bound at every spread' });
}

function lossRow(runs: Runs): FigureRow {
  const keys = CAUSES.flatMap(({ key: cause }) => DRAWN.map((rule) => [cause, rule] as const));
  const all = keys.flatMap(([cause, rule]) => SPREADS_US.flatMap((spreadUs) => runs.of(key(cause, rule, spreadUs))));
  const lost = all.reduce((sum, run) => sum + dataDrops(run), 0);
  return claim({ quantity: `data frames lost in ${all.length} runs`, paper: '0', ours: String(lost) }, lost === 0, {
    held: 'Held to none; the other figures have a row of their own',
  });
}

function chart(title: string, runs: Runs, cause: Cause): LineChart {
  const bound = { name: 'bound', x: SPREADS_US, y: SPREADS_US.map(boundBytes) };
  const found = DRAWN.map((rule) => ({ name: rule, x: SPREADS_US, y: measure(runs, cause, rule) }));
  return {
    kind: 'lines',
    title,
    x: { name: 'spread of the time from credit to data (us)' },
    y: { name: 'largest data queue (B)' },
    series: [bound, ...found],
  };
}

function table(runs: Runs): FigureTable {
  const rows = CAUSES.flatMap(({ key: cause }) =>
    DRAWN.flatMap((rule) =>
      measure(runs, cause, rule).map((bytes, at) => [
        cause,
        rule,
        SPREADS_US[at],
        bytes,
        Math.round(boundBytes(SPREADS_US[at])),
      ]),
    ),
  );
  return { key: '', titles: ['cause', 'rule', 'spread_us', 'data_queue_bytes_max_ever', 'bound_bytes'], rows };
}
