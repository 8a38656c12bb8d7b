// Tested by test/apps/figures/catalogue/real-networks/incast.test.ts
import { quantile } from '../../../../sim/measure/quantile.js';
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { PAYLOAD_BYTES, payloadBps } from '../../blocks/payload.js';
import { claim, fixed, noClaim, rounded, seeds, valueList } from '../../blocks/rows.js';
import { ruleFields } from '../../blocks/rules.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';
import { BESIDE, LAWS, type Law, OURS } from './laws.js';

const LINK_BPS = 10e9;
const SENDERS = [8, 32, 64, 128, 256];
const SIZES = [16_000, 64_000, 256_000, 1_000_000];
const STARTS = [1 / 2, 1 / 16];
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

interface Incast {
  readonly senders: number;
  readonly bytes: number;
  readonly initialRate: number;
}

const INCASTS: readonly Incast[] = STARTS.flatMap((initialRate) =>
  SIZES.flatMap((bytes) => SENDERS.map((senders) => ({ senders, bytes, initialRate }))),
);

export const incast: Figure = {
  name: 'real-networks-incast',
  title: 'Incast',
  source: "Our runs of the authors' ns-2 code; ours",
  about: (profile) =>
    `8 to 256 hosts send to one at the same switch, links of 10 Gbit/s and 10 us (RTT 40 us); all flows open in one instant. A flow's time is from its opening to the last byte at the receiver, opening request included; quantiles are over the flows of ${profile === 'quick' ? 'two to eight' : 'ten'} seeds, ${CODE_SEEDS} where the authors' code was run. Times are in us. Initial rate and, where the rule has it, w_init are 1/2 or 1/16 (of steady the initial rate alone). Lists are for ${SENDERS.join(', ')} senders.

The ideal drain is that of all frames through the receiver's link beside their credits, without the RTT and a half until the first data arrives. The last frame of a flow counts as a full one, since it takes a credit as any other. Frames of the authors carry ${CODE_PAYLOAD_BYTES} bytes, ours ${PAYLOAD_BYTES}; so their times are compared after they were multiplied by the ratio of the ideal drains, 1.012 to 1.03. In parentheses stands the ratio to their ideal drain.`,
  jobs: (profile) =>
    LAWS.flatMap((law) =>
      incastsOf(law).map((each) => ({
        key: key(law, each),
        document: incastDocument(law, each),
        seeds: seeds(seedCount(each, profile)),
      })),
    ),
  evaluate: (runs) => ({
    charts: STARTS.map((initialRate) => ({ key: startKey(initialRate), chart: chart(runs, initialRate) })),
    rows: [
      ...INCASTS.filter((each) => codeOf(each) !== undefined).flatMap((each) => codeRows(runs, each)),
      ...STARTS.flatMap((initialRate) => SIZES.flatMap((bytes) => rowsOf(runs, { bytes, initialRate }))),
    ],
    tables: [table(runs)],
  }),
};

function seedCount(each: Incast, profile: Profile): number {
  if (codeOf(each) !== undefined) return CODE_SEEDS;
  return profile === 'paper' ? 10 : Math.max(2, LEAST_FLOWS / each.senders);
}

/** A window algorithm has no initial rate. */
function incastsOf(law: Law): readonly Incast[] {
  return law === 'dctcp' ? INCASTS.filter(({ initialRate }) => initialRate === STARTS[0]) : INCASTS;
}

function key(law: Law, { senders, bytes, initialRate }: Incast): string {
  return `${law}-${bytes}-${senders}-${startKey(initialRate)}`;
}

function startKey(initialRate: number): string {
  return `1in${1 / initialRate}`;
}

function codeOf({ senders, bytes, initialRate }: Incast): readonly [number, number] | undefined {
  return initialRate === STARTS[0] ? CODE[`${bytes}-${senders}`] : undefined;
}

function incastDocument(law: Law, { senders, bytes, initialRate }: Incast): FigureDocument {
  return {
    ...ruleFields(law, { initialRate, wInit: initialRate }),
    topology: { name: 'star', hosts: senders + 1, rate: '10gbit', delay: '10us', ecnRtt: '40us' },
    flows: [{ kind: 'incast', to: 1, bytes }],
  };
}

