// Tested by test/apps/figures/catalogue.test.ts

import { withLinks } from '../../blocks/dumbbell.js';
import { EC4, EXPRESSPASS, mixDocument, RATIO, sidesBps } from '../../blocks/mix.js';
import { dataDrops, QUEUE } from '../../blocks/quantities.js';
import { cross, figure, quantity, type Results, type Row, row, valueList } from '../../plan.js';

type Case = { readonly rule: RuleName; readonly peer: (typeof PEERS)[number]; readonly pairs: number };

const RULES = { expresspass: EXPRESSPASS, ec4: EC4 } as const;
type RuleName = keyof typeof RULES;
const RULE_NAMES = Object.keys(RULES) as RuleName[];
const PEERS = ['cubic', 'timely', 'swift', 'dctcp'] as const;
const PAIRS = [1, 4, 16];
/** The buffer of a shallow switch (EC4 §IV.C). */
const QUEUE_LIMIT = '250frames';
/** The mean over seeds. */
const DROPS = quantity('data_drops', 4, dataDrops);
/** What "unfriendly" is held to (ours). The paper says it of DCTCP, CUBIC and TIMELY. */
const LEAST_UNFAIR = 3;
const CREDITS_SHARE = quantity('part_of_credits', 4, (run) => {
  const [credits, peer] = sidesBps(run);
  return credits / (credits + peer);
});

export const ec4Peers = figure<Case>('ec4-peers', 'Credits beside CUBIC, TIMELY and Swift', {
  source: 'EC4 §II and §V in words; no figure of the paper',
  about: () =>
    `As many flows with credits as of another kind start together on one bottleneck of 10 Gbit/s, links of 5 us, queues of 250 frames that mark above 30; 121 ms, measured from 20 ms. CUBIC takes a mark for a loss; TIMELY and Swift heed delays. The ratio is what credits get over what the others get; lists are for ${PAIRS.join(', ')} flows of each.`,
  cases: () => cross({ rule: RULE_NAMES, peer: PEERS, pairs: PAIRS }),
  document: ({ rule, peer, pairs }) => {
    const sides = [RULES[rule], { algorithm: peer }] as const;
    return withLinks(mixDocument({ sides, pairs, duration: '121ms', warmUp: '20ms' }), { dataQueue: QUEUE_LIMIT });
  },
  seeds: { quick: 1, paper: 5 },
  rows: (results) => cross({ rule: RULE_NAMES, peer: PEERS }).flatMap((each) => rowsOf(results, each)),
  charts: (results) => ({
    '': {
      kind: 'bars',
      x: { name: 'beside' },
      y: { name: `part of credits, ${PAIRS[1]} flows of each`, max: 1 },
      references: [{ label: 'fair', y: 0.5 }],
      groups: PEERS,
      series: RULE_NAMES.map((rule) => ({ name: rule, values: results.list(CREDITS_SHARE, { rule, pairs: PAIRS[1] }) })),
    },
  }),
  table: ['rule', { beside: 'peer' }, 'pairs', RATIO, QUEUE.mean, { data_drops: (each, results) => results.of(DROPS, each) }],
});

function rowsOf(results: Results<Case>, each: Omit<Case, 'pairs'>): Row[] {
  const what = `${each.rule} beside ${each.peer}`;
  return [
    row(
      `${what}: ratio`,
      results.list(RATIO, each),
      2,
      each.rule === 'expresspass' && each.peer !== 'swift' ? { paper: 'unfriendly', least: LEAST_UNFAIR } : { note: 'The paper has no figure of it.' },
    ),
    row(`${what}: mean queue (B)`, results.list(QUEUE.mean, each), 0, { note: `Data frames lost: ${valueList(results.list(DROPS, each), 0)}.` }),
  ];
}
