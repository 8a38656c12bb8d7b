// Tested by test/apps/figures/catalogue.test.ts
import { type Case, comparison } from '../../blocks/comparison.js';
import { noClaim, valueList } from '../../blocks/rows.js';
import {
  acrossLeaves,
  DISORDER_P99,
  type Fabric,
  JAIN,
  LARGEST_QUEUE,
  LEAST_GOODPUT,
  leafSpine,
  MEAN_GOODPUT,
  systemFields,
} from '../../blocks/spray.js';
import type { FigureDocument } from '../../figure.js';

const FABRIC: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: '10gbit', core: '10gbit' };
const N_CDT = [1, 2, 4, 8, 16, 64];
const N_B = [1e5, 2e5, 6e5, 2e6, 8e6];
const THETA = [0.02, 0.05, 0.1, 0.2, 0.4];
/** All paths alike, and one of four a tenth as fast. */
const NETWORKS = ['alike', 'slow'] as const;
const NO_NUMBERS = 'The paper has other quantities, as drawings.';
/** Seen in the speed boards: after 3 ms seven of the eight flows are without the slow path, and the eighth's share there is 0.85 of its fastest. */
const LONE_FLOW =
  'Flows leave the slow path one after the other. With a board of 2e6 bits or more the last one is not knocked out by chance: alone, it gets more than theta of a fair path there, and stays; its data is what comes late.';
type Network = (typeof NETWORKS)[number];

export const sweeps = comparison({
  name: 'spraypass-sweeps',
  title: 'N_cdt, N_b and theta',
  source: 'SprayPass, Table I, Figures 6 and 7',
  about: () =>
    `Eight endless flows over four paths of 10 Gbit/s, RTT 32 us, 10 ms from the third on. N_cdt with all paths alike; N_b and theta with them alike and with one spine's links at 0.5 Gbit/s. A good setting loses nothing where paths are alike and has little disorder where one is slow. Lists are for N_cdt ${N_CDT.join(', ')}; N_b ${N_B.join(', ')} bits; theta ${THETA.join(', ')}.`,
  quantities: [MEAN_GOODPUT, LEAST_GOODPUT, JAIN, DISORDER_P99, LARGEST_QUEUE],
  drawn: { title: MEAN_GOODPUT.title, axis: 'mean goodput (Gbit/s)' },
  cases: () => [
    ...N_CDT.map((count) => runOf(`ncdt-${count}`, 'alike', {}, count)),
    ...NETWORKS.flatMap((network) => [
      ...N_B.map((bits) => runOf(`nb-${bits}-${network}`, network, { n_b: bits })),
      ...THETA.map((theta) => runOf(`theta-${theta}-${network}`, network, { theta })),
    ]),
  ],
  rows: (measured) => {
    const list = (keys: readonly string[], title: string, digits: number) =>
      valueList(
        keys.map((key) => measured(key, title)),
        digits,
      );
    const counts = N_CDT.map((count) => `ncdt-${count}`);
    return [
      row('N_cdt: mean goodput (Gbit/s)', list(counts, MEAN_GOODPUT.title, 2)),
      row('N_cdt: Jain over 1 ms', list(counts, JAIN.title, 4)),
      ...NETWORKS.flatMap((network) =>
        [
          { name: 'N_b', keys: N_B.map((bits) => `nb-${bits}-${network}`) },
          { name: 'theta', keys: THETA.map((theta) => `theta-${theta}-${network}`) },
        ].flatMap(({ name, keys }) => [
          row(`${name}, paths ${network}: mean goodput (Gbit/s)`, list(keys, MEAN_GOODPUT.title, 2)),
          row(
            `${name}, paths ${network}: 99 % disorder`,
            list(keys, DISORDER_P99.title, 0),
            name === 'N_b' && network === 'slow' ? LONE_FLOW : NO_NUMBERS,
          ),
        ]),
      ),
    ];
  },
});

function row(quantity: string, ours: string, reason = NO_NUMBERS) {
  return noClaim({ quantity, ours }, reason);
}

function runOf(key: string, network: Network, parameters: FigureDocument, creditMark = 4): Case {
  const base = leafSpine(FABRIC);
  return {
    key,
    document: {
      ...systemFields('spraypass', parameters),
      ...base,
      topology: { ...(base.topology as FigureDocument), creditMark },
      duration: '10ms',
      warmUp: '3ms',
      jainWindows: ['1ms'],
      flows: acrossLeaves(FABRIC).slice(0, FABRIC.hostsPerLeaf),
      faults: network === 'slow' ? [{ at: '0s', link: ['leaf1-spine1', 'leaf2-spine1'], rate: '500mbit' }] : [],
    },
  };
}
