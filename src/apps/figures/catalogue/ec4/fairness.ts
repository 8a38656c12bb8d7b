// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts

import { FLOWS_AXIS, lines } from '../../blocks/charts.js';
import { FLOWS, MARK_FRAMES, MIX_NAMES, MIX_RUNS, type MixCase, type MixName, RATIO } from '../../blocks/mix.js';
import { DATA_DROPS, jainOver, QUEUE, UTILISATION } from '../../blocks/quantities.js';
import { figure, type Results, type Row, row } from '../../plan.js';

/** What we hold ourselves to, and to how many flows; the paper has the curves as drawings. */
const RATIOS = { least: 0.8, most: 1.25 };
const LEAST_JAIN = 0.9;
const HELD_FLOWS = 64;
/** In wire bytes of the data share; the paper counts 95 % of the link, which is all of it. */
const LEAST_UTILISATION = 0.95;
/** Mixes with both kinds, with the paper's words; the first two are held to share. */
const SHARING: readonly MixName[] = ['ec4-dctcp', 'ec4-dctcp-below-one'];
const PAPER_RATIO: Readonly<Partial<Record<MixName, string>>> = {
  'ec4-dctcp': 'near 1',
  'ec4-dctcp-below-one': 'near 1',
  'expresspass-dctcp': 'immense',
  'ec4-literal-dctcp': '',
};
const MIXED = MIX_NAMES.filter((name) => name in PAPER_RATIO);
const JAIN = jainOver(100);

export const ec4Fairness = figure<MixCase>('ec4-fairness', 'Fairness of credits and DCTCP in one queue', {
  source: 'EC4, Figure 4 and the paragraphs on utilisation and fairness',
  about: () =>
    `Half of the flows have credits, half are DCTCP's; they start together and are endless. One bottleneck of 10 Gbit/s, links of 5 us, marking above ${MARK_FRAMES} frames, 121 ms, measured from 20 ms. The ratio is what all flows with credits get over what all of DCTCP get; Jain's index is over one window of 100 ms. ec4-literal is the listing as published; ec4-dctcp-below-one is explained at ec4-queue. Lists are for ${FLOWS.join(', ')} flows in all.

The paper marks above 100 frames, by which no mean queue below its 100 KB can come about; it says that 20 are enough for 10 Gbit/s.`,
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
  const [ratios, jains] = [RATIO, JAIN].map((quantity) => results.list(quantity, { name }));
  const few = FLOWS.filter((flows) => flows <= HELD_FLOWS).length;
  const isFair = ratios.slice(0, few).every((ratio) => ratio >= RATIOS.least && ratio <= RATIOS.most);
  const isJust = jains.slice(0, few).every((jain) => jain >= LEAST_JAIN);
  const isHeld = SHARING.includes(name);
  const note = 'It stands beside EC4.';
  const rows: Row[] = [
    row(`${name}: credits : DCTCP`, ratios, 2, {
      paper: PAPER_RATIO[name],
      ...(isHeld ? { met: isFair, held: `Held to ${RATIOS.least} to ${RATIOS.most} up to ${HELD_FLOWS} flows` } : { note }),
    }),
    row(`${name}: Jain over 100 ms`, jains, 3, isHeld ? { paper: 'high', met: isJust, held: `Held to ${LEAST_JAIN} up to ${HELD_FLOWS} flows` } : { note }),
    row(`${name}: utilisation`, results.list(UTILISATION, { name }), 3, {
      paper: '95 to 100 %',
      least: LEAST_UTILISATION,
      held: `Held to ${LEAST_UTILISATION} of the data share`,
    }),
  ];
  return MIXED.includes(name) ? rows : rows.slice(1);
}
