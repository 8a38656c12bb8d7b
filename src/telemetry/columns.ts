// Tested by test/report/run-tables.test.ts
import { displayCount, displayDuration, displayRate, displaySize } from '../base/display.js';
import type { Fields, MetricUnit, Values } from '../base/metric.js';

/** The head of a column. */
export interface Heading {
  readonly title: string;
  /** `right` for numbers; `left` by default. */
  readonly align?: 'left' | 'right';
}

/** A table as text. */
export interface TableData {
  readonly columns: readonly Heading[];
  /** One cell for each column. */
  readonly rows: readonly (readonly string[])[];
}

/** One column of a table for people, and what it says of a record. */
export interface Column<R> extends Heading {
  cell(row: R): string;
}

export function tableOf<R>(columns: readonly Column<R>[], rows: readonly R[]): TableData {
  return { columns, rows: rows.map((row) => columns.map(({ cell }) => cell(row))) };
}

export function text<R>(title: string, cell: (row: R) => string): Column<R> {
  return { title, cell };
}

/** Text that is aligned as a number. */
export function number<R>(title: string, cell: (row: R) => string): Column<R> {
  return { title, align: 'right', cell };
}

export function count<R>(title: string, of: (row: R) => number): Column<R> {
  return number(title, (row) => displayCount(of(row)));
}

/** A field of a declaration, in its unit. */
export function metric<F extends Fields>(fields: F, field: keyof F & string, title: string): Column<Values<F>> {
  const { kind, unit } = fields[field];
  if (kind === 'label') return text(title, (row) => String(row[field] ?? ''));
  return number(title, (row) => displayMetric(unit, row[field] as number | null));
}

/** A value with its unit; a dash for none, `unlimited` for a rate of none. */
function displayMetric(unit: MetricUnit, value: number | null): string {
  if (unit === 'bit/s') return displayRate(value ?? Number.POSITIVE_INFINITY);
  if (value === null || !Number.isFinite(value)) return '-';
  return (DISPLAYS[unit] ?? displayCount)(value);
}

/** Times are in ns whatever the unit of documents is. */
const DISPLAYS: Partial<Record<MetricUnit, (value: number) => string>> = {
  id: String,
  share: (value) => value.toFixed(3),
  ratio: (value) => value.toFixed(2),
  s: displayDuration,
  ns: displayDuration,
  us: (value) => displayDuration(value * 1e3),
  bytes: displaySize,
};
