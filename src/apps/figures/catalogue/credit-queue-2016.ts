import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { claim, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import { mean } from '../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Runs } from '../figure.js';

const QUEUES = [1, 2, 4, 8, 16, 32, 64, 128];
/** The paper does not say how many flows it had. */
const FLOWS = [2, 8, 32];
/** The length that the paper settles on, and what it says that this costs at most, per cent of the data share. */
const CHOSEN = 16;
const PAPER_WORST_PERCENT = 3.3;
/** "Maxes out": what longer queues may still win, per cent (ours). */
const MOST_WON_PERCENT = 2;

/** Under-utilisation in per cent: by queue, then by flows. */
type Grid = readonly (readonly number[])[];

export const creditQueue2016: Figure = {
  name: 'credit-queue-2016',
  title: 'Length of the credit queue, rule of 2016',
  source: 'ExpressPass 2016, Figure 4',
  about: (profile) =>
    `Under-utilisation of the data share in per cent with the feedback of 2016 and credit queues of 1 to 128 credits in every switch and NIC. ${FLOWS.join(', ')} endless flows at 10 Gbit/s, RTT 100 us, gaps of credits that vary by 1 % as in that paper; 60 ms, measured from 20 to 60 ms, ${profile === 'quick' ? 'one seed' : 'means over 10 seeds'}. The other queue figures of the paper are on this page too: many concurrent flows (its Figure 9) under many-flows, queues in a fat tree (its Table 1) under workloads.`,
  jobs: (profile) =>
    QUEUES.flatMap((queue) =>
      FLOWS.map((pairs) => ({
        key: key(queue, pairs),
        document: queueDocument(queue, pairs),
        seeds: seeds(profile === 'quick' ? 1 : 10),
      })),
    ),
  evaluate: (runs: Runs) => {
    const grid = QUEUES.map((queue) =>
      FLOWS.map((flows) => 100 * (1 - mean(runs.of(key(queue, flows)).map(({ result }) => result.utilisation)))),
    );
    return { charts: [{ key: '', chart: chart(grid) }], rows: rowsOf(grid), tables: [table(grid)] };
  },
};

function key(queue: number, flows: number): string {
  return `${queue}-${flows}`;
}

function queueDocument(queue: number, pairs: number): FigureDocument {
  const document = dumbbell({ rule: 'expresspass-2016', pairs });
  const topology = { ...(document.topology as object), creditQueue: queue };
  return { ...document, topology, hosts: [{ jitter: 0.01 }] };
}

function rowsOf(grid: Grid): FigureRow[] {
  const chosen = grid[QUEUES.indexOf(CHOSEN)];
  const longest = grid[grid.length - 1];
  const text = (quantity: string, values: readonly number[], paper?: string) => ({
    quantity: `${quantity} (%), ${FLOWS.join(', ')} flows`,
    ...(paper !== undefined && { paper }),
    ours: valueList(values, 1),
  });
  const isWithin = chosen.every((percent) => percent <= PAPER_WORST_PERCENT);
  const isLongEnough = chosen.every((percent, at) => percent <= Math.max(0, longest[at]) + MOST_WON_PERCENT);
  return [
    claim(text(`under-utilisation, ${CHOSEN} credits`, chosen, `at most ${PAPER_WORST_PERCENT}`), isWithin, {
      held: "Held to the paper's worst case",
    }),
    claim(text('won by 128 credits', minus(chosen, longest), 'nothing'), isLongEnough, {
      held: `Held to at most ${MOST_WON_PERCENT} % of the link`,
    }),
    noClaim(text('under-utilisation, 1 credit', grid[0]), 'The paper has it as a drawing only.'),
  ];
}

function minus(one: readonly number[], other: readonly number[]): number[] {
  return one.map((value, at) => value - other[at]);
}

function chart(grid: Grid): LineChart {
  return {
    kind: 'lines',
    x: { name: 'credit queue (credits)', scale: 'log2' },
    y: { name: 'under-utilisation (%)', min: -1 },
    series: FLOWS.map((flows, at) => ({ name: `${flows} flows`, x: QUEUES, y: grid.map((row) => row[at]) })),
  };
}

function table(grid: Grid): FigureTable {
  const rows = grid.flatMap((row, index) => FLOWS.map((flows, at) => [QUEUES[index], flows, rounded(row[at], 2)]));
  return { key: '', titles: ['credit_queue', 'flows', 'under_utilisation_percent'], rows };
}
