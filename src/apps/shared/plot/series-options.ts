// Tested by test/apps/shared/plot/draw.test.ts
/** The data of a chart as series of echarts. */
import type { BarSeriesOption, CustomSeriesOption, LineSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import type { BarChart, LineChart, ScatterChart, ScatterPoint } from './chart.js';
import { decimate, type Points } from './decimate.js';
import { seriesKey, TEXT } from './frame-options.js';
import { type Edges, type LabelledPoint, type LabelPlace, placeLabels } from './label-places.js';
import { isDrawable, type Layout, xPixel, yPixel } from './layout.js';
import type { Scale } from './scale.js';
import { FONT_PX, LINE_PX, MARKER_PX, type SeriesStyle, seriesStyle, textWidthPx } from './style.js';

/** Points of all lines of one drawing: at 12 bytes each they keep it below 300 KB. */
const POINT_BUDGET = 16_000;
/** Two for each column of pixels; more cannot be seen. */
const MAX_POINTS = 1200;
/** Lines with at most so many points have markers. */
export const MAX_MARKERS = 40;
/** From so many points on lines are thinner, so that those below show. */
const DENSE = 200;
const DENSE_LINE_PX = 1.1;

/** Text of the labels of points. */
const LABEL_PX = FONT_PX - 2;

/** What a drawing of lines shows, thinned. */
export function thinnedLines({ series }: LineChart): Points[] {
  const cost = series.reduce((sum, { stepped, band }) => sum + (stepped ? 2 : 1) + (band === undefined ? 0 : 2), 0);
  const limit = Math.max(4, Math.min(MAX_POINTS, Math.floor(POINT_BUDGET / Math.max(1, cost))));
  return series.map((line) => decimate(line, limit));
}

/** Either all lines have markers or none has: a marker here and there would look like an event. */
export function lineOptions(
  chart: LineChart,
  lines: readonly Points[],
  hasMarkers: boolean,
): (LineSeriesOption | CustomSeriesOption)[] {
  return chart.series.flatMap((series, at) => [
    ...bandOptions(chart, lines[at], at),
    {
      type: 'line' as const,
      name: seriesKey(at),
      silent: true,
      z: 3,
      data: drawablePairs(chart, lines[at]),
      ...(series.stepped ? { step: 'end' as const } : {}),
      ...markerOption(seriesStyle(at)),
      ...(hasMarkers ? { showAllSymbol: true } : { symbol: 'none' }),
      lineStyle: {
        color: seriesStyle(at).colour,
        width: lines[at].x.length > DENSE ? DENSE_LINE_PX : LINE_PX,
        type: seriesStyle(at).dash,
        join: 'round' as const,
      },
    },
  ]);
}

/** A gap where the axes have no place for a point. */
function drawablePairs(chart: LineChart, { x, y }: Points): [number, number][] {
  return x.map((value, at) => [value, isDrawable(value, chart.x) && isDrawable(y[at], chart.y) ? y[at] : Number.NaN]);
}

function markerOption({ colour, marker }: SeriesStyle) {
  return { symbol: marker, symbolSize: MARKER_PX, itemStyle: { color: colour, borderWidth: LINE_PX, opacity: 1 } };
}

/** The area between the lowest and the highest, one polygon there and back for each stretch without a gap. */
function bandOptions(chart: LineChart, { x, band }: Points, at: number): CustomSeriesOption[] {
  if (band === undefined) return [];
  const { low, high } = band;
  const stretches = stretchesOf(x.length, (index) => {
    return isDrawable(x[index], chart.x) && isDrawable(low[index], chart.y) && isDrawable(high[index], chart.y);
  });
  const outline = (stretch: readonly number[]): [number, number][] => [
    ...stretch.map((index): [number, number] => [x[index], high[index]]),
    ...stretch.toReversed().map((index): [number, number] => [x[index], low[index]]),
  ];
  return [
    {
      type: 'custom',
      silent: true,
      clip: true,
      z: 2,
      data: [...stretches.keys()],
      renderItem: ({ dataIndex }, { coord }) => ({
        type: 'polygon',
        shape: { points: outline(stretches[dataIndex]).map((corner) => coord(corner)) },
        style: { fill: seriesStyle(at).colour, opacity: 0.18 },
      }),
    },
  ];
}

/** Runs of two or more indices below `count` that are wanted. */
function stretchesOf(count: number, isWanted: (index: number) => boolean): number[][] {
  const stretches: number[][] = [];
  let open: number[] | null = null;
  for (let index = 0; index < count; index++) {
    if (!isWanted(index)) {
      open = null;
    } else if (open === null) {
      open = [index];
      stretches.push(open);
    } else {
      open.push(index);
    }
  }
  return stretches.filter(({ length }) => length > 1);
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

/** Where the points of a chart are drawn. */
export interface Place {
  readonly x: Scale;
  readonly y: Scale;
  readonly layout: Layout;
}

/** Labels that find no place among the points are left out. */
export function scatterOptions(chart: ScatterChart, place: Place): ScatterSeriesOption[] {
  const shown = chart.series.map(({ points }) =>
    points.filter(({ x, y }) => isDrawable(x, chart.x) && isDrawable(y, chart.y)),
  );
  const labels = placeLabels(
    shown.flat().map((point) => labelledPoint(point, place)),
    edges(place.layout),
    { marker: MARKER_PX + 3, lineHeight: LABEL_PX + 2 },
  );
  let next = 0;
  return shown.map((points, at) => ({
    type: 'scatter',
    name: seriesKey(at),
    silent: true,
    ...markerOption(seriesStyle(at)),
    symbolSize: MARKER_PX + 1,
    data: points.map(({ x, y, label }) => ({ value: [x, y], name: label ?? '', label: labelOption(labels[next++]) })),
    label: {
      ...TEXT,
      fontSize: LABEL_PX,
      formatter: '{b}',
      align: 'center' as const,
      verticalAlign: 'middle' as const,
    },
  }));
}

function labelledPoint({ x, y, label }: ScatterPoint, place: Place): LabelledPoint {
  const width = label === undefined ? 0 : textWidthPx(label, LABEL_PX);
  return { x: xPixel(x, place.x, place.layout), y: yPixel(y, place.y, place.layout), width };
}

function edges({ left, top, plotWidth, plotHeight }: Layout): Edges {
  return { left: left + 2, top, right: left + plotWidth + MARKER_PX, bottom: top + plotHeight - 2 };
}

function labelOption(place: LabelPlace | null) {
  return place === null ? { show: false } : { show: true, position: 'inside' as const, offset: [place.dx, place.dy] };
}
