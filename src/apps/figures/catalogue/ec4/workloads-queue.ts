// Tested by test/apps/figures/catalogue.test.ts

import { lines } from '../../blocks/charts.js';
import { type Mix, TREE, type TreeCase, treeDocument, treeSeeds } from '../../blocks/tree.js';
import { cross, figure, type Quantity, quantity, type Results, type Row, row } from '../../plan.js';

type Case = TreeCase & { readonly mix: (typeof MIXES)[number] };

const LOADS = [0.2, 0.4, 0.6];
const MIXES = ['ec4-literal-dctcp', 'ec4-dctcp', 'expresspass-dctcp', 'dctcp'] as const satisfies readonly Mix[];
const PAPER_LARGEST_KB = 373.5;

/** Of the ports of switches: the largest data queue, and the mean of the one that has most in it. */
const LARGEST = ofSwitches('queue_kb_max', ({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver);
const BUSIEST = ofSwitches('queue_kb_mean', ({ dataQueueBytesMean }) => dataQueueBytesMean);

export const ec4WorkloadsQueue = figure<Case>('ec4-workloads-queue', 'Queues in the fat tree under web search', {
  source: 'EC4, Figure 9',
  about: (profile) =>
    `${TREE} The runs of ec4-workloads-web-search at load 0.6, and others at 0.2 and 0.4 (${treeSeeds(profile)} and 1 of each). The largest data queue of any port of a switch, and the mean queue of the port with the highest mean, which stands for the paper's "bottleneck link switch". The paper has the 99th percentile as a drawing only. Lists are for loads of ${LOADS.join(', ')}.`,
  cases: () => cross({ workload: ['web-search'] as const, load: LOADS, mix: MIXES }),
  key: ({ load, mix }) => `${mix}-${load}`,
  document: treeDocument,
  seeds: ({ load }, profile) => (load === 0.6 ? treeSeeds(profile) : 1),
  rows: (results) => [
    row('expresspass-dctcp: largest queue (KB)', results.list(LARGEST, { mix: 'expresspass-dctcp' }), 1, {
      paper: LOADS.map(() => PAPER_LARGEST_KB),
      why: 'The queue is full at 384.5 KB.',
    }),
    ...[LARGEST, BUSIEST].flatMap((of) => overDctcp(results, of)),
  ],
  charts: (results) => ({
    '': lines(
      { x: 'load', y: { name: 'mean queue of the busiest port (KB)' } },
      MIXES.map((mix) => results.line(mix, 'load', BUSIEST, { mix })),
    ),
  }),
  table: ['load', 'mix', LARGEST, BUSIEST],
});

/** Hosts are h1, h2, ...: what waits in them is theirs. */
function ofSwitches(title: string, of: (link: { dataQueueBytesMaxEver: number; dataQueueBytesMean: number }) => number): Quantity {
  return quantity(title, 1, ({ result }) => Math.max(...result.links.filter(({ name }) => !/^h\d/.test(name)).map(of)) / 1e3);
}

function overDctcp(results: Results<Case>, of: Quantity): Row[] {
  const ratios = (mix: Case['mix']) => LOADS.map((load) => results.ratio(of, { load, mix }, { load, mix: 'dctcp' }));
  const what = of === LARGEST ? 'largest queue' : 'mean queue of the busiest port';
  return [
    row(`ec4-literal-dctcp: ${what} over that of DCTCP alone`, ratios('ec4-literal-dctcp'), 2, { paper: LOADS.map(() => 1), better: 'less', why: WHY }),
    row(`ec4-dctcp: ${what} over that of DCTCP alone`, ratios('ec4-dctcp'), 2, { note: 'It stands beside the listing.' }),
  ];
}

const WHY = '';
