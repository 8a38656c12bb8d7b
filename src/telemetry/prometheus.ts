import type { Counts, Fields, Metric, MetricUnit } from '../base/metric.js';
import { documentKey } from './document.js';

/** What Prometheus calls a metric: one name, one kind, its samples told apart by labels. */
export interface Family {
  /** `xpass_`, the names of the groups around it, its own, the unit, and `_total` for what only grows. docs/METRICS.md, "Prometheus" */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  /** Out of the record that the declaration describes. */
  samples(record: object): Sample[];
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Of a histogram: the family's name with `_bucket` or `_count`. */
  readonly metricName?: string;
}

type Labels = Readonly<Record<string, string>>;

const PREFIX = 'xpass';

/** The base unit that stands in a name, and what a value is multiplied with; null: no number that Prometheus could use. */
const BASE_UNITS: Partial<Record<MetricUnit, readonly [words: string, factor: number] | null>> = {
  '': null,
  id: null,
  other: null,
  s: ['seconds', 1],
  us: ['seconds', 1e-6],
  ns: ['seconds', 1e-9],
  'bit/s': ['bytes_per_second', 1 / 8],
  'frames/s': ['frames_per_second', 1],
  share: ['ratio', 1],
  // The name says what happens.
  events: ['', 1],
};

/** The families of a declaration. Left out are labels, quantiles, and lists without `labels`: those of flows, whose number has no small bound. */
export function familiesOf(fields: Fields): Family[] {
  return inner(fields, { words: [PREFIX], labelNames: [], records: (record) => [{ record, labels: {} }] });
}

/** Where a declaration stands: the words of names so far, and how its records are found in the whole. */
interface Place {
  readonly words: readonly string[];
  readonly labelNames: readonly string[];
  records(whole: object): Found[];
}

interface Found {
  readonly record: object;
  readonly labels: Labels;
}

function inner(fields: Fields, place: Place): Family[] {
  return Object.entries(fields).flatMap(([field, metric]) => {
    if (metric.fields === undefined) return leaf(field, metric, place) ?? [];
    const words = [...place.words, ...wordsOf(field, metric)];
    if (metric.kind === 'group') return inner(metric.fields, { ...place, words, records: groupRecords(field, place) });
    if (metric.kind !== 'list' || metric.labels === undefined) return [];
    const labelNames = [...place.labelNames, ...Object.keys(metric.labels)];
    // Each record is one of the things that the list names.
    const single = words.map((word, at) => (at === words.length - 1 ? word.replace(/s$/, '') : word));
    return inner(metric.fields, { words: single, labelNames, records: listRecords(field, metric.labels, place) });
  });
}

function groupRecords(field: string, { records }: Place): Place['records'] {
  return (whole) => records(whole).map(({ record, labels }) => ({ record: fieldOf(record, field) as object, labels }));
}

function listRecords(field: string, names: Labels, { records }: Place): Place['records'] {
  return (whole) =>
    records(whole).flatMap(({ record, labels }) =>
      (fieldOf(record, field) as readonly object[]).map((each) => ({
        record: each,
        labels: { ...labels, ...named(names, each) },
      })),
    );
}

function named(names: Labels, record: object): Labels {
  return Object.fromEntries(Object.entries(names).map(([label, field]) => [label, String(fieldOf(record, field))]));
}

function leaf(field: string, metric: Metric, place: Place): Family | null {
  const { kind, unit, help, by } = metric;
  const base = BASE_UNITS[unit] === undefined ? ([unit, 1] as const) : BASE_UNITS[unit];
  if (
    base === null ||
    (kind !== 'counter' && kind !== 'gauge' && kind !== 'histogram') ||
    Array.isArray(metric.initial) !== (kind === 'histogram')
  )
    return null;
  const [unitWords, unitFactor] = base;
  // Times in `s` are ns in programs: `documentOf`.
  const factor = unit === 's' && field.endsWith('Ns') ? 1e-9 : unitFactor;
  const name = familyName([...place.words, ...wordsOf(field, metric)], unitWords, kind);
  const read = kind === 'histogram' ? histogramSamples : by === undefined ? numberSamples : countSamples;
  return {
    name,
    help,
    type: kind,
    labelNames: by === undefined ? place.labelNames : [...place.labelNames, by],
    samples: (whole) =>
      place
        .records(whole)
        .flatMap(({ record, labels }) => read(fieldOf(record, field), { name, labels, factor, by: by ?? '' })),
  };
}

/** The words of a field's key without its unit, which stands at the end of a family's name. */
function wordsOf(field: string, metric: Metric): string[] {
  if (metric.kind === 'histogram' && field === 'classes') return [];
  return documentKey(field, metric)
    .replace(TIME_SUFFIX[metric.unit] ?? /$^/, '')
    .split('_');
}

const TIME_SUFFIX: Partial<Record<MetricUnit, RegExp>> = { s: /_s$/, us: /_us$/, ns: /_ns$/, 'bit/s': /_bps$/ };

/** A name says its unit once, at the end. */
function familyName(words: readonly string[], unit: string, kind: Family['type']): string {
  const parts = [
    ...words.filter((word) => word !== unit),
    ...(unit === '' ? [] : [unit]),
    ...(kind === 'counter' ? ['total'] : []),
  ];
  return parts.join('_');
}

interface Reading {
  readonly name: string;
  readonly labels: Labels;
  readonly factor: number;
  readonly by: string;
}

/** None where the number is not known. */
function numberSamples(value: unknown, { labels, factor }: Reading): Sample[] {
  return typeof value === 'number' && Number.isFinite(value) ? [{ labels, value: value * factor }] : [];
}

function countSamples(value: unknown, { labels, factor, by }: Reading): Sample[] {
  return Object.entries(value as Counts).map(([key, count]) => ({
    labels: { ...labels, [by]: key },
    value: count * factor,
  }));
}

/** Buckets are cumulative. */
function histogramSamples(value: unknown, { name, labels, factor }: Reading): Sample[] {
  let sum = 0;
  const buckets = (value as readonly (readonly [number, number])[]).map(([bound, count]) => {
    sum += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: boundText(bound * factor) }, value: sum };
  });
  return [...buckets, { metricName: `${name}_count`, labels, value: sum }];
}

/** Without what binary fractions add: 0.00002, not 0.000020000000000000002. */
function boundText(bound: number): string {
  return Number.isFinite(bound) ? String(Number(bound.toPrecision(12))) : '+Inf';
}

function fieldOf(record: object, field: string): unknown {
  return (record as Readonly<Record<string, unknown>>)[field];
}
