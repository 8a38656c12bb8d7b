// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { BOTTLENECK } from '../../blocks/dumbbell.js';
import { dataDrops, jainOver, linkOf } from '../../blocks/link.js';
import { mixDocument, type Side, sidesBps } from '../../blocks/mix.js';
import { claim, fixed, noClaim, rounded, seeds, valueList } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

/** `dctcp` stands beside the rules: what a window that heeds marks gets there, credits or not. */
const RULES = ['ec4', 'ec4-literal', 'expresspass', 'steady', 'leaning', 'dctcp'] as const;
type Rule = (typeof RULES)[number];
/** Swift is there with the target that it finds for itself, and with one that fits this path: its RTT and eight frames. */
const PEER_SIDES = {
  dctcp: { algorithm: 'dctcp' },
  cubic: { algorithm: 'cubic' },
  timely: { algorithm: 'timely' },
  swift: { algorithm: 'swift' },
  'swift-40us': { algorithm: 'swift', parameters: { base_target: 40 } },
} as const satisfies Readonly<Record<string, Side>>;
type Peer = keyof typeof PEER_SIDES;
const PEERS = Object.keys(PEER_SIDES) as Peer[];
/** Of so many flows in all, these have the rule. */
const FLOWS = 16;
const COUNTS = [0, 2, 4, 8, 12, 14, 16];
const MIXED = COUNTS.filter((count) => count > 0 && count < FLOWS);
/** The buffer of a shallow switch (EC4 §IV.C). */
const QUEUE = '250frames';
const DURATION = '61ms';
const WARM_UP = '20ms';
const WINDOW_NS = 40e6;
/** Nobody has more than one and a half times what the others have (ours). */
const FAIR = 1.5;

interface Point {
  readonly count: number;
  /** What a flow with the rule gets for each bit of a flow of the peer; NaN where one of them is missing. */
  readonly ratio: number;
  readonly jain: number;
  readonly utilisation: number;
  readonly queueBytesMax: number;
  readonly dataDrops: number;
}

export const realNetworksMix: Figure = {
  name: 'real-networks-mix',
  title: 'Credits beside other traffic, by their part of the flows',
  source: 'EC4 §II and §V in words; no figure of a paper',
  about: () =>
    `${FLOWS} endless flows on one bottleneck of 10 Gbit/s, links of 5 us, a queue of 250 frames that marks above 30; ${DURATION}, measured from ${WARM_UP}. Lists are for ${MIXED.join(', ')} flows of the rule, or ${COUNTS.join(', ')} where one kind alone has a value too; the others are the peer's. The ratio is what a flow with the rule gets over what a flow of the peer gets; Jain's index is over one window of 40 ms. dctcp is a rule here as well: whatever heeds the marks of this queue meets peers that heed delays, or halve their window at a mark. swift-40us is Swift whose operator knows the path: a base target of 40 us. Left alone, its flows take queues of others for the path and are unfair among themselves too.

Beside TCP of a kernel, through a token bucket without marks: deploy/netns-lab.sh beside; its ratios are in docs/PERF-LOG.md.`,
  jobs: (profile) =>
    RULES.flatMap((rule) =>
      PEERS.flatMap((peer) =>
        COUNTS.map((count) => ({
          key: key(rule, peer, count),
          document: document(rule, peer, count),
          seeds: seeds(seedCount(profile)),
        })),
      ),
    ),
  evaluate: (runs) => {
    const measured = RULES.flatMap((rule) => PEERS.map((peer) => ({ rule, peer, points: points(runs, rule, peer) })));
    return {
      charts: [
        ...RULES.map((rule) => ({ key: rule, chart: ratioChart(measured, rule) })),
        { key: 'jain', chart: jainChart(measured) },
      ],
      rows: measured.flatMap(rowsOf),
      tables: [table(measured)],
    };
  },
};

interface Measured {
  readonly rule: Rule;
  readonly peer: Peer;
  readonly points: readonly Point[];
}

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 2 : 5;
}

function key(rule: Rule, peer: Peer, count: number): string {
  return `${rule}-${peer}-${count}`;
}

function document(rule: Rule, peer: Peer, count: number): FigureDocument {
  const sides = [{ algorithm: rule }, PEER_SIDES[peer]] as const;
  const mixed = mixDocument({ sides, pairs: [count, FLOWS - count], duration: DURATION, warmUp: WARM_UP });
  return {
    ...mixed,
    topology: { ...(mixed.topology as FigureDocument), dataQueue: QUEUE },
    jainWindows: [`${WINDOW_NS / 1e6}ms`],
  };
}

