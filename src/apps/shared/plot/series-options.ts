/** The data of a chart as series of echarts. */
import type { BarSeriesOption, CustomSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type { BarChart, LineChart, LineSeries, ScatterChart } from './chart.js';
import { decimate, type Points } from './decimate.js';
import { seriesKey, TEXT } from './frame-options.js';
import { isDrawable } from './layout.js';
import { FONT_PX, LINE_PX, MARKER_PX, type SeriesStyle, seriesStyle } from './style.js';

/** Points of all lines of one drawing: at 12 bytes each they keep it below 300 KB. */
const POINT_BUDGET = 16_000;
/** Two for each column of pixels; more cannot be seen. */
const MAX_POINTS = 1200;
/** Lines with at most so many points have markers. */
export const MAX_MARKERS = 40;

/** What a drawing of lines shows, thinned. */
export function thinnedLines({ series }: LineChart): Points[] {
  const cost = series.reduce((sum, { stepped, band }) => sum + (stepped ? 2 : 1) + (band === undefined ? 0 : 2), 0);
  const limit = Math.max(4, Math.min(MAX_POINTS, Math.floor(POINT_BUDGET / Math.max(1, cost))));
  return series.map((line) => decimate(line, limit));
}

export function lineOptions(chart: LineChart, lines: readonly Points[]): (LineSeriesOption | CustomSeriesOption)[] {
  return chart.series.flatMap((series, at) => [
    ...(lines[at].band === undefined ? [] : [bandOption(chart, lines[at], at)]),
    lineOption(chart, series, { at, points: lines[at] }),
  ]);
}

function lineOption(
  chart: LineChart,
  series: LineSeries,
  { at, points }: { at: number; points: Points },
): LineSeriesOption {
  const style = seriesStyle(at);
  const isShown = (index: number): boolean =>
    isDrawable(points.x[index], chart.x) && isDrawable(points.y[index], chart.y);
  return {
    type: 'line',
    name: seriesKey(at),
    silent: true,
    z: 3,
    data: points.x.map((x, index) => (isShown(index) ? [x, points.y[index]] : [x, Number.NaN])),
    ...(series.stepped ? { step: 'end' as const } : {}),
    showAllSymbol: true,
    ...markerOption(style),
    ...(series.stepped || points.x.length > MAX_MARKERS ? { symbol: 'none' } : {}),
    lineStyle: { color: style.colour, width: LINE_PX, type: style.dash, join: 'round' },
  };
}

function markerOption({ colour, marker }: SeriesStyle) {
  return { symbol: marker, symbolSize: MARKER_PX, itemStyle: { color: colour, borderWidth: LINE_PX, opacity: 1 } };
}

/** The area between the lowest and the highest, there and back; only where both can be drawn. */
function bandOption(chart: LineChart, { x, band }: Points, at: number): CustomSeriesOption {
  const shown = x
    .map((_, index) => index)
    .filter(
      (index) =>
        [x[index]].every((value) => isDrawable(value, chart.x)) &&
        [band!.low[index], band!.high[index]].every((value) => isDrawable(value, chart.y)),
    );
  return {
    type: 'custom',
    silent: true,
    clip: true,
    z: 2,
    data: [0],
    renderItem: (_, { coord }) => ({
      type: 'polygon',
      shape: {
        points: [
          ...shown.map((index) => coord([x[index], band!.high[index]])),
          ...shown.toReversed().map((index) => coord([x[index], band!.low[index]])),
        ],
      },
      style: { fill: seriesStyle(at).colour, opacity: 0.18 },
    }),
  };
}

export function barOptions(chart: BarChart): BarSeriesOption[] {
  return chart.series.map(({ values }, at) => ({
    type: 'bar',
    name: seriesKey(at),
    silent: true,
    data: values.map((value) => (value !== null && isDrawable(value, chart.y) ? value : '-')),
    barGap: '0%',
    barCategoryGap: '30%',
    itemStyle: { color: seriesStyle(at).colour, borderColor: '#000000', borderWidth: 0.75 },
  }));
}

export function scatterOptions(chart: ScatterChart): ScatterSeriesOption[] {
  return chart.series.map(({ points }, at) => ({
    type: 'scatter',
    name: seriesKey(at),
    silent: true,
    ...markerOption(seriesStyle(at)),
    symbolSize: MARKER_PX + 1,
    data: points
      .filter(({ x, y }) => isDrawable(x, chart.x) && isDrawable(y, chart.y))
      .map(({ x, y, label }) => ({ value: [x, y], name: label ?? '' })),
    label: { ...TEXT, show: true, fontSize: FONT_PX - 2, position: 'right', distance: 4, formatter: '{b}' },
    labelLayout: { moveOverlap: 'shiftY', hideOverlap: false },
  }));
}
