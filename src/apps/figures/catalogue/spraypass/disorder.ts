// Tested by test/apps/figures/catalogue.test.ts
import { DISORDER_MAX, DISORDER_P99, JAIN, LARGEST_QUEUE, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { fromOneLeaf, leafSpine, type SpraySystem, systemFields, TWO_LEAVES, TWO_RULES } from '../../blocks/spray.js';
import { cross, figure, type Results, type Row, row } from '../../plan.js';

/** Eight senders at one leaf and their receivers at the other; for feedback five, as in SprayPass' Figure 5. */
const FIVE = { ...TWO_LEAVES, hostsPerLeaf: 5 };
/** Systems, and for five flows kinds of feedback: by sequence, where an overtaken credit is lost for good, as in the paper, or taken back; and by marks. */
const RUNS: Readonly<Record<string, SpraySystem>> = {
  'spraypass-1-listing': 'spraypass-1-listing',
  'spraypass-2-listing': 'spraypass-2-listing',
  'spraypass-listing': 'spraypass-listing',
  'spraypass-2': 'spraypass-2',
  spraypass: 'spraypass',
  'five-sequence-listing': 'spraypass-1-listing',
  'five-marks-listing': 'spraypass-2-listing',
  'five-sequence': 'spraypass-1',
  'five-marks': 'spraypass-2',
};
const PAPER_DISORDER = 3;
/** Eight data frames, as the paper counts them. */
const PAPER_QUEUE = 12_144;
const PAPER_GAIN = 1.06;
const GAIN = 'five flows: mean goodput with marks over that with sequence';
const WHY =
  'The paper says nothing of how the delays of hosts and links vary. Here they are alike, so that only what queues tells paths apart: three frames at most.';

export const disorder = figure<{ run: string }>('spraypass-disorder', 'Disorder and queues, eight senders over four paths', {
  source: 'SprayPass, Figures 4 and 5',
  about: (profile) =>
    `Two leaves of eight hosts, four spines, every link 10 Gbit/s, RTT 32 us; eight endless flows from one leaf to the other, so that the paths carry half of what the hosts could. ${profile === 'quick' ? '20 ms' : '200 ms'}, measured from 5 ms. The degree of disorder is the number of full frames in the reorder buffer when a data frame has arrived. The paper does not give the rate of these links. For the feedback five hosts at each leaf, as in the paper. ${TWO_RULES}`,
  cases: () => cross({ run: Object.keys(RUNS) }),
  document: ({ run }, profile) => {
    const fabric = run.startsWith('five') ? FIVE : TWO_LEAVES;
    return {
      ...systemFields(RUNS[run]),
      ...leafSpine(fabric),
      duration: profile === 'quick' ? '20ms' : '200ms',
      warmUp: '5ms',
      jainWindows: ['1ms'],
      flows: fromOneLeaf(fabric),
    };
  },
  rows: (results) => [
    ...['spraypass-2-listing', 'spraypass-listing'].flatMap((run) => rowsOf(results, run, (paper) => ({ paper, better: 'less', why: WHY }))),
    ...['spraypass-2', 'spraypass'].flatMap((run) => rowsOf(results, run, (most) => ({ most, held: "Held to no more than the paper's of the listing" }))),
    row(`${GAIN}, the listings`, results.ratio(MEAN_GOODPUT, { run: 'five-marks-listing' }, { run: 'five-sequence-listing' }), 3, {
      paper: PAPER_GAIN,
      better: 'more',
    }),
    row(`${GAIN}, our defaults`, results.ratio(MEAN_GOODPUT, { run: 'five-marks' }, { run: 'five-sequence' }), 3, {
      note: 'What spraypass-1 does by default: a credit whose data comes after that of a later one is no longer lost, so disorder costs little.',
    }),
    row('eight flows: mean goodput, spraypass-listing over spraypass', results.ratio(MEAN_GOODPUT, { run: 'spraypass-listing' }, { run: 'spraypass' }), 3, {
      note: 'The listing takes the same overload off twice, as that of ExpressPass does (decision 0003).',
    }),
  ],
  charts: (results) => ({ '': results.bars(LARGEST_QUEUE, 'largest data queue (B)') }),
  table: ['run', MEAN_GOODPUT, LEAST_GOODPUT, JAIN, DISORDER_P99, DISORDER_MAX, LARGEST_QUEUE],
});

function rowsOf(results: Results<{ run: string }>, run: string, claim: (paper: number) => Partial<Row>): Row[] {
  return [
    row(`${run}: largest degree of disorder`, results.of(DISORDER_MAX, { run }), 0, claim(PAPER_DISORDER)),
    row(`${run}: largest queue (B)`, results.of(LARGEST_QUEUE, { run }), 0, claim(PAPER_QUEUE)),
  ];
}
