// Tested by test/apps/figures/catalogue.test.ts

import type { SimulationRun } from '../../../../sim/result.js';
import { lines } from '../../blocks/charts.js';
import { withLinks } from '../../blocks/dumbbell.js';
import { mixDocument, type Side, sidesBps } from '../../blocks/mix.js';
import { DATA_DROPS, jainOver, QUEUE, UTILISATION } from '../../blocks/quantities.js';
import { chartsOf, cross, figure, type Quantity, quantity, type Results, type Row, row, valueList } from '../../plan.js';

interface Case {
  readonly rule: (typeof RULES)[number];
  readonly peer: Peer;
  /** Flows that have the rule. */
  readonly count: number;
}

/** `dctcp` stands beside the rules: what a window that heeds marks gets there, credits or not. */
const RULES = ['ec4', 'ec4-literal', 'expresspass', 'steady', 'leaning', 'dctcp'] as const;
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
const FLOWS = 16;
const COUNTS = [0, 2, 4, 8, 12, 14, 16];
const MIXED = COUNTS.slice(1, -1);
/** The buffer of a shallow switch (EC4 §IV.C). */
const QUEUE_LIMIT = '250frames';
const DURATION = '61ms';
const WARM_UP = '20ms';
/** Nobody has more than one and a half times what the others have (ours). */
const FAIR = 1.5;

/** What a flow with the rule gets for each bit of a flow of the peer; NaN where one of them is missing. */
const RATIO = quantity<Case>('ratio', 4, (run, { count }) => flowRatio(run, count));
const JAIN = jainOver(40);

export const realNetworksMix = figure<Case>('real-networks-mix', 'Credits beside other traffic, by their part of the flows', {
  source: 'EC4 §II and §V in words; no figure of a paper',
  about: () =>
    `${FLOWS} endless flows on one bottleneck of 10 Gbit/s, links of 5 us, a queue of 250 frames that marks above 30; ${DURATION}, measured from ${WARM_UP}. Lists are for ${MIXED.join(', ')} flows of the rule, or ${COUNTS.join(', ')} where one kind alone has a value too; the others are the peer's. The ratio is what a flow with the rule gets over what a flow of the peer gets; Jain's index is over one window of 40 ms. dctcp is a rule here as well: whatever heeds the marks of this queue meets peers that heed delays, or halve their window at a mark. swift-40us is Swift whose operator knows the path: a base target of 40 us. Left alone, its flows take queues of others for the path and are unfair among themselves too.

Beside TCP of a kernel, through a token bucket without marks: deploy/netns-lab.sh beside; its ratios are in docs/PERF-LOG.md.`,
  cases: () => cross({ rule: RULES, peer: PEERS, count: COUNTS }),
  document: ({ rule, peer, count }) => {
    const sides = [{ algorithm: rule }, PEER_SIDES[peer]] as const;
    const mixed = mixDocument({ sides, pairs: [count, FLOWS - count], duration: DURATION, warmUp: WARM_UP });
    return { ...withLinks(mixed, { dataQueue: QUEUE_LIMIT }), jainWindows: ['40ms'] };
  },
  seeds: { quick: 2, paper: 5 },
  rows: (results) => cross({ rule: RULES, peer: PEERS }).flatMap((each) => rowsOf(results, each)),
  charts: (results) => ({
    ...chartsOf(RULES, (rule) =>
      lines(
        { x: PART, y: { name: `${rule} : peer, a flow each`, scale: 'log2' }, references: [{ label: 'fair', y: 1 }] },
        PEERS.map((peer) => lineOf(results, peer, RATIO, { rule, peer })),
      ),
    ),
    jain: lines(
      { x: { ...PART, name: 'part of the flows that are EC4 (%)' }, y: { name: "Jain's index over 40 ms", max: 1 } },
      PEERS.map((peer) => lineOf(results, `beside ${peer}`, JAIN, { rule: 'ec4', peer })),
    ),
  }),
  table: ['rule', { beside: 'peer', flows: 'count' }, RATIO, { jain: JAIN }, UTILISATION, QUEUE.max, DATA_DROPS],
});

const PART = { name: 'part of the flows that have the rule (%)', min: 0, max: 100 };

function flowRatio(run: SimulationRun, count: number): number {
  if (count === 0 || count === FLOWS) return Number.NaN;
  const [rule, peer] = sidesBps(run);
  return rule / count / (peer / (FLOWS - count));
}

function rowsOf(results: Results<Case>, each: Omit<Case, 'count'>): Row[] {
  const what = `${each.rule} beside ${each.peer}`;
  const list = (quantity: Quantity<Case>, digits: number) => valueList(results.list(quantity, each), digits);
  const ours = MIXED.map((count) => results.of(RATIO, { ...each, count }));
  const fair = MIXED.filter((_, at) => ours[at] <= FAIR && ours[at] >= 1 / FAIR);
  const isHeld = each.rule === 'ec4' && each.peer === 'dctcp';
  const queuesKb = results.list(QUEUE.max, each).map((bytes) => bytes / 1e3);
  return [
    row(
      `${what}: ratio of a flow`,
      ours,
      2,
      isHeld
        ? { met: fair.length === MIXED.length, held: `Held to ${FAIR} either way at every part` }
        : { note: `Within ${FAIR} either way with ${fair.length === 0 ? 'no number' : fair.join(', ')} of the ${FLOWS} flows.` },
    ),
    row(`${what}: Jain's index`, list(JAIN, 3), 0, { note: '' }),
    row(`${what}: utilisation; largest queue (kB)`, `${list(UTILISATION, 3)}; ${valueList(queuesKb, 0)}`, 0, {
      note: `Data frames lost: ${list(DATA_DROPS, 0)}.`,
    }),
  ];
}

function lineOf(results: Results<Case>, name: string, quantity: Quantity<Case>, each: Omit<Case, 'count'>) {
  return { name, x: COUNTS.map((count) => (100 * count) / FLOWS), y: results.list(quantity, each) };
}
