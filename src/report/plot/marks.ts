/** The data of a chart as lines, bars and markers, thinned and labelled. */
import { area, curveLinear, curveStepAfter, line } from 'd3-shape';
import { assert } from '../../base/assert.js';
import type { BarChart, LineChart, ScatterChart } from './chart.js';
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
  return chart.series.flatMap(({ values, ranges = [] }, at) =>
    values.flatMap((value, group) => {
      if (value === null || !y.isDrawable(value)) return [];
      const top = y.px(value);
      const left = x.px(group) + (at - chart.series.length / 2) * width;
      const box = { x: left, y: Math.min(top, bottom), width, height: Math.abs(bottom - top) };
      return [bar(at, box), ...whisker(left + width / 2, ranges[group] ?? null, y)];
    }),
  );
}

/** Half of the lines that end a whisker, px (ours). */
const WHISKER_END_PX = 4;

function whisker(x: number, range: readonly [number, number] | null, y: PlacedScale): string[] {
  if (range === null || !range.every(y.isDrawable)) return [];
  const [low, high] = range.map(y.px);
  const end = (at: number): string => `M${rounded(x - WHISKER_END_PX)} ${rounded(at)}H${rounded(x + WHISKER_END_PX)}`;
  const d = `M${rounded(x)} ${rounded(low)}V${rounded(high)}${end(low)}${end(high)}`;
  return [element('path', { d, fill: 'none', stroke: INK, 'stroke-width': LINE_PX })];
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

/** Points of a line after thinning: as many x as y, and as `low` and `high` where there is a band. */
interface Points {
  readonly x: number[];
  readonly y: number[];
  readonly band?: { readonly low: number[]; readonly high: number[] };
}

/**
 * The line with at most `limit` points (at least 4). Neighbours are joined into buckets of equal count, of which the lowest and the highest stay, so that no
 * peak is lost. A gap stays where a whole bucket has no value. A band keeps the extremes of each bucket.
 */
export function decimate(line: Line, limit: number): Points {
  const count = line.x.length;
  assert(line.y.length === count, 'a line has one y for each x');
  assert(line.band === undefined || line.band.low.length === count, 'a band has one range for each x');
  if (count <= limit) return copy(line);
  const buckets = Math.floor(limit / 2);
  const kept: Points = { x: [], y: [], ...(line.band === undefined ? {} : { band: { low: [], high: [] } }) };
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor((bucket * count) / buckets);
    const to = Math.floor(((bucket + 1) * count) / buckets);
    keepExtremes(line, { from, to }, kept);
  }
  return kept;
}

interface Line {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly band?: { readonly low: ArrayLike<number>; readonly high: ArrayLike<number> };
}

interface Bucket {
  readonly from: number;
  readonly to: number;
}

function keepExtremes(line: Line, bucket: Bucket, kept: Points): void {
  const lowest = extreme(line.y, bucket, -1);
  const highest = extreme(line.y, bucket, 1);
  for (const at of [...new Set([Math.min(lowest, highest), Math.max(lowest, highest)])]) {
    kept.x.push(line.x[at]);
    kept.y.push(line.y[at]);
    if (line.band === undefined || kept.band === undefined) continue;
    kept.band.low.push(line.band.low[extreme(line.band.low, bucket, -1)]);
    kept.band.high.push(line.band.high[extreme(line.band.high, bucket, 1)]);
  }
}

/** Index of the value that is largest in direction `sign`; the first of the bucket where none is finite. */
function extreme(values: ArrayLike<number>, { from, to }: Bucket, sign: 1 | -1): number {
  let best = from;
  for (let at = from + 1; at < to; at++) {
    const better = sign * values[at] > sign * values[best];
    if (Number.isFinite(values[at]) && (better || !Number.isFinite(values[best]))) best = at;
  }
  return best;
}

function copy({ x, y, band }: Line): Points {
  const plain = { x: Array.from(x), y: Array.from(y) };
  return band === undefined ? plain : { ...plain, band: { low: Array.from(band.low), high: Array.from(band.high) } };
}

/** Where labels of points stand so that none covers a point or another label; the first in the list choose first. */

export interface LabelledPoint {
  /** Its middle, px. */
  readonly x: number;
  readonly y: number;
  /** Of its label; 0: it has none. */
  readonly width: number;
}

/** Middle of the label relative to the middle of its point, px. */
export interface LabelPlace {
  readonly dx: number;
  readonly dy: number;
}

/** Of a rectangle, px from the top left corner of the drawing. */
interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface LabelSizes {
  readonly marker: number;
  readonly lineHeight: number;
}

/** Right, left, above and below, then the corners: how far a label goes to each side, as parts of its way there. */
const DIRECTIONS: readonly (readonly [number, number])[] = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
];

/** One place for each point; null where it has no label, or where no place for it is free. */
export function placeLabels(points: readonly LabelledPoint[], room: Edges, sizes: LabelSizes): (LabelPlace | null)[] {
  const taken: Edges[] = points.map(({ x, y }) => boxAround(x, y, sizes.marker, sizes.marker));
  return points.map((point) => {
    if (point.width === 0) return null;
    const place = candidates(point, sizes).find((one) => isFree(boxOf(point, one, sizes), taken, room));
    if (place !== undefined) taken.push(boxOf(point, place, sizes));
    return place ?? null;
  });
}

function candidates({ width }: LabelledPoint, { marker, lineHeight }: LabelSizes): LabelPlace[] {
  // A label above may stand beside one to the right, which is higher than its point.
  const [aside, above] = [(marker + width) / 2 + 3, (Math.max(marker, lineHeight) + lineHeight) / 2];
  return DIRECTIONS.map(([right, down]) => ({ dx: right * aside, dy: down * above }));
}

function boxOf({ x, y, width }: LabelledPoint, { dx, dy }: LabelPlace, { lineHeight }: LabelSizes): Edges {
  return boxAround(x + dx, y + dy, width, lineHeight);
}

function boxAround(x: number, y: number, width: number, height: number): Edges {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function isFree(box: Edges, taken: readonly Edges[], room: Edges): boolean {
  const isInside = box.left >= room.left && box.right <= room.right && box.top >= room.top && box.bottom <= room.bottom;
  return isInside && !taken.some((other) => overlaps(box, other));
}

function overlaps(a: Edges, b: Edges): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
