// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts

import { FLOWS_AXIS, lines } from '../../blocks/charts.js';
import { FEWER_FLOWS, FLOWS, flowsOf, MARK_FRAMES, MIX_NAMES, MIX_RUNS, type MixCase, type MixName, PAPER_MARK_FRAMES, RATIO } from '../../blocks/mix.js';
import { DATA_DROPS, jainOver, LINK_SHARE, QUEUE, UTILISATION } from '../../blocks/quantities.js';
import { figure, type Results, type Row, row } from '../../plan.js';

/** What "near 1" and "high" are held to (ours), up to this number of flows. */
const RATIOS = { least: 0.8, most: 1.25 };
const LEAST_JAIN = 0.9;
const HELD_FLOWS = 64;
/** What "immense" is held to (ours). */
const LEAST_UNFAIR = 5;
/** Of the link: the paper's 95 %, where the data share of ours is 94.6 % (frames of 1538 B, credits of 88). */
const LEAST_UTILISATION = 0.94;
const BESIDE = 'It stands beside EC4.';
const WHY =
  'The listing leans towards the link by 1.6 to 3 frames a round trip and grows by alpha / 2 besides, DCTCP by one frame (decision 0015). Neither K nor either reading of HIGH mode changes that.';

/** What is claimed of a mix. `fair`: to share up to 64 flows, as the paper says of EC4; ours have the bounds without its value. */
const CLAIMS: Readonly<Partial<Record<MixName, 'fair' | 'fair, ours' | 'unfair'>>> = {
  'ec4-literal-dctcp-k100': 'fair',
  'ec4-dctcp-k100': 'fair, ours',
  'expresspass-dctcp-k100': 'unfair',
  'ec4-dctcp': 'fair, ours',
  'ec4-dctcp-below-one': 'fair, ours',
};
const ALONE: readonly MixName[] = ['dctcp-alone', 'dctcp-alone-k100', 'ec4-alone'];
const MIXED = MIX_NAMES.filter((name) => !ALONE.includes(name));
const JAIN = jainOver(100);

export const ec4Fairness = figure<MixCase>('ec4-fairness', 'Fairness of credits and DCTCP in one queue', {
  source: 'EC4, Figure 4 and the paragraphs on utilisation and fairness',
  about: () =>
    `Half of the flows have credits, half are DCTCP's; they start together and are endless. One bottleneck of 10 Gbit/s, links of 5 us, 121 ms, measured from 20 ms. Rows whose names end in k100 mark above ${PAPER_MARK_FRAMES} frames, as the paper does; the others above ${MARK_FRAMES}, where the ratio of ec4 is nearest to 1. The ratio is what all flows with credits get over what all of DCTCP get; Jain's index is over one window of 100 ms. ec4-literal is the listing as published and carries the paper's values; ec4, ours, stands beside it; ec4-dctcp-below-one is explained at ec4-queue. Lists are for ${FEWER_FLOWS.join(', ')} flows in all with the paper's K, for ${FLOWS.join(', ')} with ours.

ec4-literal departs from the listing in one point: it updates its rate once in 32 credits (41.6 us here) where that is longer than a round trip (30 us). With one update a round trip the ratio of two flows is 3.5 instead of 3.6, and with 8 or more flows, whose round trips are longer, nothing changes.`,
  ...MIX_RUNS,
  rows: (results) => MIX_NAMES.flatMap((name) => rowsOf(results, name)),
  charts: (results) => ({
    jain: lines(
      { x: FLOWS_AXIS, y: { name: "Jain's index over 100 ms", max: 1 } },
      MIX_NAMES.map((name) => results.line(name, 'flows', JAIN, { name })),
    ),
    ratio: lines(
      { x: FLOWS_AXIS, y: { name: 'credits : DCTCP', scale: 'log2' } },
      MIXED.map((name) => results.line(name, 'flows', RATIO, { name })),
    ),
  }),
  table: [{ mix: 'name' }, 'flows', RATIO, JAIN, UTILISATION, QUEUE.mean, QUEUE.max, DATA_DROPS],
});

function rowsOf(results: Results<MixCase>, name: MixName): Row[] {
  const [ratios, jains, parts] = [RATIO, JAIN, LINK_SHARE].map((quantity) => results.list(quantity, { name }));
  const rows: Row[] = [
    row(`${name}: credits : DCTCP`, ratios, 2, ratioClaim(name, ratios)),
    row(`${name}: Jain over 100 ms`, jains, 3, jainClaim(name, jains)),
    row(`${name}: utilisation of the link`, parts, 3, { ...paperUtilisation(name), least: LEAST_UTILISATION }),
  ];
  return MIXED.includes(name) ? rows : rows.slice(1);
}

/** Up to the number of flows to which a mix is held. */
function few(name: MixName, values: readonly number[]): readonly number[] {
  return values.slice(0, flowsOf(name).filter((flows) => flows <= HELD_FLOWS).length);
}

function ratioClaim(name: MixName, ratios: readonly number[]): Partial<Row> {
  const claim = CLAIMS[name];
  if (claim === undefined) return { note: BESIDE };
  if (claim === 'unfair') return { paper: 'immense', least: LEAST_UNFAIR };
  return {
    ...(claim === 'fair' && { paper: 'near 1', why: WHY }),
    met: few(name, ratios).every((ratio) => ratio >= RATIOS.least && ratio <= RATIOS.most),
    held: `Held to ${RATIOS.least} to ${RATIOS.most} up to ${HELD_FLOWS} flows`,
  };
}

function jainClaim(name: MixName, jains: readonly number[]): Partial<Row> {
  const claim = CLAIMS[name];
  if (claim === undefined) return { note: BESIDE };
  const [first, last] = [jains[0], jains[jains.length - 1]];
  if (claim === 'unfair')
    return { paper: 'poor, and falls with the flows', met: first < LEAST_JAIN && last < first, held: `Held to below ${LEAST_JAIN} and falling` };
  return {
    ...(claim === 'fair' && { paper: 'high', why: WHY }),
    met: few(name, jains).every((jain) => jain >= LEAST_JAIN),
    held: `Held to ${LEAST_JAIN} up to ${HELD_FLOWS} flows`,
  };
}

/** Of the paper's own rules; DCTCP alone has no credits to leave room for. */
function paperUtilisation(name: MixName): Partial<Row> {
  if (name === 'dctcp-alone-k100') return { paper: 1 };
  return CLAIMS[name] === 'fair' || CLAIMS[name] === 'unfair' ? { paper: 0.95 } : {};
}
