// Tested by test/apps/figures/catalogue/real-networks/unequal-links.test.ts

import { jainIndex } from '../../../../sim/measure/jain.js';
import type { SimulationRun } from '../../../../sim/result.js';
import { UTILISATION } from '../../blocks/quantities.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { chartsOf, cross, figure, quantity, type Results, type Row, row } from '../../plan.js';
import { largest, mean } from '../../statistics.js';
import { BESIDE, LAWS, type Law, OURS } from './laws.js';

interface Unequal {
  readonly law: Law;
  readonly shape: Shape;
  readonly flows: number;
  /** How much faster the fast links are. */
  readonly ratio: number;
}

/** Whose links are faster, and what all flows share: the link between two switches, or the link of the one host at the other end. */
const SHAPES = {
  'receivers-core': 'receivers with faster links, one core link',
  'receivers-edge': 'receivers with faster links, one sender',
  'senders-core': 'senders with faster links, one core link',
  'senders-edge': 'senders with faster links, one receiver',
} as const;
type Shape = keyof typeof SHAPES;
const SHAPE_NAMES = Object.keys(SHAPES) as Shape[];
const RATIOS = [10, 40, 100];
/** Flows of each kind. */
const FLOWS = [1, 8];
const SHARED_GBIT = 1;
const DELAY = '8us';
const RTT = '48us';
const MOST_RATIO = 1.3;
const LEAST_UTILISATION = 0.95;
const SEEDS: Readonly<Record<Profile, number>> = { quick: 1, paper: 5 };

/** The mean share of flows with fast links over that of the others. */
const FAST_OVER_SLOW = quantity('fast_over_slow', 3, fastOverSlow);
const RATIO_OF_SHARES = quantity('ratio_of_shares', 2, ratioOfShares);
const JAIN = quantity('jain', 4, ({ result }) => jainIndex(result.flows.map(({ goodputBps }) => goodputBps)));
const QUEUE_MAX = quantity('data_queue_max', 0, ({ result }) => largest(result.links.map(({ dataQueueBytesMax }) => dataQueueBytesMax)), largest);

export const unequalLinks = figure<Unequal>('real-networks-unequal-links', 'Links of unequal speed', {
  source: 'ours',
  about: (profile) =>
    `Endless flows share a link of ${SHARED_GBIT} Gbit/s, 8 us a link: one or eight of hosts whose links have ${SHARED_GBIT} Gbit/s too, and as many of hosts whose links are 10, 40 or 100 times faster. 300 ms, measured from 100 ms, ${SEEDS[profile]} seed(s). The ratio is that of the mean shares of both kinds, the greater one over the lesser. Lists are for ${RATIOS.map((ratio) => `1:${ratio}`).join(', ')}. Marks are at C * RTT / 7.`,
  cases: () => cross({ law: LAWS, shape: SHAPE_NAMES, flows: FLOWS, ratio: RATIOS }),
  document: unequal,
  seeds: SEEDS,
  rows: (results) => cross({ law: LAWS, shape: SHAPE_NAMES, flows: FLOWS }).flatMap((each) => rowsOf(results, each)),
  charts: (results) =>
    chartsOf(SHAPE_NAMES, (shape) => ({
      kind: 'bars',
      title: `${SHAPES[shape]}, 2 flows`,
      x: { name: 'slow : fast links' },
      y: { name: 'ratio of shares', scale: 'log10' },
      references: [{ label: `goal ${MOST_RATIO}`, y: MOST_RATIO }],
      groups: RATIOS.map((ratio) => `1:${ratio}`),
      series: LAWS.map((law) => ({ name: law, values: results.list(RATIO_OF_SHARES, { law, shape, flows: 1 }) })),
    })),
  table: ['law', 'shape', { flows: ({ flows }) => 2 * flows, speed_ratio: 'ratio' }, FAST_OVER_SLOW, JAIN, UTILISATION, QUEUE_MAX],
});

/** Hosts 1 to 2n have links of their own, the first n slow ones, the others fast ones; the far ends come after them. */
export function unequal({ law, shape, ratio, flows }: Unequal): FigureDocument {
  const near = range(1, 2 * flows);
  const far = shape.endsWith('core') ? range(2 * flows + 1, 4 * flows) : [2 * flows + 1];
  const rate = (id: number): string => `${SHARED_GBIT * (id > flows && id <= 2 * flows ? ratio : 1)}gbit`;
  const edges = [...near, ...far].map((id) => ({ a: `h${id}`, b: id <= 2 * flows ? 'near' : 'far', rate: rate(id) }));
  const receivesNear = shape.startsWith('receivers');
  const flow = (id: number) => {
    const other = far[(id - 1) % far.length];
    const group = id <= flows ? 'slow' : 'fast';
    return { kind: 'flow', group, from: receivesNear ? other : id, to: receivesNear ? id : other, startJitter: RTT };
  };
  return {
    algorithm: law,
    duration: '300ms',
    warmUp: '100ms',
    topology: {
      hosts: [...near, ...far].map((id) => ({ id })),
      switches: [{ name: 'near' }, { name: 'far' }],
      // With one far host the core is fast, so that its edge is what is shared.
      links: [...edges, { a: 'near', b: 'far', rate: `${shape.endsWith('core') ? SHARED_GBIT : ratio}gbit` }],
      defaults: { delay: DELAY, ecnRtt: RTT },
    },
    bottlenecks: [sharedLink(shape, `h${2 * flows + 1}`)],
    flows: near.map(flow),
  };
}

function sharedLink(shape: Shape, farHost: string): string {
  const links: Readonly<Record<Shape, string>> = {
    'receivers-core': 'far->near',
    'receivers-edge': `${farHost}->far`,
    'senders-core': 'near->far',
    'senders-edge': `far->${farHost}`,
  };
  return links[shape];
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function fastOverSlow({ result }: SimulationRun): number {
  const [fast, slow] = ['fast', 'slow'].map((group) => result.flows.filter((flow) => flow.group === group));
  return mean(fast.map(({ goodputBps }) => goodputBps)) / mean(slow.map(({ goodputBps }) => goodputBps));
}

/** The greater over the lesser. */
export function ratioOfShares(run: SimulationRun): number {
  const ratio = fastOverSlow(run);
  return Math.max(ratio, 1 / ratio);
}

function rowsOf(results: Results<Unequal>, each: Omit<Unequal, 'ratio'>): Row[] {
  const { law, shape, flows } = each;
  const what = `${law}, ${SHAPES[shape]}, ${flows === 1 ? '2' : `${flows} + ${flows}`} flows`;
  const ratio = row(`${what}: ratio of shares`, results.list(RATIO_OF_SHARES, each), 2);
  if (law !== OURS) return [{ ...ratio, note: BESIDE }];
  return [
    { ...ratio, most: MOST_RATIO },
    row(`${what}: utilisation`, results.list(UTILISATION, each), 3, { least: LEAST_UTILISATION, held: `Held to ${LEAST_UTILISATION} of the data share` }),
  ];
}