function points(runs: Runs, rule: Rule, peer: Peer): Point[] {
  return COUNTS.map((count) => pointOf(runs.of(key(rule, peer, count)), count));
}

function pointOf(runs: readonly SimulationRun[], count: number): Point {
  return {
    count,
    ratio: mean(runs.map((run) => flowRatio(run, count))),
    jain: mean(runs.map((run) => jainOver(run, WINDOW_NS))),
    utilisation: mean(runs.map(({ result }) => result.utilisation)),
    queueBytesMax: Math.max(...runs.map((run) => linkOf(run, BOTTLENECK).dataQueueBytesMax)),
    dataDrops: runs.reduce((sum, run) => sum + dataDrops(run), 0),
  };
}

function flowRatio(run: SimulationRun, count: number): number {
  if (count === 0 || count === FLOWS) return Number.NaN;
  const [rule, peer] = sidesBps(run);
  return rule / count / (peer / (FLOWS - count));
}

function isFair({ ratio }: Point): boolean {
  return ratio <= FAIR && ratio >= 1 / FAIR;
}

function rowsOf({ rule, peer, points: all }: Measured): FigureRow[] {
  const what = `${rule} beside ${peer}`;
  const mixed = all.filter(({ count }) => MIXED.includes(count));
  const list = (of: keyof Point, digits: number, from = all): string =>
    valueList(
      from.map((point) => point[of]),
      digits,
    );
  const ratio = { quantity: `${what}: ratio of a flow`, ours: list('ratio', 2, mixed) };
  const fair = mixed.filter(isFair).map(({ count }) => count);
  const where = `Within ${FAIR} either way with ${fair.length === 0 ? 'no number' : fair.join(', ')} of the ${FLOWS} flows.`;
  const isHeld = rule === 'ec4' && peer === 'dctcp';
  return [
    isHeld
      ? claim(ratio, fair.length === mixed.length, { held: `Held to ${FAIR} either way at every part` })
      : noClaim(ratio, where),
    noClaim({ quantity: `${what}: Jain's index`, ours: list('jain', 3) }, ''),
    noClaim(
      {
        quantity: `${what}: utilisation; largest queue (kB)`,
        ours: `${list('utilisation', 3)}; ${valueList(
          all.map(({ queueBytesMax }) => queueBytesMax / 1e3),
          0,
        )}`,
      },
      `Data frames lost: ${list('dataDrops', 0)}.`,
    ),
  ];
}

const PART = { name: 'part of the flows that have the rule (%)', min: 0, max: 100 };

function ratioChart(measured: readonly Measured[], rule: Rule): LineChart {
  return {
    kind: 'lines',
    x: PART,
    y: { name: `${rule} : peer, a flow each`, scale: 'log2' },
    references: [{ label: 'fair', y: 1 }],
    series: measured
      .filter((each) => each.rule === rule)
      .map(({ peer, points: all }) => ({
        name: peer,
        x: all.map(({ count }) => (100 * count) / FLOWS),
        y: all.map(({ ratio }) => ratio),
      })),
  };
}

function jainChart(measured: readonly Measured[]): LineChart {
  return {
    kind: 'lines',
    x: { ...PART, name: 'part of the flows that are EC4 (%)' },
    y: { name: "Jain's index over 40 ms", max: 1 },
    series: measured
      .filter(({ rule }) => rule === 'ec4')
      .map(({ peer, points: all }) => ({
        name: `beside ${peer}`,
        x: all.map(({ count }) => (100 * count) / FLOWS),
        y: all.map(({ jain }) => jain),
      })),
  };
}

function table(measured: readonly Measured[]): FigureTable {
  const titles = ['rule', 'beside', 'flows', 'ratio', 'jain', 'utilisation', 'queue_bytes_max', 'data_drops'];
  const rows = measured.flatMap(({ rule, peer, points: all }) =>
    all.map((each) => [
      rule,
      peer,
      each.count,
      Number.isFinite(each.ratio) ? Number(fixed(each.ratio, 4)) : null,
      rounded(each.jain, 4),
      rounded(each.utilisation, 4),
      each.queueBytesMax,
      each.dataDrops,
    ]),
  );
  return { key: '', titles, rows };
}
