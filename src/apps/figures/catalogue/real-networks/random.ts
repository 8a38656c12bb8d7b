// Tested by test/apps/figures/catalogue/random-networks.test.ts
import { judge } from '../../../../sim/judge/judge.js';
import { randomNetwork } from '../../../../sim/judge/random-network.js';
import { quantile } from '../../../../sim/measure/quantile.js';
import { cdfSeries } from '../../../shared/plot/cdf.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { networkDocument } from '../../blocks/network-document.js';
import { claim, fixed, noClaim, rounded, valueList } from '../../blocks/rows.js';
import type { Figure, FigureChart, FigureTable, Profile, Runs } from '../../figure.js';

/** The default law first, which is held to something; then what stands beside it. */
const ALGORITHMS = [
  'steady',
  'leaning',
  'naive',
  'expresspass',
  'expresspass-ns2',
  'ec4',
  'spraypass',
  'dctcp',
  'cubic',
] as const;
type Algorithm = (typeof ALGORITHMS)[number];
const [JUDGED] = ALGORITHMS;

/** Seeds of the networks that the law was tuned on, and of those that nobody looked at meanwhile. */
const SETS = { tuning: [1, 250], report: [251, 500] } as const;
type SetName = keyof typeof SETS;
const SET_NAMES = Object.keys(SETS) as SetName[];

/** In the quick profile all but the judged law play every fifth network (ours: minutes instead of a quarter of an hour). */
const QUICK_STEP = 5;

const QUANTILES = [
  { name: 'median', part: 0.5, least: 0.95 },
  { name: '5th percentile', part: 0.05, least: 0.8 },
  { name: '1st percentile', part: 0.01, least: 0.5 },
  { name: 'worst', part: 0, least: null },
] as const;

export const randomNetworks: Figure = {
  name: 'real-networks-random',
  title: 'Random networks',
  source: 'ours',
  about: (
    profile,
  ) => `Networks that nobody chose, by seed: 2 to 64 flows over 1 to 8 switches of a star, dumbbell, parking lot, random tree, leaf-spine or fat tree, whose links differ in rate (100 Mbit/s to 100 Gbit/s) and delay (the longest RTT is from 10 us to 20 ms without transmission times) and a third of which lose 0 to 3 % of all frames at random. A quarter of the flows comes during the first half of the run and a quarter comes and leaves in it. Networks whose run would take more than a million events are made smaller: long round trips go with slower links, and the fastest links of a network are cut.

Each flow's payload over the second half of the run is a part of its max-min share of what loss of credits and data leaves (src/sim/judge/shares.ts). The law was tuned on the networks of seeds ${range('tuning')}; it is held to what it gives on those of ${range('report')}, which the drawing shows too.${profile === 'quick' ? ` All others but ${JUDGED} play every fifth network.` : ''} \`xpass fuzz --judge ALGORITHM\` plays them with any algorithm and names the worst flows.`,
  jobs: (profile) =>
    SET_NAMES.flatMap((set) =>
      seedsOf(set, 'paper', JUDGED).flatMap((seed) => {
        const { scenario } = randomNetwork(seed);
        const played = ALGORITHMS.filter((algorithm) => seedsOf(set, profile, algorithm).includes(seed));
        return played.map((algorithm) => ({
          key: key(algorithm, seed),
          document: networkDocument(scenario, algorithm),
          seeds: [seed],
        }));
      }),
    ),
  evaluate: (runs, profile) => {
    const parts = new Map(ALGORITHMS.map((algorithm) => [algorithm, partsOf(runs, profile, algorithm)]));
    return {
      charts: [chart(parts)],
      rows: ALGORITHMS.flatMap((algorithm) => rowsOf(algorithm, parts.get(algorithm) as Parts)),
      tables: [table(parts)],
    };
  },
};

/** What each judged flow had of its share, ascending. */
type Parts = Readonly<Record<SetName, Float64Array>>;

function range(set: SetName): string {
  return SETS[set].join(' to ');
}

function key(algorithm: Algorithm, seed: number): string {
  return `${algorithm}-${seed}`;
}

function seedsOf(set: SetName, profile: Profile, algorithm: Algorithm): number[] {
  const [first, last] = SETS[set];
  const step = profile === 'quick' && algorithm !== JUDGED ? QUICK_STEP : 1;
  return Array.from({ length: Math.ceil((last - first + 1) / step) }, (_, at) => first + at * step);
}

function partsOf(runs: Runs, profile: Profile, algorithm: Algorithm): Parts {
  const of = (set: SetName) =>
    Float64Array.from(seedsOf(set, profile, algorithm).flatMap((seed) => networkParts(runs, algorithm, seed))).sort();
  return { tuning: of('tuning'), report: of('report') };
}

function networkParts(runs: Runs, algorithm: Algorithm, seed: number): number[] {
  return judge(randomNetwork(seed).scenario, runs.one(key(algorithm, seed)).result).map(({ part }) => part);
}

function rowsOf(algorithm: Algorithm, parts: Parts): FigureRow[] {
  const beside = SET_NAMES.filter((set) => algorithm !== JUDGED || set !== 'report').map((set) => {
    const sorted = parts[set];
    const values = QUANTILES.map(({ part }) => quantile(sorted, part));
    const quantity = `${algorithm}: ${QUANTILES.map(({ name }) => name).join(', ')}; seeds ${range(set)}`;
    return noClaim({ quantity, ours: valueList(values, 3) }, `Of ${sorted.length} flows.`);
  });
  return algorithm === JUDGED ? [...heldRows(parts.report), ...beside] : beside;
}

function heldRows(sorted: Float64Array): FigureRow[] {
  return QUANTILES.map(({ name, part, least }) => {
    const value = quantile(sorted, part);
    const text = { quantity: `${JUDGED}: ${name} of the shares; seeds ${range('report')}`, ours: fixed(value, 3) };
    const flows = `Of ${sorted.length} flows`;
    return least === null ? noClaim(text, `${flows}.`) : claim(text, value >= least, { held: `Held to ${least}` });
  });
}

/** Beyond these the drawing shows nothing that the table does not. */
const DRAWN = { min: 1 / 64, max: 4 };

function chart(parts: ReadonlyMap<Algorithm, Parts>): FigureChart {
  const within = (part: number) => Math.min(DRAWN.max, Math.max(DRAWN.min, part));
  return {
    key: '',
    chart: {
      kind: 'lines',
      x: { name: 'rate as a part of the max-min share', scale: 'log2', ...DRAWN },
      y: { name: 'share of the flows', max: 1 },
      series: [...parts].map(([algorithm, { report }]) => cdfSeries(algorithm, report.map(within))),
    },
  };
}

function table(parts: ReadonlyMap<Algorithm, Parts>): FigureTable {
  const rows = [...parts].flatMap(([algorithm, found]) =>
    SET_NAMES.map((set) => {
      const sorted = found[set];
      return [
        algorithm,
        ...SETS[set],
        sorted.length,
        ...QUANTILES.map(({ part }) => rounded(quantile(sorted, part), 4)),
      ];
    }),
  );
  return { key: '', titles: ['algorithm', 'first_seed', 'last_seed', 'flows', 'median', 'p5', 'p1', 'worst'], rows };
}
