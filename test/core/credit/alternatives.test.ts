import { describe, expect, it, vi } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS } from '../../../src/base/time.js';
import type { CreditLink } from '../../../src/core/credit/algorithm.js';
import { registered, TargetLossRule } from './alternatives.js';
import {
  FAST,
  joiningMs,
  joiningRtts,
  measureLeaving,
  measureParkingLot,
  measureSharing,
  SLOW,
  SLOW_AND_FAR,
} from './measures.js';
import type { FlowSpec } from './model-spec.js';
import { runDumbbell, seeds, spread, table } from './scenarios.js';

/** What docs/decisions/0008-steady.md weighs: rules and values that were not chosen, beside those that were. */

/** Seconds of work on an idle core; this is for busy ones. */
vi.setConfig({ testTimeout: 300_000 });

type MakeAlgorithm = FlowSpec['makeAlgorithm'];

const COLUMNS = [
  'rule',
  '10G: Jain 1 ms',
  'dropped',
  '100M: Jain 100 ms',
  'dropped',
  '2 links',
  '6 links',
  'RTTs to join',
  'to climb',
];
const TITLE =
  '10G and 100M: 8 flows on one bottleneck (10 Gbit/s, 100 us; 100 Mbit/s, 300 us); no rule here loses utilisation.\n' +
  'Links: least used link of a parking lot, 10 Gbit/s, 4 us, and in brackets what its flow 0 gets. Joining: median (range) of 10 seeds.\n' +
  'Climbing: RTTs until a flow that seven others have left has 95 % of 10 Gbit/s';

function row(name: string, make: MakeAlgorithm): string[] {
  const fast = measureSharing(make, { link: FAST, flowCount: 8, seeds: seeds(1), windows: 45 });
  const slow = measureSharing(make, { link: SLOW, flowCount: 8, seeds: seeds(1), windows: 45 });
  expect(Math.min(fast.utilisation, slow.utilisation), `utilisation: ${name}`).toBeGreaterThanOrEqual(0.97);
  const lots = [2, 6].map((linkCount) => {
    const lot = { rateBps: 1e10, linkDelayNs: 4 * MICROSECOND_NS, linkCount, durationNs: 30 * MILLISECOND_NS };
    const { lowest, across } = measureParkingLot(make, { ...lot, seeds: seeds(1) });
    return `${lowest.toFixed(3)} (${across.toFixed(2)})`;
  });
  const sharing = [fast, slow].flatMap(({ jain, dropped }) => [jain.toFixed(3), dropped.toFixed(2)]);
  return [name, ...sharing, ...lots, spread(joiningRtts(make, seeds(10)), 1), `${measureLeaving(make)}`];
}

describe('steady against what it might have been', () => {
  it('shows what each of its parts buys', async () => {
    const rows = [
      row('steady', registered('steady')),
      row('no memory', registered('steady', { memory: 0 })),
      row('climbs after any sample without loss', registered('steady', { quiet_credits: 1 })),
      row('keeps its w at the top', registered('steady', { climb_end: 1, ceiling: 1 })),
      row('no ceiling', registered('steady', { ceiling: 1 })),
      row('one update an RTT, w * 0.85', registered('steady', { period_rtts: 1, w_decrease: 0.85, w_fall: 0.05 })),
      row('w falls by a part alone', registered('steady', { w_fall: 0.001 })),
      row('does not make up for luck', registered('steady', { make_up: 0 })),
      row('a target loss of 0.1', (link: CreditLink) => new TargetLossRule(link)),
      row('a target loss of 0.02', (link: CreditLink) => new TargetLossRule(link, { targetLoss: 0.02 })),
    ];
    await expect(table(TITLE, [COLUMNS, ...rows])).toMatchFileSnapshot('departures.table.txt');
  });

  it('stands between the neighbours of its defaults', async () => {
    const neighbours: [string, number[]][] = [
      ['w_min', [0.01, 0.015, 0.03]],
      ['w_max', [0.5, 0.7]],
      ['w_decrease', [0.85, 0.95]],
      ['w_fall', [0.015, 0.04]],
      ['memory', [10, 40]],
      ['recent_memory', [5, 20]],
      ['make_up', [1.5, 6]],
      ['quiet_credits', [100, 600]],
    ];
    const rows = [row('defaults', registered('steady'))];
    for (const [name, values] of neighbours) {
      for (const value of values) rows.push(row(`${name} ${value}`, registered('steady', withValue(name, value))));
    }
    await expect(table(TITLE, [COLUMNS, ...rows])).toMatchFileSnapshot('neighbours.table.txt');
  });
});

