// Tested by test/apps/figures/catalogue.test.ts
import { SIZE_CLASSES, type SizeClass } from '../../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../../sim/traffic/workloads.js';
import { CLASSES, DROPPED_SHARE, time, UNFINISHED, WASTED_PER_FLOW, WASTED_SHARE } from '../../blocks/quantities.js';
import { counted, cross, figure, fixed, type Results, type Row, row } from '../../plan.js';
import { treeDocument } from '../workloads.js';

type Case = { readonly workload: WorkloadName; readonly stop: Stop };

const RULE = 'steady';
/** Of an endpoint: off, and on with no other wait than two round trips. */
const WAITS = { off: '0', on: '1us' } as const;
type Stop = keyof typeof WAITS;
const PAPER_FLOWS = 10_000;
/** Half of those of the figure of workloads: both stops in its time. */
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = { 'data-mining': 100, 'web-search': 150, 'cache-follower': 250, 'web-server': 1_000 };
/** Credits that a flow wastes on average at most: those in the place of dropped ones that were not dropped (ours). */
const MOST_WASTED = 2;
/** What "costs nothing" is held to: mean times of no class above this part of those without (ours: the spread over seeds). */
const MOST_LONGER = 1.05;

const timesOf = (size: SizeClass) => ({
  mean: time(`fct_${size.toLowerCase()}_mean_ms`, 'meanNs', 'ms', size),
  p99: time(`fct_${size.toLowerCase()}_p99_ms`, 'p99Ns', 'ms', size),
});

export const earlyStop = figure<Case>('real-networks-early-stop', 'Credits for what the sender has, and no more', {
  source: 'ours',
  about: (profile) =>
    `The fat tree and the load of 0.6 of the figure of workloads, ${profile === 'quick' ? 'half as many flows' : `${counted(PAPER_FLOWS)} flows of each`}, with \`${RULE}\`. Off: a receiver issues credits until the sender says stop, as in the papers. On: a receiver has no more credits outstanding than the bytes that its sender told of take (PROTOCOL §4.8), and as many more as the path has dropped of the flow's credits so far; one that brought nothing for two round trips is not counted any more.

A credit that is dropped near the end of a flow is missed: with early stop it is replaced two round trips later, without it the credits behind it take its place. So what early stop costs grows with the part of the credits that is dropped, and falls on flows of a few dozen frames: with data mining, which drops hardly any, it costs nothing, with the others class M takes up to a quarter longer. That is why it is off in the simulator. What it saves is others' time: large flows are faster where many credits were wasted.`,
  cases: () => cross({ workload: WORKLOAD_NAMES, stop: ['off', 'on'] as const }),
  document: ({ workload, stop }, profile) =>
    treeDocument(workload, RULE, profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS, { backlogWait: WAITS[stop] }),
  rows: (results) => WORKLOAD_NAMES.flatMap((workload) => rowsOf(results, workload)),
  charts: (results) => ({ '': results.bars(WASTED_PER_FLOW, 'credits wasted per flow') }),
  table: [
    { run: ({ workload, stop }) => `${workload}-${stop}` },
    WASTED_PER_FLOW,
    WASTED_SHARE,
    DROPPED_SHARE,
    UNFINISHED,
    ...SIZE_CLASSES.flatMap((size) => Object.values(timesOf(size))),
  ],
});

function rowsOf(results: Results<Case>, workload: WorkloadName): Row[] {
  const [off, on] = results.list(WASTED_PER_FLOW, { workload });
  const longer = (size: SizeClass, kind: 'mean' | 'p99'): number => results.ratio(timesOf(size)[kind], { workload, stop: 'on' }, { workload, stop: 'off' });
  const present = CLASSES.filter((size) => Number.isFinite(longer(size, 'mean')));
  const list = (kind: 'mean' | 'p99') => present.map((size) => `${size} ${fixed(longer(size, kind), 2)}`).join(', ');
  return [
    row(`${workload}: credits wasted per flow, off; on`, `${fixed(off, 2)}; ${fixed(on, 2)}`, 0, { met: on <= MOST_WASTED, held: `On held to ${MOST_WASTED}` }),
    row(`${workload}: mean time on over off, by class`, list('mean'), 0, {
      met: present.every((size) => longer(size, 'mean') <= MOST_LONGER),
      held: `Held to ${MOST_LONGER}`,
      why: 'A credit that is dropped last is missed two round trips later',
    }),
    row(`${workload}: 99 % time on over off, by class; mean of all`, `${list('p99')}; ${fixed(longer('all', 'mean'), 2)}`, 0, {
      note: 'A tail of some hundred flows is one or two of them.',
    }),
  ];
}
