// Tested by test/apps/figures/catalogue/real-networks/unequal-links.test.ts
import { jainIndex } from '../../../../sim/measure/jain.js';
import type { SimulationRun } from '../../../../sim/result.js';
import type { BarChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { claim, noClaim, rounded, seeds, valueList } from '../../blocks/rows.js';
import { mean } from '../../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../../figure.js';
import { BESIDE, LAWS, type Law, OURS } from './laws.js';

/** Whose links are faster, and what all flows share: the link between two switches, or the link of the one host at the other end. */
const SHAPES = ['receivers-core', 'receivers-edge', 'senders-core', 'senders-edge'] as const;
type Shape = (typeof SHAPES)[number];
const SHAPE_TEXT: Readonly<Record<Shape, string>> = {
  'receivers-core': 'receivers with faster links, one core link',
  'receivers-edge': 'receivers with faster links, one sender',
  'senders-core': 'senders with faster links, one core link',
  'senders-edge': 'senders with faster links, one receiver',
};
const RATIOS = [10, 40, 100];
/** Flows of each kind. */
const FLOWS = [1, 8];
const SHARED_GBIT = 1;
const DELAY = '8us';
const RTT = '48us';
const MOST_RATIO = 1.3;
const LEAST_UTILISATION = 0.95;

interface Unequal {
  readonly law: Law;
  readonly shape: Shape;
  /** How much faster the fast links are. */
  readonly ratio: number;
  readonly flows: number;
}

const CASES: readonly Unequal[] = LAWS.flatMap((law) =>
  SHAPES.flatMap((shape) => FLOWS.flatMap((flows) => RATIOS.map((ratio) => ({ law, shape, ratio, flows })))),
);

export const unequalLinks: Figure = {
  name: 'real-networks-unequal-links',
  title: 'Links of unequal speed',
  source: 'ours',
  about: (profile) =>
    `Endless flows share a link of ${SHARED_GBIT} Gbit/s, 8 us a link: one or eight of hosts whose links have ${SHARED_GBIT} Gbit/s too, and as many of hosts whose links are 10, 40 or 100 times faster. 300 ms, measured from 100 ms, ${seedCount(profile)} seed(s). The ratio is that of the mean shares of both kinds, the greater one over the lesser. Lists are for ${RATIOS.map((ratio) => `1:${ratio}`).join(', ')}. Marks are at C * RTT / 7.`,
  jobs: (profile) =>
    CASES.map((each) => ({ key: key(each), document: unequal(each), seeds: seeds(seedCount(profile)) })),
  evaluate: (runs) => ({
    charts: SHAPES.map((shape) => ({ key: shape, chart: chart(runs, shape) })),
    rows: LAWS.flatMap((law) =>
      SHAPES.flatMap((shape) => FLOWS.flatMap((flows) => rowsOf(runs, { law, shape, flows }))),
    ),
    tables: [table(runs)],
  }),
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 1 : 5;
}

function key({ law, shape, ratio, flows }: Unequal): string {
  return `${law}-${shape}-${flows}-${ratio}`;
}

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
    bottlenecks: [sharedLink(shape, flows)],
    flows: near.map(flow),
  };
}

function sharedLink(shape: Shape, flows: number): string {
  const far = `h${2 * flows + 1}`;
  const links: Readonly<Record<Shape, string>> = {
    'receivers-core': 'far->near',
    'receivers-edge': `${far}->far`,
    'senders-core': 'near->far',
    'senders-edge': `far->${far}`,
  };
  return links[shape];
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function goodputs({ result }: SimulationRun, group: string): number[] {
  return result.flows.filter((flow) => flow.group === group).map(({ goodputBps }) => goodputBps);
}

/** The mean share of flows with fast links over that of the others. */
function fastOverSlow(run: SimulationRun): number {
  return mean(goodputs(run, 'fast')) / mean(goodputs(run, 'slow'));
}

/** The greater over the lesser. */
export function ratioOfShares(run: SimulationRun): number {
  const ratio = fastOverSlow(run);
  return Math.max(ratio, 1 / ratio);
}

function list(runs: Runs, of: Omit<Unequal, 'ratio'>, quantity: (run: SimulationRun) => number): number[] {
  return RATIOS.map((ratio) => mean(runs.of(key({ ...of, ratio })).map(quantity)));
}

function rowsOf(runs: Runs, of: Omit<Unequal, 'ratio'>): FigureRow[] {
  const { law, shape, flows } = of;
  const what = `${law}, ${SHAPE_TEXT[shape]}, ${flows === 1 ? '2' : `${flows} + ${flows}`} flows`;
  const ratios = list(runs, of, ratioOfShares);
  const used = list(runs, of, ({ result }) => result.utilisation);
  const ratio = { quantity: `${what}: ratio of shares`, ours: valueList(ratios, 2) };
  if (law !== OURS) return [noClaim(ratio, BESIDE)];
  return [
    claim(
      ratio,
      ratios.every((each) => each <= MOST_RATIO),
      { held: `Held to ${MOST_RATIO}` },
    ),
    claim(
      { quantity: `${what}: utilisation`, ours: valueList(used, 3) },
      used.every((each) => each >= LEAST_UTILISATION),
      { held: `Held to ${LEAST_UTILISATION} of the data share` },
    ),
  ];
}

function chart(runs: Runs, shape: Shape): BarChart {
  return {
    kind: 'bars',
    title: `${SHAPE_TEXT[shape]}, 2 flows`,
    x: { name: 'slow : fast links' },
    y: { name: 'ratio of shares', scale: 'log10' },
    references: [{ label: `goal ${MOST_RATIO}`, y: MOST_RATIO }],
    groups: RATIOS.map((ratio) => `1:${ratio}`),
    series: LAWS.map((law) => ({ name: law, values: list(runs, { law, shape, flows: 1 }, ratioOfShares) })),
  };
}

function table(runs: Runs): FigureTable {
  const titles = ['law', 'shape', 'flows', 'speed_ratio', 'fast_over_slow', 'jain', 'utilisation', 'data_queue_max'];
  const rows = CASES.map((each) => {
    const found = runs.of(key(each));
    const of = (quantity: (run: SimulationRun) => number): number => mean(found.map(quantity));
    return [
      each.law,
      each.shape,
      2 * each.flows,
      each.ratio,
      rounded(of(fastOverSlow), 3),
      rounded(
        of(({ result }) => jainIndex(result.flows.map(({ goodputBps }) => goodputBps))),
        4,
      ),
      rounded(
        of(({ result }) => result.utilisation),
        4,
      ),
      Math.max(...found.flatMap(({ result }) => result.links.map(({ dataQueueBytesMax }) => dataQueueBytesMax))),
    ];
  });
  return { key: '', titles, rows };
}
