// Tested by test/apps/figures/catalogue.test.ts
import { withLinks } from '../../blocks/dumbbell.js';
import { DISORDER_P99, JAIN, LARGEST_QUEUE, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { fromOneLeaf, leafSpine, systemFields, TWO_LEAVES } from '../../blocks/spray.js';
import { cross, figure, type Quantity, type Results, type Row, row } from '../../plan.js';

/** Swept settings by what the page calls them. */
const SWEEPS = {
  ncdt: { name: 'N_cdt', values: [1, 2, 4, 8, 16, 64] },
  nb: { name: 'N_b', values: [1e5, 2e5, 6e5, 2e6, 8e6] },
  theta: { name: 'theta', values: [0.02, 0.05, 0.1, 0.2, 0.4] },
} as const;
type Sweep = keyof typeof SWEEPS;
/** All paths alike, and one of four a tenth as fast. */
const NETWORKS = ['alike', 'slow'] as const;

type Case = { readonly sweep: Sweep; readonly value: number; readonly network: (typeof NETWORKS)[number] };

export const sweeps = figure<Case>('spraypass-sweeps', 'N_cdt, N_b and theta', {
  source: 'ours, of the settings that SprayPass chooses by its Table I and Figures 6 and 7',
  about: () =>
    `Eight endless flows over four paths of 10 Gbit/s, RTT 32 us, 10 ms from the third on. N_cdt with all paths alike; N_b and theta with them alike and with one spine's links at 0.5 Gbit/s. A good setting loses nothing where paths are alike and has little disorder where one is slow. Lists are for N_cdt ${SWEEPS.ncdt.values.join(', ')}; N_b ${SWEEPS.nb.values.join(', ')} bits; theta ${SWEEPS.theta.values.join(', ')}.`,
  cases: () => [...casesOf('ncdt', 'alike'), ...NETWORKS.flatMap((network) => [...casesOf('nb', network), ...casesOf('theta', network)])],
  key,
  document: ({ sweep, value, network }) => ({
    ...systemFields('spraypass', { nb: { n_b: value }, theta: { theta: value }, ncdt: {} }[sweep]),
    ...withLinks(leafSpine(TWO_LEAVES), { creditMark: sweep === 'ncdt' ? value : 4 }),
    duration: '10ms',
    warmUp: '3ms',
    jainWindows: ['1ms'],
    flows: fromOneLeaf(TWO_LEAVES),
    faults: network === 'slow' ? [{ at: '0s', link: ['leaf1-spine1', 'leaf2-spine1'], rate: '500mbit' }] : [],
  }),
  rows: (results) => [
    listRow(results, ['ncdt', 'alike'], 'N_cdt: mean goodput (Gbit/s)', [MEAN_GOODPUT, 2]),
    listRow(results, ['ncdt', 'alike'], 'N_cdt: Jain over 1 ms', [JAIN, 4]),
    ...cross({ network: NETWORKS, sweep: ['nb', 'theta'] as const }).flatMap(({ network, sweep }) => {
      const what = `${SWEEPS[sweep].name}, paths ${network}`;
      return [
        listRow(results, [sweep, network], `${what}: mean goodput (Gbit/s)`, [MEAN_GOODPUT, 2]),
        {
          ...listRow(results, [sweep, network], `${what}: 99 % disorder`, [DISORDER_P99, 0]),
          ...(sweep === 'nb' && network === 'slow' && { note: LONE_FLOW }),
        },
      ];
    }),
  ],
  charts: (results) => ({ '': results.bars(MEAN_GOODPUT, 'mean goodput (Gbit/s)') }),
  table: [{ run: key }, MEAN_GOODPUT, LEAST_GOODPUT, JAIN, DISORDER_P99, LARGEST_QUEUE],
});

/** Seen in the speed boards: after 3 ms seven of the eight flows are without the slow path, and the eighth's share there is 0.85 of its fastest. */
const LONE_FLOW =
  'Flows leave the slow path one after the other. With a board of 2e6 bits or more the last one is not knocked out by chance: alone, it gets more than theta of a fair path there, and stays; its data is what comes late.';

function casesOf(sweep: Sweep, network: Case['network']): Case[] {
  return SWEEPS[sweep].values.map((value) => ({ sweep, value, network }));
}

function key({ sweep, value, network }: Case): string {
  return sweep === 'ncdt' ? `ncdt-${value}` : `${sweep}-${value}-${network}`;
}

function listRow(
  results: Results<Case>,
  [sweep, network]: readonly [Sweep, Case['network']],
  quantity: string,
  [of, digits]: readonly [Quantity, number],
): Row {
  const ours = results.list(of, { sweep, network });
  return row(quantity, ours, digits, { note: "The paper's own quantities are at spraypass-marking and spraypass-speed-board." });
}
