// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { BarChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { BOTTLENECK } from '../../blocks/dumbbell.js';
import { dataDrops, linkOf } from '../../blocks/link.js';
import { mixDocument, ratioOf, sidesBps } from '../../blocks/mix.js';
import { EC4, EXPRESSPASS } from '../../blocks/mixes.js';
import { fixed, noClaim, rounded, seeds, valueList } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';

const RULES = { expresspass: EXPRESSPASS, ec4: EC4 } as const;
type RuleName = keyof typeof RULES;
const RULE_NAMES = Object.keys(RULES) as RuleName[];
const PEERS = ['cubic', 'timely', 'swift', 'dctcp'] as const;
type Peer = (typeof PEERS)[number];
const PAIRS = [1, 4, 16];
/** The buffer of a shallow switch (EC4 §IV.C). */
const QUEUE = '250frames';

export const ec4Peers: Figure = {
  name: 'ec4-peers',
  title: 'Credits beside CUBIC, TIMELY and Swift',
  source: 'EC4 §II and §V in words; no figure of the paper',
  about: () =>
    `As many flows with credits as of another kind start together on one bottleneck of 10 Gbit/s, links of 5 us, queues of 250 frames that mark above 30; 121 ms, measured from 20 ms. CUBIC takes a mark for a loss; TIMELY and Swift heed delays. The ratio is what credits get over what the others get; lists are for ${PAIRS.join(', ')} flows of each.`,
  jobs: (profile) =>
    RULE_NAMES.flatMap((rule) =>
      PEERS.flatMap((peer) =>
        PAIRS.map((pairs) => ({
          key: key(rule, peer, pairs),
          document: beside(rule, peer, pairs),
          seeds: seeds(seedCount(profile)),
        })),
      ),
    ),
  evaluate: (runs) => ({
    charts: [{ key: '', chart: chart(runs) }],
    rows: RULE_NAMES.flatMap((rule) => PEERS.flatMap((peer) => rowsOf(runs, rule, peer))),
    tables: [table(runs)],
  }),
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 1 : 5;
}

function key(rule: RuleName, peer: Peer, pairs: number): string {
  return `${rule}-${peer}-${pairs}`;
}

function beside(rule: RuleName, peer: Peer, pairs: number): FigureDocument {
  const sides = [RULES[rule], { algorithm: peer }] as const;
  const document = mixDocument({ sides, pairs, duration: '121ms', warmUp: '20ms' });
  return { ...document, topology: { ...(document.topology as FigureDocument), dataQueue: QUEUE } };
}

function meanOf(runs: Runs, name: string, of: (run: SimulationRun) => number): number {
  return mean(runs.of(name).map(of));
}

function rowsOf(runs: Runs, rule: RuleName, peer: Peer): FigureRow[] {
  const list = (of: (run: SimulationRun) => number, digits: number): string =>
    valueList(
      PAIRS.map((pairs) => meanOf(runs, key(rule, peer, pairs), of)),
      digits,
    );
  const what = `${rule} beside ${peer}`;
  return [
    noClaim({ quantity: `${what}: ratio`, ours: list(ratioOf, 2) }, 'The paper has no figure of it.'),
    noClaim(
      { quantity: `${what}: mean queue (B)`, ours: list((run) => linkOf(run, BOTTLENECK).dataQueueBytesMean, 0) },
      `Data frames lost: ${list(dataDrops, 0)}.`,
    ),
  ];
}

function chart(runs: Runs): BarChart {
  const share = (run: SimulationRun): number => {
    const [credits, peer] = sidesBps(run);
    return credits / (credits + peer);
  };
  return {
    kind: 'bars',
    x: { name: 'beside' },
    y: { name: `part of credits, ${PAIRS[1]} flows of each`, max: 1 },
    references: [{ label: 'fair', y: 0.5 }],
    groups: PEERS,
    series: RULE_NAMES.map((rule) => ({
      name: rule,
      values: PEERS.map((peer) => meanOf(runs, key(rule, peer, PAIRS[1]), share)),
    })),
  };
}

function table(runs: Runs): FigureTable {
  const rows = RULE_NAMES.flatMap((rule) =>
    PEERS.flatMap((peer) =>
      PAIRS.map((pairs) => {
        const name = key(rule, peer, pairs);
        const queue = meanOf(runs, name, (run) => linkOf(run, BOTTLENECK).dataQueueBytesMean);
        const ratio = Number(fixed(meanOf(runs, name, ratioOf), 4));
        return [rule, peer, pairs, ratio, rounded(queue, 0), meanOf(runs, name, dataDrops)];
      }),
    ),
  );
  return { key: '', titles: ['rule', 'beside', 'pairs', 'ratio', 'queue_bytes_mean', 'data_drops'], rows };
}