describe('w_min', () => {
  it('trades credits against the time that many flows take to become equal', async () => {
    const rows = [
      ['w_min', '8 flows: dropped', '64 flows: dropped', 'Jain 1 ms', '300 us: ms to join', '3 ms: ms to join'],
    ];
    for (const w_min of [0.01, 0.015, 0.02, 0.03, 0.04]) {
      const make = registered('steady', { w_min });
      const [few, many] = [8, 64].map((flowCount) => measureSharing(make, { link: FAST, flowCount, seeds: seeds(1) }));
      const joins = [SLOW, SLOW_AND_FAR].map((link) => joiningMs(make, { link, flowCount: 8, seeds: seeds(16) }));
      const times = joins.map((ms) => spread(ms, 0));
      rows.push([`${w_min}`, few.dropped.toFixed(2), many.dropped.toFixed(2), many.jain.toFixed(3), ...times]);
    }
    const title =
      '8 and 64 flows at 10 Gbit/s and 100 us; the last of 8 flows at 100 Mbit/s to within 10 % of its share over 100 ms, by RTT,\n' +
      'median (range) of 16 seeds; Infinity is more than 1 s';
    await expect(table(title, rows)).toMatchFileSnapshot('w-min.table.txt');
  });
});

describe('an update period on a slow link', () => {
  it('of more credits wastes fewer of them and reacts later', async () => {
    const rows = [['credits', 'Jain 100 ms', 'dropped', 'Jain 1 s', 'ms to join']];
    for (const periodCredits of [1, 8, 16, 32, 64, 128]) {
      const options = { link: SLOW, flowCount: 8 };
      const make = registered('steady', { period_credits: periodCredits });
      const { jain, jainLong, dropped } = measureSharing(make, { ...options, seeds: seeds(1) });
      const ms = spread(joiningMs(make, { ...options, seeds: seeds(5) }), 0);
      rows.push([`${periodCredits}`, jain.toFixed(3), dropped.toFixed(2), jainLong.toFixed(3), ms]);
    }
    const title =
      'Credits at the full rate that an update period holds at least; 8 flows at 100 Mbit/s and 300 us (a full credit queue adds 1 ms).\n' +
      'Joining: the last of 8 flows to within 10 % of its share over 100 ms, median (range) of 5 seeds';
    await expect(table(title, rows)).toMatchFileSnapshot('periods.table.txt');
  });
});

describe('how a flow starts', () => {
  it('trades wasted credits against time to join', async () => {
    const rows = [
      ['initial_rate', 'w_init', 'wasted at 10 Gbit/s, 100 us', 'wasted at 100 Mbit/s, 3 ms', 'RTTs to join'],
    ];
    for (const [initial_rate, w_init] of [
      [1, 0.6],
      [1 / 2, 0.6],
      [1 / 4, 0.6],
      [1 / 8, 0.6],
      [1 / 16, 0.6],
      [1 / 32, 0.6],
      [1 / 16, 0.5],
      [1 / 16, 1 / 16],
    ]) {
      const make = registered('steady', { initial_rate, w_init });
      const wasted = [FAST, { ...SLOW, rttNs: 3 * MILLISECOND_NS }].map((link) => wastedCredits(make, link));
      rows.push([
        `1/${1 / initial_rate}`,
        w_init.toString(),
        ...wasted.map(String),
        spread(joiningRtts(make, seeds(24)), 1),
      ]);
    }
    const title =
      'Credits that a flow of one frame wastes in its first RTT on an idle network (ExpressPass 2017, Figure 8b: 80, 40, 20, 10, 4, 2), and\n' +
      'RTTs until the second of two flows is within 10 % of half of 10 Gbit/s over 3 RTTs (median and range of 24 seeds)';
    await expect(table(title, rows)).toMatchFileSnapshot('start.table.txt');
  });
});

/** w_init follows w_max, as at the defaults. */
function withValue(name: string, value: number): Record<string, number> {
  return name === 'w_max' ? { w_max: value, w_init: value } : { [name]: value };
}

/** Credits sent until the first data frame is back, that one's own left out. */
function wastedCredits(makeAlgorithm: MakeAlgorithm, { rateBps, rttNs }: { rateBps: number; rttNs: number }): number {
  const run = { makeAlgorithm, rateBps, rttNs, flowCount: 1, binNs: rttNs, durationNs: rttNs, seed: 1 };
  return runDumbbell(run).flows[0].lastSequence;
}
