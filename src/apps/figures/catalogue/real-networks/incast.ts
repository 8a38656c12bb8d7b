// Tested by test/apps/figures/catalogue/real-networks/incast.test.ts

import { quantile } from '../../../../sim/measure/quantile.js';
import { lines } from '../../blocks/charts.js';
import { ruleFields } from '../../blocks/dumbbell.js';
import { PAYLOAD_BYTES, payloadBps } from '../../blocks/payload.js';
import type { Profile } from '../../figure.js';
import { cross, figure, fixed, type Results, type Row, rounded, row, tableOf, valueList } from '../../plan.js';
import { BESIDE, LAWS, type Law, OURS } from './laws.js';

interface Incast {
  readonly bytes: number;
  readonly senders: number;
  /** 1 over the initial rate. */
  readonly start: number;
}

interface Case extends Incast {
  readonly law: Law;
}

const LINK_BPS = 10e9;
const SENDERS = [8, 32, 64, 128, 256];
const SIZES = [16_000, 64_000, 256_000, 1_000_000];
const STARTS = [2, 16];
const INCASTS: readonly Incast[] = cross({ start: STARTS, bytes: SIZES, senders: SENDERS });
/** What the authors' code is, of the rules that we have: beside it stand the cases that it was not run on. */
const AUTHORS: Law = 'expresspass-ns2';
/** Once as much as this comes together, the longest flow is held to the ideal drain. */
const LEAST_BYTES = 64_000 * 32;
const MOST_OVER_DRAIN = 1.05;

/** Of the authors' code, four seeds, initial rate 1/2, us. By bytes of a flow and senders. */
const CODE: Readonly<Record<string, readonly [p50: number, p99: number]>> = {
  '64000-8': [490, 739],
  '64000-32': [1_772, 2_168],
  '1000000-8': [6_608, 7_488],
  '1000000-32': [27_628, 28_664],
};
const CODE_SEEDS = 4;
/** Bytes of the authors' full frame, and of it and its credit on the wire. */
const CODE_PAYLOAD_BYTES = 1_460;
const CODE_WIRE_BYTES = 1_622;
/** Flows that a 99th percentile is of, in the quick profile. */
const LEAST_FLOWS = 64;

export const incast = figure<Case>('real-networks-incast', 'Incast', {
  source: "Our runs of the authors' ns-2 code; ours",
  about: (profile) =>
    `8 to 256 hosts send to one at the same switch, links of 10 Gbit/s and 10 us (RTT 40 us); all flows open in one instant. A flow's time is from its opening to the last byte at the receiver, opening request included; quantiles are over the flows of ${profile === 'quick' ? 'two to eight' : 'ten'} seeds, ${CODE_SEEDS} where the authors' code was run. Times are in us. Initial rate and, where the rule has it, w_init are 1/2 or 1/16 (of steady the initial rate alone). Lists are for ${SENDERS.join(', ')} senders.

The ideal drain is that of all frames through the receiver's link beside their credits, without the RTT and a half until the first data arrives. The last frame of a flow counts as a full one, since it takes a credit as any other. Frames of the authors carry ${CODE_PAYLOAD_BYTES} bytes, ours ${PAYLOAD_BYTES}; so their times are compared after they were multiplied by the ratio of the ideal drains, 1.012 to 1.03. In parentheses stands the ratio to their ideal drain.`,
  // A window algorithm has no initial rate.
  cases: () => LAWS.flatMap((law) => INCASTS.filter(({ start }) => law !== 'dctcp' || start === STARTS[0]).map((each) => ({ law, ...each }))),
  key: ({ law, bytes, senders, start }) => `${law}-${bytes}-${senders}-1in${start}`,
  document: ({ law, bytes, senders, start }) => ({
    ...ruleFields(law, { initialRate: 1 / start, wInit: 1 / start }),
    topology: { name: 'star', hosts: senders + 1, rate: '10gbit', delay: '10us', ecnRtt: '40us' },
    flows: [{ kind: 'incast', to: 1, bytes }],
  }),
  seeds: seedCount,
  rows: (results) => [
    ...INCASTS.filter((each) => codeOf(each) !== undefined).flatMap((each) => codeRows(results, each)),
    ...cross({ start: STARTS, bytes: SIZES }).flatMap((each) => rowsOf(results, each)),
  ],
  charts: (results) => Object.fromEntries(STARTS.map((start) => [`1in${start}`, chart(results, start)])),
  tables: (results) => [
    tableOf(
      '',
      results.cases.map((each) => ({ ...each, ...timesOf(results, each) })),
      {
        law: ({ law }) => law,
        bytes: ({ bytes }) => bytes,
        senders: ({ senders }) => senders,
        initial_rate: ({ start }) => 1 / start,
        p50_us: ({ p50 }) => rounded(p50, 1),
        p99_us: ({ p99 }) => rounded(p99, 1),
        longest_us: ({ longest }) => rounded(longest, 1),
        ideal_drain_us: (each) => rounded(idealDrain(each), 1),
      },
    ),
  ],
});

