// Tested by test/report/run-report.test.ts
/** The figures of one run; where it has no data for one, the sentence that stands there instead. */
import { sizeClass } from '../sim/measure/completion-times.js';
import {
  type FlowResult,
  type FlowSeries,
  type LinkSeries,
  type RunSeries,
  SIZE_CLASSES,
  type SizeClass,
} from '../sim/result.js';
import type { PageFigure } from './page-data.js';
import type { Chart } from './plot/chart.js';
import { cdfSeries } from './plot/chart.js';
import { everyFlow, everyLink, flowLines, jainLine, linkLines, type SampledRun } from './run-series.js';
import { bytesUnit, largestOf, rateUnit, timeUnit, type Unit } from './units.js';

/** A chart with what stands below it. */
export interface Drawing {
  readonly chart: Chart;
  readonly caption: string;
  /** What the page's script draws instead; null where there is nothing to look into. */
  readonly data: PageFigure | null;
}

const PLAIN: Unit = { name: '', factor: 1 };

export function goodputDrawing(run: SampledRun): Drawing | string {
  return rateDrawing(run, (flow) => flow.goodputBps, { axis: 'goodput', caption: 'Payload that arrived' });
}

export function creditRateDrawing(run: SampledRun): Drawing | string {
  return rateDrawing(run, (flow) => flow.creditRateBps, {
    axis: 'credit rate',
    caption: 'Rate of the credits, as the algorithm sets it',
  });
}

/** A figure for each value that the algorithms of the sampled flows remember, of those that are numbers and change; the first eight. */
export function stateDrawings(run: SampledRun): (Drawing | string)[] {
  const names = new Set(run.series.flows.flatMap(({ state = {} }) => Object.keys(state)));
  const absent = new Float64Array(run.series.timesNs.length).fill(Number.NaN);
  return [...names]
    .map((name) => ({ name, of: ({ state = {} }: FlowSeries) => state[name] ?? absent }))
    .filter(({ of }) => run.series.flows.some((flow) => changes(of(flow))))
    .slice(0, MAX_STATES)
    .map(({ name, of }) => {
      const caption = `What the algorithm remembers as ${name}`;
      return flowDrawing(run, of, { value: PLAIN, axis: name, caption });
    });
}

/** More figures of this kind than these would hide the others. */
const MAX_STATES = 8;

function changes(values: Float64Array): boolean {
  const known = values.filter(Number.isFinite);
  return known.some((value) => value !== known[0]);
}

function rateDrawing(
  run: SampledRun,
  of: (flow: FlowSeries) => Float64Array,
  text: { axis: string; caption: string },
): Drawing | string {
  const value = rateUnit(largestOf(run.series.flows.map((flow) => largestOf(of(flow)))));
  return flowDrawing(run, of, { value, axis: `${text.axis} (${value.name})`, caption: text.caption });
}

interface LineText {
  readonly value: Unit;
  readonly axis: string;
  readonly caption: string;
}

function flowDrawing(run: SampledRun, of: (flow: FlowSeries) => Float64Array, text: LineText): Drawing | string {
  const { flows } = run.series;
  if (flows.length === 0) return `${text.caption}: no flow was sampled.`;
  const time = runTime(run.series);
  const { lines, what } = flowLines(run, of, { time, value: text.value });
  const every = everyFlow(run, of, { time, value: text.value });
  const total = run.result.flows.length;
  const part = flows.length < total ? ` Of ${total} flows, ${flows.length} were sampled.` : '';
  return {
    chart: { kind: 'lines', x: timeAxis(time), y: { name: text.axis }, series: lines },
    caption: `${text.caption}: ${what}.${part}`,
    data: {
      kind: 'flows',
      xName: timeAxis(time).name,
      yName: text.axis,
      caption: `${text.caption}: a line for each flow that is picked.`,
      ...every,
    },
  };
}

export function dataQueueDrawing(run: SampledRun): Drawing | string {
  const value = bytesUnit(largestOf(run.series.links.map((link) => largestOf(link.dataQueueBytes))));
  return linkDrawing(run, (link) => link.dataQueueBytes, {
    value,
    axis: `data queue (${value.name})`,
    caption: 'The most that the data queue held in each interval',
  });
}

