/** The series of a run as lines: which flows and links are drawn, and when a flow takes part. */

import { displayDuration } from '../base/display.js';
import { jainIndex } from '../sim/measure/jain.js';
import type { FlowResult, FlowSeries, LinkSeries, RunSeries, SimulationResult } from '../sim/result.js';
import type { PageLine } from './page-data.js';
import type { LineSeries } from './plot/chart.js';
import { largestOf, type Unit } from './units.js';

/** More lines than these cannot be followed in one figure. */
const MAX_LINES = 8;

/** What figures need of a result. */
export type DrawnResult = Pick<SimulationResult, 'flows' | 'jainByWindow'>;

/** A run's series with what the result says about each of its flows. */
export interface SampledRun {
  readonly series: RunSeries;
  readonly result: DrawnResult;
  /** Of `series.flows`, one each. */
  readonly lives: readonly Life[];
}

/** Lines of a page's script: all that were sampled. */
export interface EveryLine {
  readonly x: number[];
  readonly lines: PageLine[];
}

/** A line for each flow; those that brought most are shown at first. */
export function everyFlow(run: SampledRun, valuesOf: (flow: FlowSeries) => Float64Array, units: Units): EveryLine {
  const { flows, timesNs } = run.series;
  const bytes = flows.map(({ goodputBps }) => sum(goodputBps));
  const names = flowNames(flows);
  const lines = flows.map((flow, at) => ({ name: names[at], values: alive(run, at, valuesOf(flow)) }));
  return { x: plainScaled(timesNs, units.time), lines: pageLines(lines, largest(bytes), units.value) };
}

/** A line for each link; those with the longest data queues are shown at first, and then the busiest. */
export function everyLink(run: SampledRun, valuesOf: (link: LinkSeries) => Float64Array, units: Units): EveryLine {
  const { links, timesNs } = run.series;
  const loads = links.map(
    ({ dataQueueBytes, utilisation }) => largestOf(dataQueueBytes) + sum(utilisation) / timesNs.length,
  );
  const lines = links.map((link) => ({ name: link.name, values: valuesOf(link) }));
  return { x: plainScaled(timesNs, units.time), lines: pageLines(lines, largest(loads), units.value) };
}

function pageLines(
  lines: readonly { name: string; values: Float64Array }[],
  shown: ReadonlySet<number>,
  unit: Unit,
): PageLine[] {
  return lines.map(({ name, values }, at) => ({ name, y: plainScaled(values, unit), isShown: shown.has(at) }));
}

/** The places of the largest values, as many as a chart has room for. */
function largest(values: readonly number[]): ReadonlySet<number> {
  return new Set([...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, MAX_LINES));
}

/** A plain array, as JSON writes one. */
function plainScaled(values: Float64Array, { factor }: Unit): number[] {
  return Array.from(values, (value) => value * factor);
}

/** When a flow takes part, ns. */
interface Life {
  readonly startNs: number;
  readonly endNs: number;
}

export function sampledRun(result: DrawnResult, series: RunSeries): SampledRun {
  const byId = new Map(result.flows.map((flow) => [flow.id, flow]));
  return { series, result, lives: series.flows.map((flow) => lifeOf(byId.get(flow.id), flow, series)) };
}

/** A flow that failed has no time of its end: it took part until something arrived for the last time. */
function lifeOf(flow: FlowResult | undefined, sampled: FlowSeries, { timesNs }: RunSeries): Life {
  if (flow === undefined) return { startNs: 0, endNs: Number.POSITIVE_INFINITY };
  const { startNs, fctNs, error } = flow;
  if (fctNs !== null) return { startNs, endNs: startNs + fctNs };
  if (error === null) return { startNs, endNs: Number.POSITIVE_INFINITY };
  return { startNs, endNs: timesNs[sampled.goodputBps.findLastIndex((rate) => rate > 0)] ?? startNs };
}

export interface Units {
  readonly time: Unit;
  readonly value: Unit;
}

export interface Lines {
  readonly lines: LineSeries[];
  /** What the lines are, as the end of a sentence about them. */
  readonly what: string;
}

/**
 * A line for each flow; or, where there are more than eight, one for each group: the mean of its flows with the band from the lowest to the highest. Gaps where
 * a flow, or all of a group, takes no part.
 */
