// Tested by test/apps/shared/plot/draw.test.ts
/** The data of a chart as lines, bars and markers. */
import { area, curveLinear, curveStepAfter, line } from 'd3-shape';
import type { BarChart, LineChart, ScatterChart } from './chart.js';
import { decimate, type Points } from './decimate.js';
import { placeLabels } from './label-places.js';
import { type Layout, LEGEND_ICON } from './layout.js';
import type { PlacedScale } from './scale.js';
import { FONT_PX, INK, LINE_PX, MARKER_PX, seriesStyle, TEXT_MIDDLE, textWidthPx } from './style.js';
import { element, rounded, textElement } from './svg.js';

/** Points of all lines of one drawing: at 12 bytes each they keep it below 300 KB. */
const POINT_BUDGET = 16_000;
/** Two for each column of pixels; more cannot be seen. */
const MAX_POINTS = 1200;
/** Lines with this many points or more are thinner, so that the lines below show (ours). */
const DENSE = 200;
const DENSE_LINE_PX = 1.1;
/** Share of the room of a group that its bars take together. */
const BARS_SHARE = 0.75;
const DIGITS = 2;

/** The axes of a drawing, with their ranges. */
export interface Axes {
  readonly x: PlacedScale;
  readonly y: PlacedScale;
}

/** What a drawing of lines shows, thinned. */
export function thinnedLines({ series }: LineChart): Points[] {
  const cost = series.reduce((sum, { stepped, band }) => sum + (stepped ? 2 : 1) + (band === undefined ? 0 : 2), 0);
  const limit = Math.max(4, Math.min(MAX_POINTS, Math.floor(POINT_BUDGET / Math.max(1, cost))));
  return series.map((points) => decimate(points, limit));
}

/** Lines below, their bands below all lines. A value that its axis has no place for is a gap. */
export function lineMarks(chart: LineChart, lines: readonly Points[], { x, y }: Axes): string[] {
  const isPlace = (at: number, { x: xs }: Points, values: readonly number[]): boolean =>
    x.isDrawable(xs[at]) && y.isDrawable(values[at]);
  const paths = lines.map((points, at) => {
    const path = line<number>(
      (index) => x.px(points.x[index]),
      (index) => y.px(points.y[index]),
    )
      .defined((index) => isPlace(index, points, points.y))
      .curve(chart.series[at].stepped ? curveStepAfter : curveLinear)
      .digits(DIGITS);
    return linePath(at, path(points.x.keys()) ?? '', points.x.length);
  });
  const bands = lines.flatMap((points, at) => {
    const { band } = points;
    if (band === undefined) return [];
    const path = area<number>()
      .x((index) => x.px(points.x[index]))
      .y0((index) => y.px(band.low[index]))
      .y1((index) => y.px(band.high[index]))
      .defined((index) => isPlace(index, points, band.low) && isPlace(index, points, band.high))
      .digits(DIGITS);
    return [element('path', { d: path(points.x.keys()) ?? '', fill: seriesStyle(at).colour, 'fill-opacity': 0.18 })];
  });
  return [...bands, ...paths];
}

function linePath(at: number, d: string, points: number): string {
  const { colour, dash } = seriesStyle(at);
  const width = points > DENSE ? DENSE_LINE_PX : LINE_PX;
  const stroke = { stroke: colour, 'stroke-width': width, 'stroke-dasharray': dash, 'stroke-linejoin': 'round' };
  return element('path', { d, fill: 'none', ...stroke });
}

/** A marker at each of the points that lie on the axes; they are not clipped, so that one at the edge is whole. */
export function markers(at: number, points: Points, { x, y }: Axes): string[] {
  return points.x.flatMap((value, index) =>
    x.isInside(value) && y.isInside(points.y[index]) ? [marker(at, x.px(value), y.px(points.y[index]))] : [],
  );
}

function marker(at: number, x: number, y: number): string {
  const { colour, marker: d, markerFill } = seriesStyle(at);
  const transform = x === 0 && y === 0 ? undefined : `translate(${rounded(x)} ${rounded(y)})`;
  return element('path', { d, transform, fill: markerFill, stroke: colour, 'stroke-width': LINE_PX });
}

/** The sample of a line in the legend. */
export function lineIcon(at: number, hasMarkers: boolean): string[] {
  const half = (LEGEND_ICON - 6) / 2;
  return [linePath(at, `M${-half} 0H${half}`, 1), ...(hasMarkers ? [marker(at, 0, 0)] : [])];
}

export function markerIcon(at: number): string[] {
  return [marker(at, 0, 0)];
}

export function barIcon(at: number): string[] {
  return [bar(at, { x: -9, y: -5, width: 18, height: 10 })];
}

/** Bars of a group stand side by side on 0, or on the lower end of the axis where it has no 0. */
export function barMarks(chart: BarChart, { x, y }: Axes, layout: Layout): string[] {
  const bottom = y.isInside(0) ? y.px(0) : layout.bottom;
  const width = (BARS_SHARE * groupWidth(x)) / chart.series.length;
  return chart.series.flatMap(({ values }, at) =>
    values.flatMap((value, group) => {
      if (value === null || !y.isDrawable(value)) return [];
      const top = y.px(value);
      const left = x.px(group) + (at - chart.series.length / 2) * width;
      return [bar(at, { x: left, y: Math.min(top, bottom), width, height: Math.abs(bottom - top) })];
    }),
  );
}

/** Px that the groups of bars are apart. */
export function groupWidth({ px }: PlacedScale): number {
  return px(1) - px(0);
}

function bar(at: number, box: { x: number; y: number; width: number; height: number }): string {
  return element('rect', { ...box, fill: seriesStyle(at).colour, stroke: INK, 'stroke-width': 0.75 });
}

/** Labels of the points; one that finds no place among the points is left out. */
export function pointLabels({ series }: ScatterChart, { x, y }: Axes, layout: Layout): string[] {
  const fontPx = FONT_PX - 2;
  const points = series.flatMap((one) => one.points).filter((point) => x.isInside(point.x) && y.isInside(point.y));
  const placed = points.map((point) => ({
    x: x.px(point.x),
    y: y.px(point.y),
    width: point.label === undefined ? 0 : textWidthPx(point.label, fontPx),
  }));
  const places = placeLabels(placed, layout, { marker: MARKER_PX + 3, lineHeight: fontPx + 2 });
  return places.flatMap((place, at) =>
    place === null
      ? []
      : [
          textElement(points[at].label ?? '', placed[at].x + place.dx, placed[at].y + place.dy, {
            'font-size': fontPx,
            'text-anchor': 'middle',
            dy: TEXT_MIDDLE,
          }),
        ],
  );
}
