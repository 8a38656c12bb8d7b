// Tested by test/apps/figures/catalogue.test.ts
import { DISORDER_MAX, DISORDER_P99, JAIN, LARGEST_QUEUE, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { fromOneLeaf, leafSpine, systemFields, TWO_LEAVES } from '../../blocks/spray.js';
import type { FigureDocument } from '../../figure.js';
import { cross, figure, row } from '../../plan.js';

/** Eight senders at one leaf and their receivers at the other; for feedback five, as in SprayPass' Figure 5. */
const FIVE = { ...TWO_LEAVES, hostsPerLeaf: 5 };
/**
 * Systems, and kinds of feedback: sequence-based as in the paper, where a credit that was overtaken is lost for good; as our meter has it; and by marks.
 */
const RUNS: Readonly<Record<string, FigureDocument>> = {
  'spraypass-1': systemFields('spraypass-1'),
  'spraypass-2': systemFields('spraypass-2'),
  spraypass: systemFields('spraypass'),
  'five-overtaken-lost': systemFields('spraypass-1', { late_lost: 1 }),
  'five-taken-back': systemFields('spraypass-1'),
  'five-marks': systemFields('spraypass-2'),
};
const PAPER_DISORDER = 3;
/** Eight data frames, as the paper counts them. */
const PAPER_QUEUE = 12_144;
const PAPER_GAIN = 1.06;
const GAIN = 'five flows: mean goodput with marks over that with sequence';

export const disorder = figure<{ run: string }>('spraypass-disorder', 'Disorder and queues, eight senders over four paths', {
  source: 'SprayPass, Figures 4 and 5',
  about: (profile) =>
    `Two leaves of eight hosts, four spines, every link 10 Gbit/s, RTT 32 us; eight endless flows from one leaf to the other, so that the paths carry half of what the hosts could. ${profile === 'quick' ? '20 ms' : '200 ms'}, measured from 5 ms. The degree of disorder is the number of full frames in the reorder buffer when a data frame has arrived. The paper does not give the rate of these links. For the feedback five hosts at each leaf, as in the paper.`,
  cases: () => cross({ run: Object.keys(RUNS) }),
  document: ({ run }, profile) => {
    const fabric = run.startsWith('five') ? FIVE : TWO_LEAVES;
    return {
      ...RUNS[run],
      ...leafSpine(fabric),
      duration: profile === 'quick' ? '20ms' : '200ms',
      warmUp: '5ms',
      jainWindows: ['1ms'],
      flows: fromOneLeaf(fabric),
    };
  },
  rows: (results) => [
    ...['spraypass-2', 'spraypass'].flatMap((run) => [
      row(`${run}: largest degree of disorder`, results.of(DISORDER_MAX, { run }), 0, {
        paper: PAPER_DISORDER,
        most: PAPER_DISORDER,
        held: "Held to no more than the paper's",
      }),
      row(`${run}: largest queue (B)`, results.of(LARGEST_QUEUE, { run }), 0, {
        paper: PAPER_QUEUE,
        most: PAPER_QUEUE,
        held: "Held to no more than the paper's",
      }),
    ]),
    row(`${GAIN}, overtaken credits lost`, results.ratio(MEAN_GOODPUT, { run: 'five-marks' }, { run: 'five-overtaken-lost' }), 3, {
      paper: PAPER_GAIN,
      least: PAPER_GAIN,
      held: "Held to no less than the paper's",
    }),
    row(`${GAIN}, overtaken credits taken back`, results.ratio(MEAN_GOODPUT, { run: 'five-marks' }, { run: 'five-taken-back' }), 3, {
      note: 'What spraypass-1 does by default: a credit whose data comes after that of a later one is no longer lost, so disorder costs little.',
    }),
  ],
  charts: (results) => ({ '': results.bars(LARGEST_QUEUE, 'largest data queue (B)') }),
  table: ['run', MEAN_GOODPUT, LEAST_GOODPUT, JAIN, DISORDER_P99, DISORDER_MAX, LARGEST_QUEUE],
});
