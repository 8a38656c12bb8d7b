// Tested by test/services/perf/results.test.ts
import type { Fields, Metric, Values } from '../base/metric.js';

/** A record of a peer that is not what it must be. */
export class Malformed extends Error {}

/** A declared record as peers tell it to each other: the fields' own names and units. */
export function messageOf(fields: Fields, values: object): Record<string, unknown> {
  const record = values as Readonly<Record<string, unknown>>;
  const entries = Object.entries(fields).map(([field, metric]) => {
    const value = record[field];
    const isRecord = metric.fields !== undefined && value !== null;
    return [metric.key ?? field, isRecord ? messageOf(metric.fields, value as object) : value];
  });
  return Object.fromEntries(entries);
}

/**
 * The declared record in what a peer sent: numbers from 0 up, labels that are safe to show. What an older peer does not send, or JSON wrote as null, has its
 * initial value. By hand, since zod takes 90 ms to load, a third of what a short test takes. Throws Malformed.
 */
export function readValues<F extends Fields>(fields: F, value: unknown, path = ''): Values<F> {
  if (typeof value !== 'object' || value === null) throw new Malformed(`${quoted(path)} must be an object`);
  const record = value as Readonly<Record<string, unknown>>;
  const entries = Object.entries(fields).map(([field, metric]) => {
    const name = metric.key ?? field;
    return [field, readValue(metric, record[name], path === '' ? name : `${path}.${name}`)];
  });
  return Object.fromEntries(entries) as Values<F>;
}

function readValue(metric: Metric, value: unknown, path: string): unknown {
  const { kind, fields, initial, isOptional = false } = metric;
  const isAbsent = value === null ? isOptional || initial === null || Number.isNaN(initial) : isOptional;
  if (isAbsent && (value === null || value === undefined)) return initial;
  if (fields !== undefined) return readValues(fields, value, path);
  if (kind === 'label') return readWord(value, path);
  if (!Array.isArray(initial)) return readNumber(value, path);
  if (!Array.isArray(value)) throw new Malformed(`${quoted(path)} must be a list of numbers`);
  return value.map((each, at) => readNumber(each, `${path}.${at}`));
}

function readNumber(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Malformed(`${quoted(path)} must be a number from 0 up`);
}

function readWord(value: unknown, path: string): string {
  if (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)) return value;
  throw new Malformed(`${quoted(path)} must be a short word`);
}

function quoted(path: string): string {
  return path === '' ? 'it' : `'${path}'`;
}
