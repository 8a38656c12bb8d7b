// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import { lines } from '../../blocks/charts.js';
import { type Fabric, fromOneLeaf, leafSpine, systemFields } from '../../blocks/spray.js';
import { cross, figure, quantity, type Results, type Row, row } from '../../plan.js';
import { largest, mean } from '../../statistics.js';

/** `uniform` draws path ids without replacement, `random` each by itself. */
const SPRAYS = ['random', 'uniform'] as const;
const BITS = [1e5, 2e5, 4e5, 6e5, 1e6, 2e6, 4e6, 8e6];
type Case = { readonly spray: (typeof SPRAYS)[number]; readonly bits: number };

/** Eight flows over four paths, over-subscribed two to one. The paper does not give the rate; the 10 to 20 Gbit/s of its Figure 6a need links of 100. */
const FABRIC: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: '100gbit', core: '100gbit' };
const WARM_UP_US = 400;
const END_US = 2_400;
/** Shorter than the shortest period, 100,000 bits at half the link; some looks at so short a one are missed. */
const SAMPLE_US = 2;
/** N_b of Figure 6, and the paper's choice. */
const FIGURE_6 = 1e5;
const CHOSEN = 6e5;

const LEAST_RATIO = quantity(
  'path_ratio_least',
  3,
  (run) => Math.min(...statesOf(run, 'path_ratio').flat()),
  (seeds) => Math.min(...seeds),
);
const LARGEST_GAP = quantity('path_gap_largest_gbps', 1, (run) => largest(statesOf(run, 'path_gap').flat()) / 1e9, largest);
/** From one look at the board to the next, mean over flows. */
const PERIOD_US = quantity('board_period_us', 1, (run) =>
  mean(statesOf(run, 'board_looks').map((looks) => (END_US - WARM_UP_US) / (looks[looks.length - 1] - looks[0]))),
);

export const speedBoard = figure<Case>('spraypass-speed-board', 'How unlike four equal paths look', {
  source: 'SprayPass, Figures 6 and 7',
  about: () =>
    `Eight endless flows over four paths, all links 100 Gbit/s, RTT 32 us, ${END_US / 1e3} ms, measured from ${WARM_UP_US / 1e3} ms. A receiver compares what came by each path after every N_b bits: v_min / v_max is the slowest path's speed over the fastest's, and its least value over all flows and looks says how easily a good path is taken for a failed one. No path is left out here (theta 0). Lists are for N_b of ${BITS.map((bits) => bits.toExponential(0)).join(', ')} bits.`,
  cases: () => cross({ spray: SPRAYS, bits: BITS }),
  document: ({ spray, bits }) => ({
    ...systemFields('spraypass-listing', { uniform: spray === 'uniform' ? 1 : 0, theta: 0, n_b: bits }),
    ...leafSpine(FABRIC),
    duration: `${END_US}us`,
    warmUp: `${WARM_UP_US}us`,
    flows: fromOneLeaf(FABRIC),
    probes: { interval: `${SAMPLE_US}us`, maxFlows: FABRIC.hostsPerLeaf },
  }),
  rows: (results) => [...figure6(results), ...figure7(results)],
  charts: (results) => ({
    '': lines(
      { x: { name: 'N_b (bits)', scale: 'log10' }, y: { name: 'least v_min / v_max', max: 1 } },
      SPRAYS.map((spray) => results.line(spray, 'bits', LEAST_RATIO, { spray })),
    ),
  }),
  table: ['spray', 'bits', LEAST_RATIO, LARGEST_GAP, PERIOD_US],
});

/** Of each flow, in every sample of the measured time. */
function statesOf({ series }: SimulationRun, name: string): number[][] {
  const flows = series?.flows ?? [];
  return flows.map(({ state }) => [...(state?.[name] ?? [])].filter((value, at) => at * SAMPLE_US >= WARM_UP_US && Number.isFinite(value)));
}

function figure6(results: Results<Case>): Row[] {
  const random = { spray: 'random', bits: FIGURE_6 } as const;
  return [
    row('random spraying, N_b 1e5: largest difference of two paths (Gbit/s)', results.of(LARGEST_GAP, random), 1, {
      paper: 'many of 10 to 20',
      least: 10,
      held: 'Held to 10 at least',
    }),
    row('random spraying, N_b 1e5: least v_min / v_max', results.of(LEAST_RATIO, random), 3, { paper: 0 }),
  ];
}

function figure7(results: Results<Case>): Row[] {
  const [random, uniform] = SPRAYS.map((spray) => results.list(LEAST_RATIO, { spray }));
  const [, periods] = SPRAYS.map((spray) => results.list(PERIOD_US, { spray }));
  const at = BITS.indexOf(CHOSEN);
  return [
    row('N_b 2e5: least v_min / v_max, random and uniform', [random[1], uniform[1]], 3, { paper: [0, 0], why: WHY_ZERO }),
    row('random spraying: least v_min / v_max', random, 3, { note: 'The paper has the curve as a drawing.' }),
    row('uniform spraying: least v_min / v_max', uniform, 3, {
      paper: 'higher than with random spraying, above all below 1e6',
      met: uniform.every((ratio, index) => ratio >= random[index]) && uniform[at] > random[at],
      held: 'Held to no less than with random spraying, and to more with N_b 6e5',
    }),
    row('uniform spraying: update period (us)', periods, 1, {
      paper: 'grows linearly with N_b',
      met: Math.abs(periods[BITS.length - 1] / periods[at] / (BITS[BITS.length - 1] / CHOSEN) - 1) <= 0.1,
      held: 'Held to within 10 % of proportional from 6e5 to 8e6',
    }),
  ];
}

const WHY_ZERO = 'Some looks at a board of 16 frames fall between two samples. 0 is a path that brought none of them.';