/** Us. */
interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** A flow that never ended counts as endless. */
function timesOf(runs: Runs, law: Law, each: Incast): Times {
  const found = runs.of(key(law, each)).flatMap(({ result }) => result.flows.map(({ fctNs }) => fctNs ?? Infinity));
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
function codeRows(runs: Runs, each: Incast): FigureRow[] {
  const [p50, p99] = codeOf(each) as readonly [number, number];
  const most = (p99 * idealDrain(each)) / codeDrain(each);
  return LAWS.map((law) => {
    const times = timesOf(runs, law, each);
    const text = {
      quantity: `${law}, ${each.senders} x ${each.bytes / 1e3} kB: p50, p99, longest`,
      authorsCode: `${p50}, ${p99}`,
      ours: [times.p50, times.p99, times.longest].map((time) => fixed(time, 0)).join(', '),
    };
    if (law !== OURS) return noClaim(text, BESIDE);
    return claim(text, times.p99 <= most, {
      held: `The 99th percentile is held to the authors', ${fixed(most, 0)} with frames of ours`,
    });
  });
}

function rowsOf(runs: Runs, start: Omit<Incast, 'senders'>): FigureRow[] {
  const cases = SENDERS.map((senders) => ({ senders, ...start }));
  const tails = cases.map((each) => timesOf(runs, OURS, each).p99 / timesOf(runs, AUTHORS, each).p99);
  const longest = cases.map((each) => timesOf(runs, OURS, each).longest);
  const drains = cases.map((each, at) => longest[at] / idealDrain(each));
  const codeDrains = cases.map((each, at) => longest[at] / codeDrain(each));
  const isHeld = (each: Incast): boolean => each.senders * each.bytes >= LEAST_BYTES;
  const what = `${OURS}, ${start.bytes / 1e3} kB, initial rate 1/${1 / start.initialRate}`;
  return [
    claim(
      { quantity: `${what}: p99 over that of ${AUTHORS}`, ours: valueList(tails, 3) },
      tails.every((tail) => tail <= 1),
      { held: 'Held to 1' },
    ),
    claim(
      {
        quantity: `${what}: longest over ideal drain`,
        ours: `${valueList(drains, 3)} (${valueList(codeDrains, 3)})`,
      },
      cases.every((each, at) => !isHeld(each) || drains[at] <= MOST_OVER_DRAIN),
      { held: `Held to ${MOST_OVER_DRAIN} from ${LEAST_BYTES / 1e6} MB together on` },
    ),
  ];
}

function chart(runs: Runs, initialRate: number): LineChart {
  const bytes = SIZES[1];
  const drawn = LAWS.filter((law) => incastsOf(law).some((each) => each.initialRate === initialRate));
  return {
    kind: 'lines',
    title: `Flows of ${bytes / 1e3} kB, initial rate 1/${1 / initialRate}`,
    x: { name: 'senders', scale: 'log2' },
    y: { name: '99th percentile over ideal drain' },
    references: [{ label: 'ideal', y: 1 }],
    series: drawn.map((law) => ({
      name: law,
      x: SENDERS,
      y: SENDERS.map((senders) => {
        const each = { senders, bytes, initialRate };
        return timesOf(runs, law, each).p99 / idealDrain(each);
      }),
    })),
  };
}

function table(runs: Runs): FigureTable {
  const titles = ['law', 'bytes', 'senders', 'initial_rate', 'p50_us', 'p99_us', 'longest_us', 'ideal_drain_us'];
  const rows = LAWS.flatMap((law) =>
    incastsOf(law).map((each) => {
      const { p50, p99, longest } = timesOf(runs, law, each);
      const times = [p50, p99, longest, idealDrain(each)].map((time) => rounded(time, 1));
      return [law, each.bytes, each.senders, each.initialRate, ...times];
    }),
  );
  return { key: '', titles, rows };
}
