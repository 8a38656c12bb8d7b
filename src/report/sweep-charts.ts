// Tested by test/apps/sim/sweep-pages.test.ts
/** Small multiples of a sweep: a chart for each measure, the swept parameters on its axis, as lines or bars, and as panels; means over seeds. */
import { studentT } from '../sim/measure/student.js';
import type { Chart } from './plot/chart.js';
import { bytesUnit, largestOf, timeUnit, type Unit } from './units.js';

export interface SweptResult {
  /** What was swept, by path; the same paths in every run. */
  readonly values: Readonly<Record<string, string>>;
  /** By their names in the summary; null for a run without a result. */
  readonly figures: Readonly<Record<string, number | null>> | null;
}

/** A number of a run by which runs are compared. */
export interface Measure {
  readonly key: string;
  readonly title: string;
  /** Of the largest value. */
  readonly unit: (largest: number) => Unit;
}

const PLAIN = (): Unit => ({ name: '', factor: 1 });
const PERCENT = (): Unit => ({ name: '%', factor: 100 });
const SECONDS = (largestS: number): Unit => {
  const { name, factor } = timeUnit(largestS * 1e9);
  return { name, factor: factor * 1e9 };
};

const MEASURES: readonly Measure[] = [
  { key: 'utilisation', title: 'utilisation', unit: PLAIN },
  { key: 'jain', title: "Jain's index", unit: PLAIN },
  { key: 'data_queue_bytes_max', title: 'largest data queue', unit: bytesUnit },
  { key: 'data_drops', title: 'data frames dropped', unit: PLAIN },
  { key: 'credit_drop_share', title: 'credits dropped', unit: PERCENT },
  { key: 'fct_mean_s', title: 'completion time, mean', unit: SECONDS },
  { key: 'fct_p99_s', title: 'completion time, 99 %', unit: SECONDS },
  { key: 'slowdown_p99', title: 'slowdown, 99 %', unit: PLAIN },
];

/** Those that some run has, and that are not 0 in every one. */
export function measuresOf(runs: readonly SweptResult[]): Measure[] {
  return MEASURES.filter(({ key }) => runs.some(({ figures }) => (figures?.[key] ?? 0) !== 0));
}

/** Of a mean over seeds; the range is null without two of them. */
export interface Interval {
  readonly mean: number;
  readonly range: readonly [number, number] | null;
}

