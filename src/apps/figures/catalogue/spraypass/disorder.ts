// Tested by test/apps/figures/catalogue.test.ts
import { comparison } from '../../blocks/comparison.js';
import { claim, fixed } from '../../blocks/rows.js';
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

/** Eight senders at one leaf and their receivers at the other, over four paths: over-subscribed two to one. */
const FABRIC: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: '10gbit', core: '10gbit' };
const SYSTEMS = ['spraypass-1', 'spraypass-2', 'spraypass'] as const;
const PAPER_DISORDER = 3;
/** Eight data frames, as the paper counts them. */
const PAPER_QUEUE = 12_144;

export const disorder = comparison({
  name: 'spraypass-disorder',
  title: 'Disorder and queues, eight senders over four paths',
  source: 'SprayPass, Figures 4 and 5',
  about: (profile) =>
    `Two leaves of eight hosts, four spines, every link 10 Gbit/s, RTT 32 us; eight endless flows from one leaf to the other, so that the paths carry half of what the hosts could. ${profile === 'quick' ? '20 ms' : '200 ms'}, measured from 5 ms. The degree of disorder is the number of full frames in the reorder buffer when a data frame has arrived. The paper does not give the rate of these links.`,
  quantities: [MEAN_GOODPUT, LEAST_GOODPUT, JAIN, DISORDER_P99, DISORDER_MAX, LARGEST_QUEUE],
  drawn: { title: LARGEST_QUEUE.title, axis: 'largest data queue (B)' },
  cases: (profile) =>
    SYSTEMS.map((system) => ({
      key: system,
      document: {
        ...systemFields(system),
        ...leafSpine(FABRIC),
        duration: profile === 'quick' ? '20ms' : '200ms',
        warmUp: '5ms',
        jainWindows: ['1ms'],
        flows: acrossLeaves(FABRIC).slice(0, FABRIC.hostsPerLeaf),
      },
    })),
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
    gainRow(measured('spraypass-2', MEAN_GOODPUT.title) / measured('spraypass-1', MEAN_GOODPUT.title)),
  ],
});

function gainRow(gain: number) {
  return claim(
    { quantity: 'mean goodput with marks over that with sequence', paper: '1.06', ours: fixed(gain, 3) },
    gain >= 1.06,
    {
      held: 'Held to 1.06',
      why: 'Our receiver takes a credit back from the lost ones when its echo comes late, so disorder costs sequence-based feedback next to nothing.',
    },
  );
}
