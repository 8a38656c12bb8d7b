import { displayCount } from '../shared/display.js';
import { type Column, tableLines } from '../shared/table.js';
import type { BenchResult } from './benchmark.js';

const COLUMNS: readonly Column[] = [
  { title: 'benchmark' },
  { title: 'value', align: 'right' },
  { title: 'unit' },
  { title: 'raw', align: 'right' },
  { title: 'ratio', align: 'right' },
];
const COLUMNS_WITH_SOURCE: readonly Column[] = [...COLUMNS, { title: 'raw is' }];

/** The table for people. "raw" is the bare program's figure, or the ideal, or whose a column more says that it is. */
export function benchTable(results: readonly BenchResult[]): string[] {
  return tableLines(
    results.some(({ rawIs }) => rawIs !== undefined) ? COLUMNS_WITH_SOURCE : COLUMNS,
    results.map((result) => [
      result.name,
      figure(result.value),
      result.unit,
      result.raw === null ? '' : figure(result.raw),
      result.raw === null ? '' : ratioOf(result, result.raw).toFixed(3),
      result.rawIs ?? '',
    ]),
  );
}

/** What `--json` ends with. */
export function jsonResults(results: readonly BenchResult[]): unknown {
  return {
    results: results.map((result) => ({ ...result, ratio: result.raw === null ? null : ratioOf(result, result.raw) })),
  };
}

/** The middle one of each figure's values over several runs. */
export function medians(runs: readonly (readonly BenchResult[])[]): BenchResult[] {
  return runs[0].map((first, at) => ({
    ...first,
    value: median(runs.map((run) => run[at].value)),
    raw: first.raw === null ? null : median(runs.map((run) => run[at].raw ?? Number.NaN)),
  }));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function ratioOf({ value }: BenchResult, raw: number): number {
  return value / raw;
}

function figure(value: number): string {
  return value >= 1_000 ? displayCount(value) : value.toPrecision(4);
}