/** Mean and 95 % confidence interval by Student's t; null without a value. */
export function intervalOf(values: readonly number[]): Interval | null {
  const { length } = values;
  if (length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  if (length === 1) return { mean, range: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (length - 1);
  const half = studentT(length - 1) * Math.sqrt(variance / length);
  return { mean, range: [mean - half, mean + half] };
}

/** The values of a measure in runs of one combination. */
export function valuesOf(runs: readonly SweptResult[], { key }: Measure): number[] {
  return runs.map(({ figures }) => figures?.[key] ?? null).filter((value) => value !== null);
}

/** Lines or bars of one chart that can still be told apart, and panels that can still be looked at (ours). */
const MOST_SERIES = 8;
const MOST_PANELS = 12;

/** Which parameter stands where; an empty path is one that nobody swept. */
interface Roles {
  readonly x: string;
  readonly series: string;
  readonly panels: readonly string[];
}

export interface SweepCharts {
  readonly charts: readonly Chart[];
  /** Panels of each measure that are left out. */
  readonly leftOut: number;
}

export function sweepCharts(runs: readonly SweptResult[], paths: readonly string[]): SweepCharts {
  const roles = rolesOf(runs, paths);
  const panels = [...groupBy(runs, (run) => nameOf(run, roles.panels))];
  const charts = measuresOf(runs).flatMap((measure) => {
    const unit = measure.unit(largestOf(valuesOf(runs, measure)));
    const shown = panels.slice(0, MOST_PANELS);
    return shown.map(([panel, own]) => chartOf(own, roles, { measure, unit, panel }));
  });
  return { charts, leftOut: Math.max(0, panels.length - MOST_PANELS) };
}

/** The number with most values is the axis, else the parameter with most; of the others the one with most values that lines can have. */
function rolesOf(runs: readonly SweptResult[], paths: readonly string[]): Roles {
  const byCount = [...paths].sort((one, other) => namesOf(runs, other).length - namesOf(runs, one).length);
  const numbers = byCount.filter((path) => numbersOf(namesOf(runs, path)) !== null && namesOf(runs, path).length > 1);
  const x = numbers[0] ?? byCount[0] ?? '';
  const rest = byCount.filter((path) => path !== x);
  const series = rest.find((path) => namesOf(runs, path).length <= MOST_SERIES) ?? '';
  return { x, series, panels: paths.filter((path) => path !== x && path !== series) };
}

function namesOf(runs: readonly SweptResult[], path: string): string[] {
  return [...new Set(runs.map(({ values }) => values[path] ?? ''))];
}

interface Numbers {
  readonly values: readonly number[];
  readonly unit: string;
}

/** Of texts that are numbers of one unit, such as 10ms and 20ms; null of others. */
function numbersOf(texts: readonly string[]): Numbers | null {
  const parts = texts.map((text) => /^(-?\d+(?:\.\d+)?(?:e-?\d+)?) *([a-z%]*)$/i.exec(text));
  const units = new Set(parts.map((part) => part?.[2]));
  const [unit] = units;
  if (units.size !== 1 || unit === undefined) return null;
  return { values: parts.map((part) => Number(part?.[1])), unit };
}

interface Panel {
  readonly measure: Measure;
  readonly unit: Unit;
  /** Empty where there is one. */
  readonly panel: string;
}

function chartOf(runs: readonly SweptResult[], roles: Roles, { measure, unit, panel }: Panel): Chart {
  const names = namesOf(runs, roles.x);
  const numbers = names.length > 1 ? numbersOf(names) : null;
  const title = panel === '' ? measure.title : `${measure.title}: ${panel}`;
  const y = { name: unit.name === '' ? measure.title : `${measure.title} (${unit.name})` };
  const series = [...groupBy(runs, (run) => nameOf(run, [roles.series]))].map(([name, own]) => ({
    name: name === '' ? measure.title : name,
    intervals: names.map((value) => scaled(intervalAt(own, [roles.x, value], measure), unit)),
  }));
  if (numbers === null) return barsOf({ title, y, x: { name: roles.x } }, names.map(labelOf), series);
  const x = { name: axisName(roles.x, numbers.unit), scale: scaleOf(numbers.values) };
  return linesOf({ title, y, x }, numbers.values, series);
}

interface Means {
  readonly name: string;
  readonly intervals: readonly (Interval | null)[];
}

function barsOf(
  axes: { title: string; y: { name: string }; x: { name: string } },
  groups: string[],
  series: readonly Means[],
): Chart {
  const bars = series.map(({ name, intervals }) => ({
    name,
    values: intervals.map((interval) => interval?.mean ?? null),
    ranges: intervals.map((interval) => interval?.range ?? null),
  }));
  return { kind: 'bars', ...axes, groups, series: bars };
}

function linesOf(
  axes: { title: string; y: { name: string }; x: { name: string; scale: 'linear' | 'log2' } },
  values: readonly number[],
  series: readonly Means[],
): Chart {
  const order = [...values.keys()].sort((one, other) => values[one] - values[other]);
  const lines = series.map(({ name, intervals }) => {
    const sorted = order.map((at) => intervals[at]);
    const end = (at: 0 | 1): number[] => sorted.map((interval) => interval?.range?.[at] ?? Number.NaN);
    const hasBand = sorted.some((interval) => interval?.range != null);
    const line = {
      name,
      x: order.map((at) => values[at]),
      y: sorted.map((interval) => interval?.mean ?? Number.NaN),
    };
    return hasBand ? { ...line, band: { low: end(0), high: end(1) } } : line;
  });
  return { kind: 'lines', ...axes, series: lines };
}

function intervalAt(runs: readonly SweptResult[], [path, value]: readonly [string, string], measure: Measure) {
  const own = runs.filter(({ values }) => (values[path] ?? '') === value);
  return intervalOf(valuesOf(own, measure));
}

function scaled(interval: Interval | null, { factor }: Unit): Interval | null {
  if (interval === null) return null;
  const { mean, range } = interval;
  return { mean: mean * factor, range: range === null ? null : [range[0] * factor, range[1] * factor] };
}

/** Values that double from one to the next, or nearly, are as far apart as others. */
function scaleOf(values: readonly number[]): 'linear' | 'log2' {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0 && most / least >= 8 ? 'log2' : 'linear';
}

function axisName(path: string, unit: string): string {
  return unit === '' ? path : `${path} (${unit})`;
}

/** Below a group of bars. */
function labelOf(value: string): string {
  return value === '' ? 'all runs' : value;
}

/** `algorithm=dx, topology.pairs=2`; of one path the value alone. */
function nameOf({ values }: SweptResult, paths: readonly string[]): string {
  const given = paths.filter((path) => path in values);
  return given.length === 1 ? values[given[0]] : given.map((path) => `${path}=${values[path]}`).join(', ');
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
