import type { Fields, Metric, Values } from '../base/metric.js';

/** A record as it stands in JSON. */
export type Document = Record<string, unknown>;

/**
 * The values of a declaration as our JSON has them, in its order: names in snake_case, times in seconds where the unit says so (`fctNs` becomes `fct_s`),
 * null for what is not a finite number. Values that are not declared are left out; that none is missing is the compiler's to check.
 */
export function documentOf<F extends Fields>(fields: F, values: Readonly<Values<F>>): Document {
  const record: Readonly<Record<string, unknown>> = values;
  const entries = Object.entries(fields).map(([field, metric]) => [
    documentKey(field, metric),
    jsonValue(field, metric, record[field]),
  ]);
  return Object.fromEntries(entries);
}

/** The key of a field in documents. */
export function documentKey(field: string, metric: Metric): string {
  if (metric.key !== undefined) return metric.key;
  return snakeKey(isInSeconds(field, metric) ? `${field.slice(0, -2)}S` : field);
}

function isInSeconds(field: string, { unit }: Metric): boolean {
  return unit === 's' && field.endsWith('Ns');
}

function jsonValue(field: string, metric: Metric, value: unknown): unknown {
  const { kind, fields } = metric;
  if (fields === undefined || value === null || value === undefined) {
    return isInSeconds(field, metric) && typeof value === 'number' ? value / 1e9 : plainJson(value);
  }
  if (kind === 'list') return (value as readonly Document[]).map((each) => documentOf(fields, each));
  if (kind !== 'map') return documentOf(fields, value as Document);
  return Object.fromEntries(
    Object.entries(value as Record<string, Document>).map(([name, each]) => [name, documentOf(fields, each)]),
  );
}

/** Plain data without a declaration, written alike. Codes in capitals, such as `ECONNREFUSED`, keep their names. */
export function plainJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeKey(key), plainJson(inner)]));
}

function snakeKey(key: string): string {
  return /^[A-Z_0-9]+$/.test(key) ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
