/** Draws a chart as SVG text, without a browser. The same chart gives the same bytes on every machine. */
import { assert } from '../../base/assert.js';
import type { BarChart, Chart, LineChart, ScatterChart } from './chart.js';
import { legend, referenceLines, title, xAxis, yAxis } from './frame.js';
import { type Layout, layoutOf } from './layout.js';
import {
  type Axes,
  barIcon,
  barMarks,
  groupWidth,
  lineIcon,
  lineMarks,
  markerIcon,
  markers,
  pointLabels,
  thinnedLines,
} from './marks.js';
import { groupScale, placedScale, type Scale, type ScaleRoom, scaleOf } from './scale.js';
import { FONT_FAMILY, FONT_PX, INK, MAX_SERIES } from './style.js';
import { element } from './svg.js';

const Y_ROOM: ScaleRoom = { ticks: 7, fromZero: true, toTicks: true, padding: 0 };
/** Lines may touch the frame at the sides; markers may not. */
const X_ROOM: ScaleRoom = { ticks: 9, fromZero: false, toTicks: false, padding: 0 };
const MARKER_ROOM: ScaleRoom = { ...X_ROOM, padding: 0.03 };
const SCATTER_ROOM: ScaleRoom = { ...X_ROOM, padding: 0.08 };
/** Most points of a line that has markers (ours). */
const MAX_MARKERS = 40;

/** What differs between the kinds of charts. */
interface Plot {
  readonly x: Scale;
  readonly y: Scale;
  /** Labels of the x axis are cut to this. */
  labelRoomPx?(axes: Axes): number;
  icon(at: number): string[];
  /** What is cut off at the frame. */
  clipped(axes: Axes, layout: Layout): string[];
  unclipped(axes: Axes, layout: Layout): string[];
}

/** One of several drawings side by side, which share a legend and the range of their y axes. */
export interface Shared {
  /** Values of the other drawings that the y axis has room for too. */
  readonly yValues: readonly number[];
}

/** At most 28 series, each told from the others; lines of any length are thinned so that their peaks stay. `shared`: the legend stands elsewhere. */
export function drawChart(chart: Chart, shared?: Shared): string {
  assert(chart.series.length <= MAX_SERIES, 'more series than can be told apart');
  const plot = plotOf(chart, shared?.yValues ?? []);
  const layout = layoutOf(chart, plot.y, shared === undefined);
  const { width, height } = layout;
  const axes = {
    x: placedScale(plot.x, layout.left, layout.right),
    y: placedScale(plot.y, layout.bottom, layout.top),
  };
  const label = chart.title ?? `${chart.y.name} by ${chart.x.name}`;
  const font = { 'font-family': FONT_FAMILY, 'font-size': FONT_PX, fill: INK };
  const xmlns = 'http://www.w3.org/2000/svg';
  return element(
    'svg',
    { xmlns, role: 'img', 'aria-label': label, width, height, viewBox: `0 0 ${width} ${height}`, ...font },
    [
      element('rect', { width, height, fill: '#ffffff' }),
      ...title(chart.title, layout),
      ...legend(chart, layout, (at) => plot.icon(at)),
      ...xAxis(axes.x, chart.x.name, layout, plot.labelRoomPx?.(axes)),
      ...yAxis(axes.y, chart.y.name, layout),
      clip(plot.clipped(axes, layout), layout),
      ...referenceLines(chart, axes.y, layout),
      ...plot.unclipped(axes, layout),
    ],
  );
}

/** An SVG inside the SVG cuts off what is beyond it; a line along the frame stays whole. */
function clip(marks: readonly string[], { left, top, right, bottom }: Layout): string {
  const [x, y, width, height] = [left - 1, top - 1, right - left + 2, bottom - top + 2];
  return element('svg', { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` }, marks);
}

/** A sample of each series, as the legend shows it, around 0,0. */
export function seriesIcons(chart: Chart): string[][] {
  const plot = plotOf(chart, []);
  return chart.series.map((_, at) => plot.icon(at));
}

/** All that the y axis of a chart has room for but reference lines. */
export function yValuesOf(chart: Chart): number[] {
  if (chart.kind === 'lines') return lineValues(thinnedLines(chart));
  if (chart.kind === 'scatter') return chart.series.flatMap(({ points }) => points.map(({ y }) => y));
  const tops = chart.series
    .flatMap(({ values, ranges = [] }) => [...values, ...ranges.flat()])
    .filter((top) => top !== null);
  // On a logarithmic axis a bar begins below its value, or nobody would see the smallest.
  return (chart.y.scale ?? 'linear') === 'linear' ? tops : tops.flatMap((top) => [top / 2, top]);
}

function plotOf(chart: Chart, yValues: readonly number[]): Plot {
  switch (chart.kind) {
    case 'lines':
      return linePlot(chart, yValues);
    case 'bars':
      return barPlot(chart, yValues);
    case 'scatter':
      return scatterPlot(chart, yValues);
  }
}

/** Either all lines have markers or none has: a marker here and there would look like an event. */
function linePlot(chart: LineChart, yValues: readonly number[]): Plot {
  const lines = thinnedLines(chart);
  const hasMarkers = lines.every(({ x }) => x.length <= MAX_MARKERS) && !chart.series.some(({ stepped }) => stepped);
  const xs = lines.flatMap(({ x }) => x);
  return {
    x: scaleOf(chart.x, xs, hasMarkers ? MARKER_ROOM : X_ROOM),
    y: yScale(chart, [...lineValues(lines), ...yValues]),
    icon: (at) => lineIcon(at, hasMarkers),
    clipped: (axes) => lineMarks(chart, lines, axes),
    unclipped: (axes) => (hasMarkers ? lines.flatMap((points, at) => markers(at, points, axes)) : []),
  };
}

function lineValues(lines: ReturnType<typeof thinnedLines>): number[] {
  return lines.flatMap(({ y, band }) => [...y, ...(band?.low ?? []), ...(band?.high ?? [])]);
}

function barPlot(chart: BarChart, yValues: readonly number[]): Plot {
  return {
    x: groupScale(chart.groups),
    y: yScale(chart, [...yValuesOf(chart), ...yValues]),
    labelRoomPx: (axes) => groupWidth(axes.x) - 4,
    icon: barIcon,
    clipped: (axes, layout) => barMarks(chart, axes, layout),
    unclipped: () => [],
  };
}

function scatterPlot(chart: ScatterChart, yValues: readonly number[]): Plot {
  const series = chart.series.map(({ points }) => ({ x: points.map(({ x }) => x), y: points.map(({ y }) => y) }));
  const xs = series.flatMap(({ x }) => x);
  return {
    x: scaleOf(chart.x, xs, SCATTER_ROOM),
    y: scaleOf(chart.y, [...yValuesOf(chart), ...yValues], { ...SCATTER_ROOM, ticks: Y_ROOM.ticks }),
    icon: markerIcon,
    clipped: () => [],
    unclipped: (axes, layout) => [
      ...series.flatMap((points, at) => markers(at, points, axes)),
      ...pointLabels(chart, axes, layout),
    ],
  };
}

/** Reference lines count as data: they show where the paper is. */
function yScale(chart: Chart, values: readonly number[]) {
  return scaleOf(chart.y, [...values, ...(chart.references ?? []).map(({ y }) => y)], Y_ROOM);
}