export function creditQueueDrawing(run: SampledRun): Drawing | string {
  const caption = 'Credits in the queue at the end of each interval';
  return linkDrawing(run, (link) => link.creditQueueFrames, { value: PLAIN, axis: 'credit queue (credits)', caption });
}

export function utilisationDrawing(run: SampledRun): Drawing | string {
  const caption = "Data on the wire as a part of the link's data share";
  return linkDrawing(run, (link) => link.utilisation, { value: PLAIN, axis: 'utilisation', caption });
}

function linkDrawing(run: SampledRun, values: (link: LinkSeries) => Float64Array, text: LineText): Drawing | string {
  if (run.series.links.length === 0) return `${text.caption}: no link was sampled.`;
  const time = runTime(run.series);
  const { lines, what } = linkLines(run, values, { time, value: text.value });
  if (lines.length === 0) return `${text.caption}: none on ${what}.`;
  return {
    chart: { kind: 'lines', x: timeAxis(time), y: { name: text.axis }, series: lines },
    caption: `${text.caption}: ${what}.`,
    data: {
      kind: 'links',
      xName: timeAxis(time).name,
      yName: text.axis,
      caption: `${text.caption}: a line for each link that is picked.`,
      ...everyLink(run, values, { time, value: text.value }),
    },
  };
}

/** Over the windows that the run's own result has, where the samples are dense enough for them. */
export function jainDrawing(run: SampledRun): Drawing | string {
  const { series, result } = run;
  const time = runTime(series);
  const windows = result.jainByWindow
    .map(({ windowNs }) => windowNs)
    .filter((windowNs) => windowNs >= series.intervalNs);
  const windowsNs = windows.length > 0 ? windows : [series.intervalNs];
  const lines = windowsNs
    .map((windowNs) => jainLine(run, windowNs, time))
    .filter(({ y }) => largestOf(Array.from(y)) > 0);
  if (lines.length === 0) return 'Fairness: no two sampled flows lasted through one window.';
  const sampled = series.flows.length < result.flows.length ? ` of the ${series.flows.length} sampled flows` : '';
  return {
    chart: { kind: 'lines', x: timeAxis(time), y: { name: "Jain's index", min: 0, max: 1 }, series: lines },
    caption: `Fairness${sampled}: Jain's index ${lines.map(({ name }) => name).join(' and ')}, among the flows that lasted through the window.`,
    data: null,
  };
}

/** Of the flows that are complete, by size class; one class alone is drawn as all flows. */
export function completionDrawing(flows: readonly FlowResult[]): Drawing | string {
  const complete = flows.filter(({ bytes, fctNs }) => bytes !== null && fctNs !== null);
  if (complete.length === 0) return 'No flow with an end is complete.';
  const unit = timeUnit(largestOf(complete.map(({ fctNs }) => fctNs ?? 0)));
  const classes = SIZE_CLASSES.map((name) => ({ name, members: complete.filter((flow) => isOf(flow, name)) })).filter(
    ({ members }) => members.length > 0,
  );
  const shown = classes.length === 2 ? classes.slice(0, 1) : classes;
  return {
    chart: {
      kind: 'lines',
      x: { name: `flow completion time (${unit.name})`, scale: 'log10' },
      y: { name: 'share of flows', min: 0, max: 1 },
      series: shown.map(({ name, members }) =>
        cdfSeries(
          `${name} (${members.length})`,
          members.map(({ fctNs }) => (fctNs ?? 0) * unit.factor),
        ),
      ),
    },
    caption: `Flow completion times of ${complete.length} flows, cumulative${shown.length > 1 ? ': S < 10 kB <= M < 100 kB <= L < 1 MB <= XL' : ''}.`,
    data: null,
  };
}

function isOf({ bytes }: FlowResult, name: SizeClass): boolean {
  return name === 'all' || (bytes !== null && sizeClass(bytes) === name);
}

/** The unit of the time axis. */
export function runTime({ timesNs }: RunSeries): Unit {
  return timeUnit(largestOf(timesNs));
}

function timeAxis({ name }: Unit) {
  return { name: `time (${name})`, min: 0 };
}
