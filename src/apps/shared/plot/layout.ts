/** Where things stand in a drawing, in px, before it is drawn: nothing in it moves by itself, so nothing can come to lie over the data. */
import type { Axis, Chart } from './chart.js';
import { positionOn, type Scale } from './scale.js';
import { FONT_PX, textWidthPx } from './style.js';

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The frame of the axes. */
  readonly left: number;
  readonly top: number;
  readonly plotWidth: number;
  readonly plotHeight: number;
  readonly legend: LegendLayout | null;
}

export interface LegendLayout {
  readonly columns: number;
  readonly columnWidth: number;
  readonly top: number;
}

const WIDTH = 640;
const HEIGHT = 400;
const MARGIN = 12;
const TITLE_HEIGHT = 26;
/** Of the names and numbers below the x axis. */
const BELOW = 52;
export const LEGEND_ROW = 19;
/** Rows of the legend for which the height is meant; each further row makes the drawing higher. */
const LEGEND_ROWS = 3;
/** A sample of the line, and the space to its name. */
export const LEGEND_ICON = 28;
const LEGEND_GAP = 14;
/** From the axis to the middle of its name, without the tick labels. */
export const NAME_GAP = 24;

export function layoutOf(chart: Chart, y: Scale): Layout {
  const width = chart.widthPx ?? WIDTH;
  const left = MARGIN + NAME_GAP + Math.max(...y.labels.map((label) => textWidthPx(label)));
  const plotWidth = width - left - rightMargin(chart);
  const title = chart.title === undefined ? MARGIN : TITLE_HEIGHT + 6;
  const names = chart.series.map(({ name }) => name);
  const legend = names.length > 1 ? legendLayout(names, plotWidth, title) : null;
  const rows = legend === null ? 0 : Math.ceil(names.length / legend.columns);
  const height = (chart.heightPx ?? HEIGHT) + Math.max(0, rows - LEGEND_ROWS) * LEGEND_ROW;
  const top = title + (legend === null ? 0 : rows * LEGEND_ROW + 8);
  return { width, height, left, top, plotWidth, plotHeight: height - top - BELOW, legend };
}

/** Labels of reference lines stand there. */
function rightMargin({ references = [] }: Chart): number {
  return Math.max(MARGIN + 10, ...references.map(({ label }) => textWidthPx(label, FONT_PX - 1) + MARGIN));
}

/** As many columns of one width as fit. */
function legendLayout(names: readonly string[], plotWidth: number, top: number): LegendLayout {
  const widest = Math.max(...names.map((name) => textWidthPx(name)));
  const columnWidth = Math.min(plotWidth, LEGEND_ICON + widest + LEGEND_GAP);
  const columns = Math.max(1, Math.min(names.length, Math.floor((plotWidth + LEGEND_GAP) / columnWidth)));
  return { columns, columnWidth, top };
}

/** Distance from the y axis to the middle of its name. */
export function yNameGap(y: Scale): number {
  return NAME_GAP - 8 + Math.max(...y.labels.map((label) => textWidthPx(label)));
}

/** From the left of the drawing. */
export function xPixel(value: number, x: Scale, { left, plotWidth }: Layout): number {
  return left + plotWidth * positionOn(x, value);
}

/** From the top of the drawing. */
export function yPixel(value: number, y: Scale, { top, plotHeight }: Layout): number {
  return top + plotHeight * (1 - positionOn(y, value));
}

/** Whether a value can be on the axis at all. */
export function isDrawable(value: number, axis: Pick<Axis, 'scale'>): boolean {
  return Number.isFinite(value) && ((axis.scale ?? 'linear') === 'linear' || value > 0);
}
