// Tested by test/apps/figures/catalogue.test.ts
import { SIZE_CLASSES, type SizeClass } from '../../../../sim/result.js';
import { WORKLOAD_NAMES, type WorkloadName } from '../../../../sim/traffic/workloads.js';
import { comparison, type Measured, type Quantity } from '../../blocks/comparison.js';
import { CREDITS_WASTED, UNFINISHED, WASTED_SHARE } from '../../blocks/completion.js';
import { claim, fixed, noClaim } from '../../blocks/rows.js';
import type { Profile } from '../../figure.js';
import { treeDocument } from '../workloads.js';

const RULE = 'steady';
/** Of an endpoint: off, and on with no other wait than two round trips. */
const WAITS = { off: '0', on: '1us' } as const;
type Stop = keyof typeof WAITS;
const STOPS = Object.keys(WAITS) as Stop[];

const PAPER_FLOWS = 10_000;
/** Half of those of the figure of workloads: both stops in its time. */
const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = {
  'data-mining': 100,
  'web-search': 150,
  'cache-follower': 250,
  'web-server': 1_000,
};

/** Credits that a flow wastes on average at most: those in the place of dropped ones that were not dropped (ours). */
const MOST_WASTED = 2;
/** What "costs nothing" is held to: mean times of no class above this part of those without (ours: the spread over seeds). */
const MOST_LONGER = 1.05;

const CLASSES = SIZE_CLASSES.filter((each) => each !== 'all');
const WASTED_PER_FLOW: Quantity = {
  title: 'credits_wasted_per_flow',
  digits: 2,
  of: (run) => (CREDITS_WASTED.of(run) as number) / run.result.flows.length,
};
const DROPPED_SHARE: Quantity = {
  title: 'credits_dropped_share',
  digits: 4,
  of: ({ result }) =>
    result.flows.reduce((sum, { credits }) => sum + credits.dropped, 0) /
    result.flows.reduce((sum, { credits }) => sum + credits.sent, 0),
};

export const earlyStop = comparison({
  name: 'real-networks-early-stop',
  title: 'Credits for what the sender has, and no more',
  source: 'ours',
  about: (profile) =>
    `The fat tree and the load of 0.6 of the figure of workloads, ${profile === 'quick' ? 'half as many flows' : `${PAPER_FLOWS.toLocaleString('en-US')} flows of each`}, with \`${RULE}\`. Off: a receiver issues credits until the sender says stop, as in the papers. On: a receiver has no more credits outstanding than the bytes that its sender told of take (PROTOCOL §4.8), and as many more as the path has dropped of the flow's credits so far; one that brought nothing for two round trips is not counted any more.

A credit that is dropped near the end of a flow is missed: with early stop it is replaced two round trips later, without it the credits behind it take its place. So what early stop costs grows with the part of the credits that is dropped, and falls on flows of a few dozen frames: with data mining, which drops hardly any, it costs nothing, with the others class M takes up to a quarter longer. That is why it is off in the simulator. What it saves is others' time: large flows are faster where many credits were wasted.`,
  quantities: [
    WASTED_PER_FLOW,
    WASTED_SHARE,
    DROPPED_SHARE,
    UNFINISHED,
    ...SIZE_CLASSES.flatMap((size) => [timeOf(size, 'mean'), timeOf(size, 'p99')]),
  ],
  drawn: { title: WASTED_PER_FLOW.title, axis: 'credits wasted per flow' },
  cases: (profile) =>
    WORKLOAD_NAMES.flatMap((name) =>
      STOPS.map((stop) => ({
        key: `${name}-${stop}`,
        document: treeDocument(name, RULE, flowsOf(name, profile), { backlogWait: WAITS[stop] }),
      })),
    ),
  rows: (measured) => WORKLOAD_NAMES.flatMap((name) => rowsOf(name, measured)),
});

function flowsOf(name: WorkloadName, profile: Profile): number {
  return profile === 'quick' ? QUICK_FLOWS[name] : PAPER_FLOWS;
}

function timeOf(size: SizeClass, kind: 'mean' | 'p99'): Quantity {
  return {
    title: `fct_${size.toLowerCase()}_${kind}_ms`,
    digits: 4,
    of: ({ result }) => {
      const times = result.fct[size];
      return times === undefined ? null : (kind === 'mean' ? times.meanNs : times.p99Ns) / 1e6;
    },
  };
}

function rowsOf(name: WorkloadName, measured: Measured) {
  const [off, on] = STOPS.map((stop) => measured(`${name}-${stop}`, WASTED_PER_FLOW.title));
  const longer = (size: SizeClass, kind: 'mean' | 'p99'): number => {
    const [without, withStop] = STOPS.map((stop) => measured(`${name}-${stop}`, timeOf(size, kind).title));
    return withStop / without;
  };
  const present = CLASSES.filter((size) => Number.isFinite(longer(size, 'mean')));
  const worst = Math.max(...present.map((size) => longer(size, 'mean')));
  return [
    claim(
      { quantity: `${name}: credits wasted per flow, off; on`, ours: `${fixed(off, 2)}; ${fixed(on, 2)}` },
      on <= MOST_WASTED,
      { held: `On held to ${MOST_WASTED}` },
    ),
    claim(
      {
        quantity: `${name}: mean time on over off, by class`,
        ours: present.map((size) => `${size} ${fixed(longer(size, 'mean'), 2)}`).join(', '),
      },
      worst <= MOST_LONGER,
      { held: `Held to ${MOST_LONGER}`, why: 'A credit that is dropped last is missed two round trips later' },
    ),
    noClaim(
      {
        quantity: `${name}: 99 % time on over off, by class; mean of all`,
        ours: `${present.map((size) => `${size} ${fixed(longer(size, 'p99'), 2)}`).join(', ')}; ${fixed(longer('all', 'mean'), 2)}`,
      },
      'A tail of some hundred flows is one or two of them.',
    ),
  ];
}
