// Tested by test/apps/figures/catalogue/random-networks.test.ts
// Tested by test/apps/figures/catalogue/random-networks.test.ts

import { formatDuration } from '../../../../base/quantities.js';
import { cdfSeries } from '../../../../report/plot/chart.js';
import { writeFields } from '../../../../scenario/link-text.js';
import { ENDPOINT_CONSTANTS } from '../../../../scenario/setting-shapes.js';
import { judge } from '../../../../sim/judge/judge.js';
import { randomNetwork } from '../../../../sim/judge/random-network.js';
import { quantile } from '../../../../sim/measure/quantile.js';
import type { Scenario, TrafficSpec } from '../../../../sim/scenario.js';
import { LINK_SETTINGS } from '../../../../switch/link-settings.js';
import type { TopologyLink } from '../../../../switch/topology.js';
import { lines } from '../../blocks/charts.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, type Results, type Row, rounded, row, tableOf } from '../../plan.js';

type Case = { readonly algorithm: Algorithm; readonly set: SetName; readonly seed: number; readonly network: Scenario };

/** The default law first, which is held to something; then what stands beside it. */
const ALGORITHMS = ['steady', 'leaning', 'naive', 'expresspass', 'expresspass-ns2', 'ec4', 'spraypass', 'dctcp', 'cubic'] as const;
type Algorithm = (typeof ALGORITHMS)[number];
const [JUDGED] = ALGORITHMS;

/** Seeds of the networks that the law was tuned on, and of those that nobody looked at meanwhile. */
const SETS = { tuning: [1, 250], report: [251, 500] } as const;
type SetName = keyof typeof SETS;
const SET_NAMES = Object.keys(SETS) as SetName[];

/** In the quick profile all but the judged law play every fifth network (ours: minutes instead of a quarter of an hour). */
const QUICK_STEP = 5;

const QUANTILES = [
  { name: 'median', part: 0.5, limit: { least: 0.95 } },
  { name: '5th percentile', part: 0.05, limit: { least: 0.8 } },
  { name: '1st percentile', part: 0.01, limit: { least: 0.5 } },
  { name: 'worst', part: 0, limit: null },
] as const;
/** Beyond these the drawing shows nothing that the table does not. */
const DRAWN = { min: 1 / 64, max: 4 };

export const randomNetworks = figure<Case>('real-networks-random', 'Random networks', {
  source: 'ours',
  about: (
    profile,
  ) => `Networks that nobody chose, by seed: 2 to 64 flows over 1 to 8 switches of a star, dumbbell, parking lot, random tree, leaf-spine or fat tree, whose links differ in rate (100 Mbit/s to 100 Gbit/s) and delay (the longest RTT is from 10 us to 20 ms without transmission times) and a third of which lose 0 to 3 % of all frames at random. A quarter of the flows comes during the first half of the run and a quarter comes and leaves in it. Networks whose run would take more than a million events are made smaller: long round trips go with slower links, and the fastest links of a network are cut.

Each flow's payload over the second half of the run is a part of its max-min share of what loss of credits and data leaves (src/sim/judge/shares.ts). The law was tuned on the networks of seeds ${range('tuning')}; it is held to what it gives on those of ${range('report')}, which the drawing shows too.${profile === 'quick' ? ` All others but ${JUDGED} play every fifth network.` : ''} \`xpass fuzz --judge ALGORITHM\` plays them with any algorithm and names the worst flows.`,
  cases: (profile) => SET_NAMES.flatMap((set) => casesOf(set, profile)),
  key: ({ algorithm, seed }) => `${algorithm}-${seed}`,
  document: ({ algorithm, network }) => networkDocument(network, algorithm),
  seeds: ({ seed }) => [seed],
  rows: (results) => {
    const parts = partsOf(results);
    const beside = cross({ algorithm: ALGORITHMS, set: SET_NAMES }).filter(({ algorithm, set }) => algorithm !== JUDGED || set !== 'report');
    return [
      ...heldRows(parts(JUDGED, 'report')),
      ...beside.map(({ algorithm, set }) =>
        row(
          `${algorithm}: ${QUANTILES.map(({ name }) => name).join(', ')}; seeds ${range(set)}`,
          QUANTILES.map(({ part }) => quantile(parts(algorithm, set), part)),
          3,
          { note: `Of ${parts(algorithm, set).length} flows.` },
        ),
      ),
    ];
  },
  charts: (results) => {
    const within = (part: number) => Math.min(DRAWN.max, Math.max(DRAWN.min, part));
    const parts = partsOf(results);
    return {
      '': lines(
        { x: { name: 'rate as a part of the max-min share', scale: 'log2', ...DRAWN }, y: { name: 'share of the flows', max: 1 } },
        ALGORITHMS.map((algorithm) => cdfSeries(algorithm, parts(algorithm, 'report').map(within))),
      ),
    };
  },
  tables: (results) => {
    const parts = partsOf(results);
    const of = (part: number) => (each: { algorithm: Algorithm; set: SetName }) => rounded(quantile(parts(each.algorithm, each.set), part), 4);
    return [
      tableOf('', cross({ algorithm: ALGORITHMS, set: SET_NAMES }), {
        algorithm: ({ algorithm }) => algorithm,
        first_seed: ({ set }) => SETS[set][0],
        last_seed: ({ set }) => SETS[set][1],
        flows: ({ algorithm, set }) => parts(algorithm, set).length,
        median: of(0.5),
        p5: of(0.05),
        p1: of(0.01),
        worst: of(0),
      }),
    ];
  },
});

