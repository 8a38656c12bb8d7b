// Tested by test/apps/sim/sweep.test.ts
import { displayCount, displayDuration, displayPercent, displaySize } from '../../base/display.js';
import { type Column, type CsvValue, csvText, foldedTableLines } from '../../report/table.js';
import type { Document } from '../../telemetry/document.js';
import type { PlannedRun } from './sweep-plan.js';

/** What became of a run of a sweep. */
export interface SweptRun {
  readonly planned: PlannedRun;
  /** null: it failed or never ran. */
  readonly figures: RunFigures | null;
  readonly error: string | null;
}

/** The few numbers of a run by which runs are compared: all that is kept of thousands. */
export type RunFigures = ReturnType<typeof runFigures>;

/** What is read here of the result of a run, as `--json` has it. */
interface KeptResult {
  readonly duration_s: number;
  readonly utilisation: number;
  readonly jain: number | null;
  readonly credit_drop_share: number;
  readonly events: number;
  readonly flows: readonly { readonly fct_s: number | null; readonly error: string | null }[];
  readonly links: readonly {
    readonly data_queue_bytes_max: number;
    readonly data_drops: number;
    readonly lost: number;
  }[];
  readonly fct: {
    readonly all?: { readonly mean_s: number; readonly p99_s: number; readonly slowdown_p99: number | null };
  };
}

export function runFigures(document: Document) {
  const { flows, links, fct, ...result } = document as unknown as KeptResult;
  return {
    duration_s: result.duration_s,
    utilisation: result.utilisation,
    jain: result.jain,
    credit_drop_share: result.credit_drop_share,
    data_queue_bytes_max: links.reduce((most, link) => Math.max(most, link.data_queue_bytes_max), 0),
    data_drops: links.reduce((sum, link) => sum + link.data_drops, 0),
    lost: links.reduce((sum, link) => sum + link.lost, 0),
    flows: flows.length,
    complete: flows.filter(({ fct_s }) => fct_s !== null).length,
    failed: flows.filter(({ error }) => error !== null).length,
    fct_mean_s: fct.all?.mean_s ?? null,
    fct_p99_s: fct.all?.p99_s ?? null,
    slowdown_p99: fct.all?.slowdown_p99 ?? null,
    events: result.events,
  };
}

/** Of a run without a result. */
const NO_FIGURES = Object.fromEntries(
  Object.keys(runFigures({ flows: [], links: [], fct: {} })).map((name) => [name, null]),
);

function summaryRow({ planned, figures, error }: SweptRun): Record<string, CsvValue> {
  const { values, scenario, hash } = planned;
  return { ...values, seed: scenario.seed, run: hash, ...(figures ?? NO_FIGURES), error };
}

/** What `--json` prints of a sweep, and `summary.json` has. */
export function summaryJson(name: string, paths: readonly string[], runs: readonly SweptRun[]) {
  return { scenario: name, swept: paths, runs: runs.map(summaryRow) };
}

export function summaryCsv(runs: readonly SweptRun[]): string {
  const rows = runs.map(summaryRow);
  return csvText(Object.keys(rows[0]), rows.map(Object.values));
}

/** A line for each run, for people, folded to fit a terminal. */
export function summaryLines(paths: readonly string[], runs: readonly SweptRun[], columnsWide: number): string[] {
  const right = [
    'seed',
    'utilisation',
    'Jain',
    'credits dropped',
    'largest queue',
    'data drops',
    'complete',
    'FCT mean',
    '99 %',
  ];
  const columns: Column[] = [
    ...paths.map((title) => ({ title })),
    ...right.map((title) => ({ title, align: 'right' as const })),
    { title: '' },
  ];
  return foldedTableLines(columns, runs.map(summaryCells), columnsWide, paths.length + 1);
}

function summaryCells({ planned, figures: row, error }: SweptRun): string[] {
  const own = [...Object.values(planned.values), String(planned.scenario.seed)];
  if (row === null) return [...own, ...Array<string>(8).fill('-'), error ?? ''];
  return [
    ...own,
    row.utilisation.toFixed(3),
    row.jain === null ? '-' : row.jain.toFixed(3),
    displayPercent(row.credit_drop_share),
    displaySize(row.data_queue_bytes_max),
    displayCount(row.data_drops),
    `${displayCount(row.complete)} of ${displayCount(row.flows)}`,
    displayDuration(row.fct_mean_s === null ? Number.NaN : row.fct_mean_s * 1e9),
    displayDuration(row.fct_p99_s === null ? Number.NaN : row.fct_p99_s * 1e9),
  ];
}