function codeOf({ senders, bytes, start }: Incast): readonly [number, number] | undefined {
  return start === STARTS[0] ? CODE[`${bytes}-${senders}`] : undefined;
}

function seedCount(each: Incast, profile: Profile): number {
  if (codeOf(each) !== undefined) return CODE_SEEDS;
  return profile === 'paper' ? 10 : Math.max(2, LEAST_FLOWS / each.senders);
}

/** Over the flows of all seeds, us. A flow that never ended counts as endless. */
function timesOf(results: Results<Case>, each: Case) {
  const found = results.runsOf(each).flatMap(({ result }) => result.flows.map(({ fctNs }) => fctNs ?? Infinity));
  const sorted = Float64Array.from(found, (timeNs) => timeNs / 1e3).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), longest: sorted[sorted.length - 1] };
}

/** Us. */
function idealDrain({ senders, bytes }: Incast): number {
  const fullBytes = senders * Math.ceil(bytes / PAYLOAD_BYTES) * PAYLOAD_BYTES;
  return (fullBytes * 8e6) / payloadBps(LINK_BPS);
}

/** That of the authors' frames, the last ones as long as they are: as they reckon it. */
function codeDrain({ senders, bytes }: Incast): number {
  return (senders * bytes * CODE_WIRE_BYTES * 8e6) / (CODE_PAYLOAD_BYTES * LINK_BPS);
}

/** Beside what the authors' code gave. */
function codeRows(results: Results<Case>, each: Incast): Row[] {
  const [codeP50, codeP99] = codeOf(each) as readonly [number, number];
  const most = (codeP99 * idealDrain(each)) / codeDrain(each);
  const held = `The 99th percentile is held to the authors', ${fixed(most, 0)} with frames of ours`;
  return LAWS.map((law) => {
    const { p50, p99, longest } = timesOf(results, { ...each, law });
    return row(`${law}, ${each.senders} x ${each.bytes / 1e3} kB: p50, p99, longest`, [p50, p99, longest], 0, {
      code: `${codeP50}, ${codeP99}`,
      ...(law === OURS ? { met: p99 <= most, held } : { note: BESIDE }),
    });
  });
}

function rowsOf(results: Results<Case>, start: Omit<Incast, 'senders'>): Row[] {
  const cases = SENDERS.map((senders) => ({ senders, ...start }));
  const ours = cases.map((each) => timesOf(results, { ...each, law: OURS }));
  const drains = cases.map((each, at) => ours[at].longest / idealDrain(each));
  const codeDrains = cases.map((each, at) => ours[at].longest / codeDrain(each));
  const what = `${OURS}, ${start.bytes / 1e3} kB, initial rate 1/${start.start}`;
  return [
    row(
      `${what}: p99 over that of ${AUTHORS}`,
      cases.map((each, at) => ours[at].p99 / timesOf(results, { ...each, law: AUTHORS }).p99),
      3,
      { most: 1 },
    ),
    row(`${what}: longest over ideal drain`, `${valueList(drains, 3)} (${valueList(codeDrains, 3)})`, 0, {
      met: cases.every(({ senders, bytes }, at) => senders * bytes < LEAST_BYTES || drains[at] <= MOST_OVER_DRAIN),
      held: `Held to ${MOST_OVER_DRAIN} from ${LEAST_BYTES / 1e6} MB together on`,
    }),
  ];
}

function chart(results: Results<Case>, start: number) {
  const bytes = SIZES[1];
  const part = (each: Case): number => timesOf(results, each).p99 / idealDrain(each);
  return lines(
    {
      x: { name: 'senders', scale: 'log2' },
      y: '99th percentile over ideal drain',
      title: `Flows of ${bytes / 1e3} kB, initial rate 1/${start}`,
      references: [{ label: 'ideal', y: 1 }],
    },
    LAWS.map((law) => ({ law, cases: results.where({ law, bytes, start }) }))
      .filter(({ cases }) => cases.length > 0)
      .map(({ law, cases }) => ({ name: law, x: SENDERS, y: cases.map(part) })),
  );
}