function range(set: SetName): string {
  return SETS[set].join(' to ');
}

function casesOf(set: SetName, profile: Profile): Case[] {
  const [first, last] = SETS[set];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).flatMap((seed) => {
    const { scenario: network } = randomNetwork(seed);
    const isForAll = profile === 'paper' || (seed - first) % QUICK_STEP === 0;
    return (isForAll ? ALGORITHMS : [JUDGED]).map((algorithm) => ({ algorithm, set, seed, network }));
  });
}

/** By algorithm and set: what each judged flow had of its share, ascending. Each network is judged once. */
function partsOf(results: Results<Case>): (algorithm: Algorithm, set: SetName) => Float64Array {
  const known = PARTS.get(results) ?? new Map<string, Float64Array>();
  PARTS.set(results, known);
  return (algorithm, set) => {
    const found = known.get(`${algorithm}-${set}`) ?? sortedParts(results, algorithm, set);
    known.set(`${algorithm}-${set}`, found);
    return found;
  };
}

const PARTS = new WeakMap<Results<Case>, Map<string, Float64Array>>();

function sortedParts(results: Results<Case>, algorithm: Algorithm, set: SetName): Float64Array {
  const judged = results.where({ algorithm, set }).flatMap((each) => judge(each.network, results.runsOf(each)[0].result));
  return Float64Array.from(judged, ({ part }) => part).sort();
}

function heldRows(sorted: Float64Array): Row[] {
  const flows = `Of ${sorted.length} flows.`;
  return QUANTILES.map(({ name, part, limit }) =>
    row(`${JUDGED}: ${name} of the shares; seeds ${range('report')}`, quantile(sorted, part), 3, limit ?? { note: flows }),
  );
}

/** Settings of links in which random networks differ; the others are the defaults of scenarios. */
const DIFFERENT = ['rate', 'delay', 'dataQueue', 'ecnThreshold', 'loss'];
const SETTINGS = LINK_SETTINGS.filter(({ name }) => DIFFERENT.includes(name));

/** A random network (sim/judge) as a scenario file has it, with one algorithm for all flows. */
export function networkDocument(scenario: Scenario, algorithm: string): FigureDocument {
  const { topology, hosts, traffic, durationNs, warmUpNs, jainWindowsNs, slowdowns } = scenario;
  return {
    algorithm,
    duration: formatDuration(durationNs),
    warmUp: formatDuration(warmUpNs),
    topology: {
      hosts: topology.hosts.map(({ id }) => ({ id })),
      switches: topology.switches.map(({ name }) => ({ name })),
      links: topology.links.map(linkDocument),
      spread: topology.spread,
    },
    hosts: [{ endpoint: writeFields(ENDPOINT_CONSTANTS, hosts[0].endpoint) }],
    flows: traffic.map(flowDocument),
    jainWindows: jainWindowsNs.map(formatDuration),
    slowdowns,
  };
}

function linkDocument({ name, a, b, port, impairment }: TopologyLink): FigureDocument {
  return { name, a, b, ...writeFields(SETTINGS, { ...port, ...impairment }) };
}

function flowDocument(spec: TrafficSpec): FigureDocument {
  if (spec.kind !== 'flow') throw new Error('a random network has single flows');
  const { group, from, to, bytes, startNs } = spec;
  return { group, from, to, start: formatDuration(startNs), ...(Number.isFinite(bytes) && { bytes }) };
}
