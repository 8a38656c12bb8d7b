import { displayCount } from '../../base/display.js';
import { type Column, tableLines } from '../../report/table.js';
import type { BenchResult } from './benchmark.js';

/** A figure over several runs. */
export interface BenchFigure extends BenchResult {
  /** Of the value to what it is compared with; null where that is nothing. */
  readonly ratio: number | null;
}

const COLUMNS: readonly Column[] = [
  { title: 'benchmark' },
  { title: 'value', align: 'right' },
  { title: 'unit' },
  { title: 'raw', align: 'right' },
  { title: 'ratio', align: 'right' },
];

/** The table for people. "raw" is the bare program's figure, or the ideal, or whose a column more says that it is. */
export function benchTable(figures: readonly BenchFigure[]): string[] {
  const hasSource = figures.some(({ rawIs }) => rawIs !== undefined);
  const hasNotes = figures.some(({ note }) => note !== undefined);
  return tableLines(
    [...COLUMNS, ...(hasSource ? [{ title: 'raw is' }] : []), ...(hasNotes ? [{ title: 'note' }] : [])],
    figures.map((figure) => [
      figure.name,
      written(figure.value),
      figure.unit,
      figure.raw === null ? '' : written(figure.raw),
      figure.ratio === null ? '' : written(figure.ratio),
      ...(hasSource ? [figure.rawIs ?? ''] : []),
      ...(hasNotes ? [figure.note ?? ''] : []),
    ]),
  );
}

/** One figure in a line about how far a run is. */
export function progressText({ name, value, unit, ratio }: BenchFigure): string {
  return `${name} ${written(value)} ${unit}${ratio === null ? '' : ` (ratio ${written(ratio)})`}`;
}

/** What `--json` ends with. Figures that could not be measured are null. */
export function jsonResults(figures: readonly BenchFigure[]): unknown {
  return { results: figures };
}

/**
 * Median of each figure over several runs. The ratio is the median of the runs' ratios: both figures of a run are measured within the same seconds.
 */
export function medians(runs: readonly (readonly BenchResult[])[]): BenchFigure[] {
  return runs[0].map((first, at) => {
    const each = runs.map((run) => run[at]);
    return {
      ...first,
      value: median(each.map(({ value }) => value)),
      raw: first.raw === null ? null : median(each.map(({ raw }) => raw ?? Number.NaN)),
      ratio: first.raw === null ? null : median(each.map(({ value, raw }) => value / (raw ?? Number.NaN))),
    };
  });
}

/** Runs in which it could not be measured do not count; NaN when none is left. */
function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function written(value: number): string {
  if (Number.isNaN(value)) return '-';
  return Math.abs(value) >= 1_000 ? displayCount(value) : value.toPrecision(4);
}