export function flowLines(run: SampledRun, valuesOf: (flow: FlowSeries) => Float64Array, units: Units): Lines {
  const x = scaled(run.series.timesNs, units.time);
  const flows = run.series.flows.map((flow, at) => scaled(alive(run, at, valuesOf(flow)), units.value));
  if (flows.length <= MAX_LINES) {
    const names = flowNames(run.series.flows);
    return {
      lines: flows.map((y, at) => ({ name: names[at], x, y })),
      what: names.length === 1 ? names[0] : 'one line a flow',
    };
  }
  const groups = new Map<string, Float64Array[]>(run.series.flows.map(({ group }) => [group, []]));
  run.series.flows.forEach(({ group }, at) => {
    groups.get(group)?.push(flows[at]);
  });
  const lines = [...groups].slice(0, MAX_LINES).map(([group, members]) => groupLine(group, x, members));
  const left = groups.size - lines.length;
  const whose = groups.size === 1 ? lines[0].name : 'each group of flows';
  const omitted = left > 0 ? `; ${left} more groups are left out` : '';
  return { lines, what: `mean of ${whose}, and the band from the lowest to the highest${omitted}` };
}

/**
 * A line for each link, or for the eight with the largest values; in the order of the series, so that a link looks the same in every figure. None where all
 * values are 0; `what` names the links then.
 */
export function linkLines(run: SampledRun, values: (link: LinkSeries) => Float64Array, units: Units): Lines {
  const { timesNs, links } = run.series;
  const peaks = links.map((link) => largestOf(values(link)));
  const highest = [...links.keys()].sort((a, b) => peaks[b] - peaks[a]).slice(0, MAX_LINES);
  const shown = links.filter((_, at) => highest.includes(at));
  if (!peaks.some((peak) => peak > 0)) return { lines: [], what: nameList(shown) };
  const x = scaled(timesNs, units.time);
  const lines = shown.map((link) => ({ name: link.name, x, y: scaled(values(link), units.value) }));
  if (shown.length < links.length) return { lines, what: `the ${shown.length} highest of ${links.length} links` };
  return { lines, what: shown.length === 1 ? nameList(shown) : 'one line a link' };
}

function nameList(named: readonly { name: string }[]): string {
  return named.map(({ name }) => name).join(', ');
}

/**
 * Jain's index of what arrived of each flow in windows of this length, by the time at which the window ended; a gap where fewer than two flows took
 * part from its beginning to its end. The window is rounded to whole intervals.
 */
export function jainLine({ series, lives }: SampledRun, windowNs: number, time: Unit): LineSeries {
  const { intervalNs, timesNs } = series;
  const length = Math.max(1, Math.round(windowNs / intervalNs));
  const [x, y]: [number[], number[]] = [[], []];
  for (let from = 0; from + length <= timesNs.length; from += length) {
    const [startNs, endNs] = [timesNs[from] - intervalNs, timesNs[from + length - 1]];
    if (isCutShort(timesNs, from + length - 1, intervalNs)) break;
    const shares = series.flows
      .filter((_, at) => lives[at].startNs <= startNs && lives[at].endNs >= endNs)
      .map(({ goodputBps }) => sum(goodputBps.subarray(from, from + length)));
    x.push(endNs * time.factor);
    y.push(shares.length < 2 ? Number.NaN : jainIndex(shares));
  }
  return { name: `over ${displayDuration(length * intervalNs)}`, x, y };
}

/** The last interval may end with the run, before its time. */
function isCutShort(timesNs: Float64Array, at: number, intervalNs: number): boolean {
  return at > 0 && timesNs[at] - timesNs[at - 1] < 0.99 * intervalNs;
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The values while the flow takes part, NaN elsewhere. */
function alive({ series, lives }: SampledRun, at: number, values: Float64Array): Float64Array {
  const { startNs, endNs } = lives[at];
  const { timesNs, intervalNs } = series;
  return values.map((value, index) =>
    timesNs[index] > startNs && timesNs[index] - intervalNs < endNs ? value : Number.NaN,
  );
}

function scaled(values: Float64Array, { factor }: Unit): Float64Array {
  return values.map((value) => value * factor);
}

/** Its label; with its id where another flow has the same. */
function flowNames(flows: readonly FlowSeries[]): string[] {
  const labels = flows.map(({ label }) => label);
  return flows.map(({ label, id }) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} #${id}`,
  );
}

function groupLine(group: string, x: Float64Array, members: readonly Float64Array[]): LineSeries {
  const [y, low, high] = [x.slice(), x.slice(), x.slice()];
  for (let at = 0; at < x.length; at++) {
    const values = members.map((member) => member[at]).filter(Number.isFinite);
    y[at] = values.reduce((total, value) => total + value, 0) / values.length;
    low[at] = values.reduce((lowest, value) => Math.min(lowest, value), Infinity);
    high[at] = values.reduce((highest, value) => Math.max(highest, value), -Infinity);
  }
  return { name: `${group} (${members.length} flows)`, x, y, band: { low, high } };
}
