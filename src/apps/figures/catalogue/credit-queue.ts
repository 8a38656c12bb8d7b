// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { claim, noClaim, rounded, seeds, valueList } from '../blocks/rows.js';
import type { Rule } from '../blocks/rules.js';
import { mean } from '../blocks/statistics.js';
import type { Figure, FigureDocument, FigureTable, Profile, Runs } from '../figure.js';

const QUEUES = [1, 2, 4, 8, 16, 32];
const FLOWS = [2, 4, 8, 16, 32];
const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2'];
/** Under-utilisation of the authors' code in per cent; a queue of one was measured with credits of exactly 84 B. */
const CODE: Readonly<Record<number, readonly number[]>> = {
  1: [0.0, 1.4, 5.7, 9.1, 7.7],
  2: [-0.1, 0.7, 3.3, 5.8, 5.3],
  4: [-0.1, 0.0, 1.1, 3.9, 4.1],
  8: [-0.1, -0.1, 0.9, 3.0, 4.0],
  16: [-0.1, -0.2, 0.2, 1.6, 3.8],
  32: [-0.1, -0.1, -0.2, 0.3, 2.5],
};
/** What eight credits may leave of the link, per cent. */
const MOST_PERCENT = 1;
/** How far our reading of the authors' rule may be from their code, per cent of the link: that of one-bottleneck. */
const TOLERANCE_PERCENT = 3;

/** Under-utilisation in per cent: by queue, then by flows. */
type Grid = readonly (readonly number[])[];

export const creditQueue: Figure = {
  name: 'credit-queue',
  title: 'Length of the credit queue',
  source: 'ExpressPass 2017, Figure 9',
  about: (profile) =>
    `Under-utilisation of the data share in per cent, for credit queues of 1 to 32 credits in every switch and NIC and 2 to 32 endless flows at 10 Gbit/s, RTT 100 us. Lists are for ${FLOWS.join(', ')} flows. 60 ms, measured from 20 to 60 ms, ${profile === 'quick' ? 'one seed' : `means over ${seedCount(profile)} seeds`}; initial rate and w_init 0.5. The paper's lines rise to about 5 % for short queues, and it finds eight credits sufficient.`,
  jobs: (profile) =>
    DRAWN.flatMap((rule) =>
      QUEUES.flatMap((queue) =>
        FLOWS.map((pairs) => ({
          key: key(rule, queue, pairs),
          document: queueDocument(rule, queue, pairs),
          seeds: seeds(seedCount(profile)),
        })),
      ),
    ),
  evaluate: (runs) => {
    const grids = DRAWN.map((rule) => ({ rule, grid: measure(runs, rule) }));
    return {
      charts: grids.map(({ rule, grid }) => ({ key: rule, chart: chart(rule, grid) })),
      rows: grids.flatMap(({ rule, grid }) => rowsOf(rule, grid)),
      tables: [table(grids)],
    };
  },
};

function seedCount(profile: Profile): number {
  return profile === 'quick' ? 1 : 10;
}

function key(rule: Rule, queue: number, flows: number): string {
  return `${rule}-${queue}-${flows}`;
}

function queueDocument(rule: Rule, queue: number, pairs: number): FigureDocument {
  const document = dumbbell({ rule, pairs });
  // Eight is the default: the very runs of one-bottleneck.
  if (queue === 8) return document;
  return { ...document, topology: { ...(document.topology as object), creditQueue: queue } };
}

function measure(runs: Runs, rule: Rule): Grid {
  return QUEUES.map((queue) =>
    FLOWS.map((flows) => 100 * (1 - mean(runs.of(key(rule, queue, flows)).map(({ result }) => result.utilisation)))),
  );
}

function rowsOf(rule: Rule, grid: Grid): FigureRow[] {
  return QUEUES.map((queue, at) => queueRow(rule, queue, grid[at]));
}

function queueRow(rule: Rule, queue: number, found: readonly number[]): FigureRow {
  const code = CODE[queue];
  const text = {
    quantity: `${rule}, queue of ${queue}: under-utilisation (%)`,
    ...(queue === 8 && { paper: 'sufficient' }),
    authorsCode: valueList(code, 1),
    ours: valueList(found, 1),
  };
  if (rule === 'steady' && queue === 8) {
    const isMet = found.every((percent) => percent <= MOST_PERCENT);
    return claim(text, isMet, { held: `Held to at most ${MOST_PERCENT} % for 2 to 32 flows` });
  }
  if (rule === 'expresspass-ns2' && queue > 1) {
    const isNear = found.every((percent, at) => Math.abs(percent - code[at]) <= TOLERANCE_PERCENT);
    return claim(text, isNear, { held: `Held to within ${TOLERANCE_PERCENT} % of the link` });
  }
  return noClaim(text, queue === 1 ? REASON_ONE : 'The paper has it as a drawing only.');
}

const REASON_ONE =
  "The authors' limit is in bytes, so their queue of one was measured with credits of 84 B; ours counts credits of 84 to 92 B.";

function chart(rule: Rule, grid: Grid): LineChart {
  return {
    kind: 'lines',
    title: rule,
    x: { name: 'credit queue (credits)', scale: 'log2' },
    y: { name: 'under-utilisation (%)', min: -1, max: 10 },
    series: FLOWS.map((flows, at) => ({ name: `${flows} flows`, x: QUEUES, y: grid.map((row) => row[at]) })),
  };
}

function table(grids: readonly { rule: Rule; grid: Grid }[]): FigureTable {
  const rows = grids.flatMap(({ rule, grid }) =>
    QUEUES.flatMap((queue, row) => FLOWS.map((flows, at) => [rule, queue, flows, rounded(grid[row][at], 2)])),
  );
  return { key: '', titles: ['rule', 'credit_queue', 'flows', 'under_utilisation_percent'], rows };
}
