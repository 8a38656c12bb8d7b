/**
 * Metrics as data: a declaration stands beside the code that counts. Types, JSON, tables, messages and docs/METRICS.md follow from it (src/telemetry). Counting
 * stays an increment of a field.
 */

/** Of a number in documents; '' where it has none. A `share` is from 0 to 1; `id` is a name in digits, `other` the unit of whatever is named beside it. */
export type MetricUnit =
  | ''
  | 'id'
  | 'share'
  | 'other'
  | 'ratio'
  | 's'
  | 'us'
  | 'ns'
  | 'bit/s'
  | 'frames/s'
  | 'bytes'
  | 'frames'
  | 'credits'
  | 'chunks'
  | 'datagrams'
  | 'calls'
  | 'requests'
  | 'samples'
  | 'wakes'
  | 'events'
  | 'errors'
  | 'paths'
  | 'peers'
  | 'hosts'
  | 'cores'
  | 'flows'
  | 'streams'
  | 'connections'
  | 'files'
  | 'intervals';

/**
 * `counter`: only grows until reset. `gauge`: a value of a moment or a run. `histogram`: `[upper bound, count]` by class. `label`: not measured. `group`,
 * `list`, `map` (by name): hold records. `summary`: a group of quantiles.
 */
export type MetricKind = 'counter' | 'gauge' | 'histogram' | 'label' | 'group' | 'summary' | 'list' | 'map';

