/** Where things stand in a drawing, in px, before it is drawn: nothing in it moves by itself, so nothing can come to lie over the data. */
import type { Chart } from './chart.js';
import type { Scale } from './scale.js';
import { FONT_PX, textWidthPx } from './style.js';

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The frame of the axes. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly legend: LegendLayout | null;
}

export interface LegendLayout {
  readonly columns: number;
  readonly columnWidth: number;
  readonly top: number;
}

const WIDTH = 640;
const HEIGHT = 400;
export const MARGIN = 12;
const TITLE_HEIGHT = 26;
/** Of the names and numbers below the x axis. */
const BELOW = 52;
export const LEGEND_ROW = 19;
/** Rows of the legend for which the height is meant; each further row makes the drawing higher. */
const LEGEND_ROWS = 3;
/** A sample of the line, and the space to its name. */
export const LEGEND_ICON = 28;
const LEGEND_GAP = 14;
/** Of a tick and the space to its label. */
export const TICK_ROOM = 8;
/** Of the name of the y axis. */
const NAME_ROOM = 20;

export function layoutOf(chart: Chart, y: Scale, hasLegend = true): Layout {
  const width = chart.widthPx ?? WIDTH;
  const left = MARGIN + NAME_ROOM + TICK_ROOM + Math.max(...y.ticks.map(({ label }) => textWidthPx(label)));
  const right = width - rightMargin(chart);
  const title = chart.title === undefined ? MARGIN : TITLE_HEIGHT + 6;
  const names = chart.series.map(({ name }) => name);
  const legend = hasLegend && names.length > 1 ? legendLayout(names, right - left, title) : null;
  const rows = legend === null ? 0 : Math.ceil(names.length / legend.columns);
  const height = (chart.heightPx ?? HEIGHT) + Math.max(0, rows - LEGEND_ROWS) * LEGEND_ROW;
  const top = title + (legend === null ? 0 : rows * LEGEND_ROW + 8);
  return { width, height, left, top, right, bottom: height - BELOW, legend };
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
