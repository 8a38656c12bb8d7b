// Tested by test/apps/figures/catalogue.test.ts
import { type Case, comparison } from '../../blocks/comparison.js';
import { claim, fixed, noClaim } from '../../blocks/rows.js';
import {
  acrossLeaves,
  DISORDER_MAX,
  DISORDER_P99,
  type Fabric,
  JAIN,
  LARGEST_QUEUE,
  LEAST_GOODPUT,
  leafSpine,
  MEAN_GOODPUT,
  systemFields,
} from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';

/** Eight senders at one leaf and their receivers at the other, over four paths: over-subscribed two to one. */
const FABRIC: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: '10gbit', core: '10gbit' };
const SYSTEMS = ['spraypass-1', 'spraypass-2', 'spraypass'] as const;
const PAPER_DISORDER = 3;
/** Eight data frames, as the paper counts them. */
const PAPER_QUEUE = 12_144;

/** For feedback: as many senders as SprayPass has for its Figure 5. */
const FIVE: Fabric = { ...FABRIC, hostsPerLeaf: 5 };
const PAPER_GAIN = 1.06;
/** Sequence-based as in the paper, where a credit that was overtaken is lost for good; as our meter has it; and by marks. */
const FEEDBACKS: Readonly<Record<string, FigureDocument>> = {
  'five-overtaken-lost': systemFields('spraypass-1', { late_lost: 1 }),
  'five-taken-back': systemFields('spraypass-1'),
  'five-marks': systemFields('spraypass-2'),
};

export const disorder = comparison({
  name: 'spraypass-disorder',
  title: 'Disorder and queues, eight senders over four paths',
  source: 'SprayPass, Figures 4 and 5',
  about: (profile) =>
    `Two leaves of eight hosts, four spines, every link 10 Gbit/s, RTT 32 us; eight endless flows from one leaf to the other, so that the paths carry half of what the hosts could. ${profile === 'quick' ? '20 ms' : '200 ms'}, measured from 5 ms. The degree of disorder is the number of full frames in the reorder buffer when a data frame has arrived. The paper does not give the rate of these links. For the feedback five hosts at each leaf, as in the paper.`,
  quantities: [MEAN_GOODPUT, LEAST_GOODPUT, JAIN, DISORDER_P99, DISORDER_MAX, LARGEST_QUEUE],
  drawn: { title: LARGEST_QUEUE.title, axis: 'largest data queue (B)' },
  cases: (profile) => [
    ...SYSTEMS.map((system) => runOf(system, { fields: systemFields(system), fabric: FABRIC, profile })),
    ...Object.entries(FEEDBACKS).map(([key, fields]) => runOf(key, { fields, fabric: FIVE, profile })),
  ],
  rows: (measured) => [
    ...SYSTEMS.slice(1).flatMap((system) => {
      const [degree, queue] = [measured(system, DISORDER_MAX.title), measured(system, LARGEST_QUEUE.title)];
      return [
        claim(
          { quantity: `${system}: largest degree of disorder`, paper: `${PAPER_DISORDER}`, ours: fixed(degree, 0) },
          degree <= PAPER_DISORDER,
          { held: "Held to no more than the paper's" },
        ),
        claim(
          { quantity: `${system}: largest queue (B)`, paper: `${PAPER_QUEUE}`, ours: fixed(queue, 0) },
          queue <= PAPER_QUEUE,
          { held: "Held to no more than the paper's" },
        ),
      ];
    }),
    ...gainRows((key) => measured(key, MEAN_GOODPUT.title)),
  ],
});

function runOf(
  key: string,
  { fields, fabric, profile }: { fields: FigureDocument; fabric: Fabric; profile: Profile },
): Case {
  return {
    key,
    document: {
      ...fields,
      ...leafSpine(fabric),
      duration: profile === 'quick' ? '20ms' : '200ms',
      warmUp: '5ms',
      jainWindows: ['1ms'],
      flows: acrossLeaves(fabric).slice(0, fabric.hostsPerLeaf),
    },
  };
}

function gainRows(goodput: (key: string) => number) {
  const [lost, takenBack] = ['five-overtaken-lost', 'five-taken-back'].map(
    (key) => goodput('five-marks') / goodput(key),
  );
  const quantity = 'five flows: mean goodput with marks over that with sequence';
  return [
    claim(
      { quantity: `${quantity}, overtaken credits lost`, paper: `${PAPER_GAIN}`, ours: fixed(lost, 3) },
      lost >= PAPER_GAIN,
      { held: "Held to no less than the paper's" },
    ),
    noClaim(
      { quantity: `${quantity}, overtaken credits taken back`, ours: fixed(takenBack, 3) },
      'What spraypass-1 does by default: a credit whose data comes after that of a later one is no longer lost, so disorder costs little.',
    ),
  ];
}