/** What one field of a record is. `V` is the type of its values. */
export interface Metric<V = unknown> {
  readonly kind: MetricKind;
  readonly unit: MetricUnit;
  /** A phrase for people, without a full stop. */
  readonly help: string;
  /** The value before anything was counted; what a peer of an older version did not send has it, too. */
  readonly initial: V;
  /** Key in documents and messages, where that is another than the field's name. */
  readonly key?: string;
  /** Of the records in it. */
  readonly fields?: Fields;
  /** How gauges of two times become one; the later one counts where nothing is said. */
  readonly merge?: 'max' | 'mean';
  /** Peers of older versions do not send it. */
  readonly isOptional?: boolean;
  /** What tells the numbers of a record of counters apart. */
  readonly by?: string;
  /** Of a list whose records have names: Prometheus' label and the field that is its value. A list of flows has none: their number has no small bound. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A declaration: the metrics of a record by its fields. */
export type Fields = Readonly<Record<string, Metric>>;

/** The record that a declaration describes. */
export type Values<F extends Fields> = { -readonly [K in keyof F]: F[K]['initial'] };

export type Counts = Record<string, number>;

export function counter(unit: MetricUnit, help: string): Metric<number> {
  return { kind: 'counter', unit, help, initial: 0 };
}

export function gauge(unit: MetricUnit, help: string, merge?: 'max' | 'mean'): Metric<number> {
  return { kind: 'gauge', unit, help, initial: 0, ...(merge !== undefined && { merge }) };
}

/** One number for each of several things. */
export function gauges(unit: MetricUnit, help: string): Metric<readonly number[]> {
  return { kind: 'gauge', unit, help, initial: [] };
}

/** Counters by a name that is known when they occur, such as the reason of a drop. */
export function counters(unit: MetricUnit, by: string, help: string): Metric<Counts> {
  return { kind: 'counter', unit, help, by, initial: {} };
}

export function histogram(unit: MetricUnit, help: string): Metric<readonly (readonly [number, number])[]> {
  return { kind: 'histogram', unit, help, initial: [] };
}

export function label<V = string>(help: string, initial: V = '' as V): Metric<V> {
  return { kind: 'label', unit: '', help, initial };
}

export function group<F extends Fields>(help: string, fields: F): Metric<Values<F>> {
  return { kind: 'group', unit: '', help, fields, initial: initialValues(fields) };
}

/** Quantiles of one quantity. */
export function summary<F extends Fields>(help: string, fields: F): Metric<Values<F>> {
  return { ...group(help, fields), kind: 'summary' };
}

/** `labels`: see Metric. */
export function list<F extends Fields>(
  help: string,
  fields: F,
  labels?: Readonly<Record<string, keyof F & string>>,
): Metric<readonly Values<F>[]> {
  return { kind: 'list', unit: '', help, fields, initial: [], ...(labels !== undefined && { labels }) };
}

/** The same metric, which peers of older versions do not send. */
export function optional<V>(metric: Metric<V>): Metric<V> {
  return { ...metric, isOptional: true };
}

/** The same metric under another name in documents and messages. */
export function renamed<V>(metric: Metric<V>, key: string): Metric<V> {
  return { ...metric, key };
}

/** Records by a name, each with the same fields. */
export function map<K extends string, F extends Fields>(
  help: string,
  fields: F,
): Metric<Partial<Record<K, Values<F>>>> {
  return { kind: 'map', unit: '', help, fields, initial: {} };
}

/** The same metric where there may be no value. */
export function nullable<V>(metric: Metric<V>): Metric<V | null> {
  return { ...metric, initial: null };
}

/** The values of a declaration out of a record that has others too. */
export function pickValues<F extends Fields>(fields: F, record: Readonly<Values<F>>): Values<F> {
  return Object.fromEntries(Object.keys(fields).map((field) => [field, record[field]])) as Values<F>;
}

/** The counts above 0 by their names. The first name stands for no count. */
export function namedCounts(names: readonly string[], counts: ArrayLike<number>): Counts {
  const named: Counts = {};
  for (let code = 1; code < names.length; code++) if (counts[code] > 0) named[names[code]] = counts[code];
  return named;
}

/** A record of a declaration, with nothing counted. Those of one declaration have one shape. */
export function initialValues<F extends Fields>(fields: F): Values<F> {
  return Object.fromEntries(Object.entries(fields).map(([field, { initial }]) => [field, initial])) as Values<F>;
}

/**
 * Joins the records of two successive times, or of two places: counters add up; of gauges the later counts, or the largest, or the mean by `weights`. A number
 * that is null in one is null in the result.
 */
export function sumValues<F extends Fields>(
  fields: F,
  one: Readonly<Values<F>>,
  other: Readonly<Values<F>>,
  weights: readonly [number, number] = [1, 1],
): Values<F> {
  return combine(fields, one, other, (metric, a, b) => {
    if (metric.kind === 'counter') return a + b;
    if (metric.merge === 'max') return Math.max(a, b);
    const weight = weights[0] + weights[1];
    return metric.merge === 'mean' && weight > 0 ? (a * weights[0] + b * weights[1]) / weight : b;
  });
}

/** What was counted between two times; what is no counter is as it was at the second. */
export function countedSince<F extends Fields>(
  fields: F,
  before: Readonly<Values<F>>,
  after: Readonly<Values<F>>,
): Values<F> {
  return combine(fields, before, after, (metric, a, b) => (metric.kind === 'counter' ? b - a : b));
}

type Combine = (metric: Metric, one: number, other: number) => number;

function combine<F extends Fields>(fields: F, one: Values<F>, other: Values<F>, by: Combine): Values<F> {
  const entries = Object.entries(fields).map(([field, metric]) => [field, both(metric, one[field], other[field], by)]);
  return Object.fromEntries(entries) as Values<F>;
}

function both(metric: Metric, one: unknown, other: unknown, by: Combine): unknown {
  if (metric.by !== undefined) return bothCounts(metric, one as Counts, other as Counts, by);
  if (metric.fields !== undefined && metric.kind === 'group')
    return combine(metric.fields, one as Counts, other as Counts, by);
  const isNumber = typeof other === 'number' || metric.kind === 'counter';
  if (!isNumber) return other;
  return one === null || other === null ? null : by(metric, one as number, other as number);
}

/** A name that only one has counts as 0 in the other. */
function bothCounts(metric: Metric, one: Counts, other: Counts, by: Combine): Counts {
  const names = Object.keys({ ...one, ...other });
  return Object.fromEntries(names.map((name) => [name, by(metric, one[name] ?? 0, other[name] ?? 0)]));
}
