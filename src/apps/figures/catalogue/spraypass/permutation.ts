// Tested by test/apps/figures/catalogue.test.ts
import { parseScenario } from '../../../../scenario/parse-scenario.js';
import { FlowPaths } from '../../../../sim/judge/flow-paths.js';
import { lossyShares } from '../../../../sim/judge/shares.js';
import { DATA_DROPS, DISORDER_MAX, DISORDER_P99, LARGEST_QUEUE, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { acrossLeaves, leafSpine, PAPER_FABRIC, type SpraySystem, systemFields, TWO_RULES } from '../../blocks/spray.js';
import { cross, figure, noneOf, quantity, type Results, type Row, row } from '../../plan.js';

type Case = { readonly system: SpraySystem };

const QUICK = ['expresspass', 'expresspass-literal', 'spraypass-2-listing', 'spraypass-listing', 'spraypass'] as const;
const PAPER = [...QUICK, 'spraypass-1-listing', 'spraypass-1', 'spraypass-2'] as const;
/** Mean goodput over ExpressPass's, and Gbit/s of the slowest host. */
const PAPERS: Readonly<Partial<Record<SpraySystem, { gain?: number; slowest: number }>>> = {
  'expresspass-literal': { slowest: 15.8 },
  'spraypass-2-listing': { gain: 1.225, slowest: 35.1 },
  'spraypass-listing': { gain: 1.279, slowest: 36.8 },
};
/** Of the slowest host if all had their max-min shares of the paths that the hash picked. */
const LEAST_SHARE = quantity('max_min_least_gbps', 1, ({ result }) => {
  const { topology } = parseScenario({ ...leafSpine(PAPER_FABRIC), flows: acrossLeaves(PAPER_FABRIC) });
  const paths = new FlowPaths(topology);
  const crossed = result.flows.map(({ src, dst, wireId }) => paths.of(hostId(src), hostId(dst), wireId as number));
  return Math.min(...lossyShares(topology, crossed)) / 1e9;
});
const WHY_SLOWEST =
  "By max-min shares of the paths that the hash picks the slowest host would have 14.8 Gbit/s, near the paper's 15.8, which is a link of 100 Gbit/s that six flows share. Feedback by lost credits gives it less: a flow whose path is full at both leaves loses credits at two links, so ExpressPass's listing leaves it 3.5 Gbit/s, and 1.5 after 4 ms. The paper's ExpressPass comes by the whole share.";

export const permutation = figure<Case>('spraypass-permutation', 'Permutation traffic over four spines', {
  source: 'SprayPass, Figure 8',
  about: (profile) =>
    `240 hosts at 24 leaves, 40 Gbit/s down and 100 Gbit/s up, RTT 32 us. Every host sends one endless flow to another leaf and gets one. ${profile === 'quick' ? '1.2 ms, measured from 0.4 ms' : '6 ms, measured from 2 ms'}. ExpressPass takes the links that the hash of its flows picks; expresspass-literal is its listing, expresspass counts its losses where they belong. ${TWO_RULES}`,
  cases: (profile) => cross({ system: profile === 'quick' ? QUICK : PAPER }),
  document: ({ system }, profile) => ({
    ...systemFields(system),
    ...leafSpine(PAPER_FABRIC),
    duration: profile === 'quick' ? '1.2ms' : '6ms',
    warmUp: profile === 'quick' ? '0.4ms' : '2ms',
    flows: acrossLeaves(PAPER_FABRIC),
  }),
  rows: (results) => QUICK.flatMap((system) => rowsOf(results, system)),
  charts: (results) => ({ '': results.bars(MEAN_GOODPUT, 'mean goodput (Gbit/s)') }),
  table: [{ run: 'system' }, MEAN_GOODPUT, LEAST_GOODPUT, DISORDER_P99, DISORDER_MAX, LARGEST_QUEUE, DATA_DROPS],
});

function rowsOf(results: Results<Case>, system: SpraySystem): Row[] {
  const paper = PAPERS[system];
  const note = 'It stands beside the listings.';
  const slowest = row(`${system}: slowest host (Gbit/s)`, results.of(LEAST_GOODPUT, { system }), 1, {
    ...(paper === undefined ? { note } : { paper: paper.slowest, better: 'more', why: WHY_SLOWEST }),
  });
  const loss = noneOf(`${system}: data frames lost`, results.of(DATA_DROPS, { system }), paper === undefined ? {} : { paper: '0' });
  if (system === 'expresspass') return [slowest, loss];
  if (system === 'expresspass-literal')
    return [slowest, row('max-min shares of the paths of expresspass: slowest host (Gbit/s)', results.of(LEAST_SHARE, { system }), 1, { note }), loss];
  const over = { system: 'expresspass-literal' } as const;
  return [
    row(`${system}: mean goodput over that of expresspass-literal`, results.ratio(MEAN_GOODPUT, { system }, over), 3, {
      ...(paper?.gain === undefined ? { note } : { paper: paper.gain, better: 'more' }),
    }),
    slowest,
    row(`${system}: slowest host over that of expresspass-literal`, results.ratio(LEAST_GOODPUT, { system }, over), 2, {
      ...(paper === undefined ? { note } : { paper: Number((paper.slowest / 15.8).toFixed(2)), better: 'more', why: WHY_SLOWEST }),
    }),
    loss,
  ];
}

/** Hosts of a built-in topology are h1, h2, ... */
function hostId(name: string): number {
  return Number(name.slice(1));
}
