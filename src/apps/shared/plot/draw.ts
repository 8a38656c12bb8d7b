/**
 * Draws a chart as SVG text with echarts, on the server, without a browser. The same chart gives the same bytes on every machine. Importing this file
 * loads echarts (a quarter of a second), so a command imports it when it has something to draw, not when it starts.
 */
// Each registers itself. `echarts/charts` and `echarts/components` name them too, but load all there are: twice the time.
import 'echarts/lib/chart/bar.js';
import 'echarts/lib/chart/custom.js';
import 'echarts/lib/chart/line.js';
import 'echarts/lib/chart/scatter.js';
import 'echarts/lib/component/gridSimple.js';
import 'echarts/lib/component/legendPlain.js';
import 'echarts/lib/component/markLine.js';
import 'echarts/lib/component/title.js';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { assert } from '../../../base/assert.js';
import type { BarChart as Bars, Chart, LineChart as Lines, ScatterChart as Scatter } from './chart.js';
import { groupAxis, legendOptions, referenceSeries, titleOptions, valueAxis } from './frame-options.js';
import { type Layout, layoutOf } from './layout.js';
import { type Scale, type ScaleRoom, scaleOf } from './scale.js';
import { barOptions, lineOptions, MAX_MARKERS, scatterOptions, thinnedLines } from './series-options.js';
import { MAX_SERIES } from './style.js';
import { plainSvg } from './svg.js';

use(SVGRenderer);

const Y_ROOM: ScaleRoom = { ticks: 6, fromZero: true, toTicks: true, padding: 0 };
/** Lines may touch the frame at the sides; markers may not. */
const X_ROOM: ScaleRoom = { ticks: 7, fromZero: false, toTicks: false, padding: 0 };
const MARKER_ROOM: ScaleRoom = { ...X_ROOM, padding: 0.03 };
const SCATTER_ROOM: ScaleRoom = { ...X_ROOM, padding: 0.08 };

/** What differs between the kinds of charts. */
interface Parts {
  readonly y: Scale;
  readonly hasMarkers: boolean;
  series(layout: Layout): readonly object[];
  xAxis(layout: Layout): object;
}

/** At most 28 series, each told from the others; lines of any length are thinned so that their peaks stay. */
export function drawChart(chart: Chart): string {
  assert(chart.series.length <= MAX_SERIES, 'more series than can be told apart');
  const { y, series, hasMarkers, xAxis } = partsOf(chart);
  const layout = layoutOf(chart, y);
  const option = {
    animation: false,
    backgroundColor: '#ffffff',
    title: titleOptions(chart, layout),
    legend: legendOptions(chart, layout, hasMarkers),
    grid: { left: layout.left, top: layout.top, width: layout.plotWidth, height: layout.plotHeight },
    xAxis: xAxis(layout),
    yAxis: valueAxis('y', chart.y.name, y, layout),
    series: [...series(layout), ...referenceSeries(chart, y, layout)],
  };
  return plainSvg(rendered(option, layout), chart.title ?? `${chart.y.name} by ${chart.x.name}`);
}

function rendered(option: EChartsCoreOption, { width, height }: Layout): string {
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    drawing.setOption(option);
    return drawing.renderToSVGString();
  } finally {
    drawing.dispose();
  }
}

function partsOf(chart: Chart): Parts {
  switch (chart.kind) {
    case 'lines':
      return lineParts(chart);
    case 'bars':
      return barParts(chart);
    case 'scatter':
      return scatterParts(chart);
  }
}

function lineParts(chart: Lines): Parts {
  const lines = thinnedLines(chart);
  const hasMarkers = lines.every(({ x }) => x.length <= MAX_MARKERS) && !chart.series.some(({ stepped }) => stepped);
  const x = scaleOf(
    chart.x,
    lines.flatMap((line) => line.x),
    hasMarkers ? MARKER_ROOM : X_ROOM,
  );
  const values = lines.flatMap(({ y, band }) => [...y, ...(band?.low ?? []), ...(band?.high ?? [])]);
  return {
    y: yScale(chart, values),
    series: () => lineOptions(chart, lines, hasMarkers),
    hasMarkers,
    xAxis: (layout) => valueAxis('x', chart.x.name, x, layout),
  };
}

function barParts(chart: Bars): Parts {
  const tops = chart.series.flatMap((series) => series.values).filter((value) => value !== null);
  // On a logarithmic axis a bar begins below its value, or nobody would see the smallest.
  const values = (chart.y.scale ?? 'linear') === 'linear' ? tops : tops.flatMap((top) => [top / 2, top]);
  const xAxis = (layout: Layout): object => groupAxis(chart.x.name, chart.groups, layout.plotWidth);
  return { y: yScale(chart, values), series: () => barOptions(chart), hasMarkers: true, xAxis };
}

function scatterParts(chart: Scatter): Parts {
  const points = chart.series.flatMap((series) => series.points);
  const x = scaleOf(
    chart.x,
    points.map((point) => point.x),
    SCATTER_ROOM,
  );
  const y = scaleOf(
    chart.y,
    points.map((point) => point.y),
    { ...SCATTER_ROOM, ticks: Y_ROOM.ticks },
  );
  return {
    y,
    series: (layout) => scatterOptions(chart, { x, y, layout }),
    hasMarkers: true,
    xAxis: (layout) => valueAxis('x', chart.x.name, x, layout),
  };
}

/** Reference lines count as data: they show where the paper is. */
function yScale(chart: Chart, values: readonly number[]): Scale {
  return scaleOf(chart.y, [...values, ...(chart.references ?? []).map(({ y }) => y)], Y_ROOM);
}
