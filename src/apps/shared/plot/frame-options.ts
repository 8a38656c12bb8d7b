// Tested by test/apps/shared/plot/draw.test.ts
/** The parts of a drawing that every kind of chart has, as options of echarts: frame, axes, legend, title, reference lines. */

import type { LineSeriesOption } from 'echarts/charts';
import type { LegendComponentOption, TitleComponentOption } from 'echarts/components';
import type { Chart, Reference } from './chart.js';
import { type Layout, LEGEND_ICON, LEGEND_ROW, NAME_GAP, yNameGap, yPixel } from './layout.js';
import type { Scale } from './scale.js';
import { FONT_FAMILY, FONT_PX, fittingText, INK, REFERENCE_COLOUR } from './style.js';

export const TEXT = { fontFamily: FONT_FAMILY, fontSize: FONT_PX, color: INK };
const LINE = { show: true, onZero: false, lineStyle: { color: INK, width: 1, cap: 'butt' as const } };
const TICK = { show: true, inside: false, length: 5, lineStyle: { color: INK, width: 1 } };

/** Of a title and a rotated name, both ends together. */
const TITLE_MARGIN = 20;
/** A bold letter one px larger takes a quarter more (DejaVu Sans). */
const TITLE_ROOM = 0.8;

/** An axis with numbers; `side` says which. */
export function valueAxis(side: 'x' | 'y', name: string, scale: Scale, layout: Layout) {
  const room = side === 'x' ? layout.plotWidth : layout.height - TITLE_MARGIN;
  return {
    ...namedAxis(fittingText(name, room), side === 'x' ? NAME_GAP + 4 : yNameGap(scale)),
    ...(scale.base === 0
      ? { type: 'value' as const }
      : { type: 'log' as const, logBase: scale.base, startValue: scale.min }),
    min: scale.min,
    max: scale.max,
    axisTick: { ...TICK, customValues: [...scale.ticks] },
    axisLabel: { ...TEXT, customValues: [...scale.ticks], formatter: (value: number) => labelOf(value, scale) },
    splitLine: { show: false },
  };
}

/** An axis with a name for each group of bars. */
export function groupAxis(name: string, groups: readonly string[], plotWidth: number) {
  const room = plotWidth / Math.max(1, groups.length) - 4;
  return {
    ...namedAxis(fittingText(name, plotWidth), NAME_GAP + 4),
    type: 'category' as const,
    data: [...groups],
    axisTick: { ...TICK, alignWithLabel: true },
    axisLabel: { ...TEXT, interval: 0, hideOverlap: false, formatter: (group: string) => fittingText(group, room) },
  };
}

function namedAxis(name: string, nameGap: number) {
  return { name, nameLocation: 'middle' as const, nameGap, nameTextStyle: TEXT, silent: true, axisLine: LINE };
}

/** Ticks come back from a logarithmic axis with a rounding error. */
function labelOf(value: number, { ticks, labels }: Scale): string {
  const at = ticks.findIndex((tick) => Math.abs(tick - value) <= Math.abs(tick) * 1e-9);
  return at < 0 ? '' : labels[at];
}

/** A legend component for each entry, so that they stand in columns whatever the width of the reader's font. */
export function legendOptions(chart: Chart, layout: Layout, hasMarkers: boolean): LegendComponentOption[] {
  const { legend } = layout;
  if (legend === null) return [];
  return chart.series.map(({ name }, at) => ({
    data: [seriesKey(at)],
    left: layout.left + (at % legend.columns) * legend.columnWidth,
    top: legend.top + Math.floor(at / legend.columns) * LEGEND_ROW,
    padding: 0,
    ...LEGEND_ICONS[chart.kind],
    // echarts shows a circle where a line has no marker.
    ...(hasMarkers ? {} : { itemStyle: { opacity: 0 } }),
    selectedMode: false,
    silent: true,
    textStyle: TEXT,
    formatter: () => fittingText(name, legend.columnWidth - LEGEND_ICON),
  }));
}

const LEGEND_ICONS: Record<Chart['kind'], LegendComponentOption> = {
  lines: { itemWidth: LEGEND_ICON - 6, itemHeight: 9 },
  bars: { itemWidth: LEGEND_ICON - 10, itemHeight: 10, icon: 'rect' },
  scatter: { itemWidth: 9, itemHeight: 9 },
};

/** What echarts knows a series by: two series may have one name. */
export function seriesKey(at: number): string {
  return `series ${at}`;
}

export function titleOptions(chart: Chart, layout: Layout): TitleComponentOption[] {
  if (chart.title === undefined) return [];
  const text = fittingText(chart.title, (layout.width - TITLE_MARGIN) * TITLE_ROOM);
  return [{ text, left: 'center', top: 8, textStyle: { ...TEXT, fontSize: FONT_PX + 1, fontWeight: 'bold' } }];
}

/** Decimals to which echarts rounds where a reference line stands; without it, 2. */
const PRECISION = 15;

/** A series without points that carries the lines; their labels are moved apart where values are close to each other. */
export function referenceSeries(chart: Chart, y: Scale, layout: Layout): LineSeriesOption[] {
  const references = (chart.references ?? []).filter((one) => one.y >= y.min && one.y <= y.max);
  if (references.length === 0) return [];
  const label = { ...TEXT, fontSize: FONT_PX - 1, color: REFERENCE_COLOUR, position: 'end' as const, formatter: '{b}' };
  const lineStyle = { color: REFERENCE_COLOUR, width: 1, type: [4, 3] };
  const shifts = labelShifts(references, y, layout);
  const data = references.map(({ label: name, y: value }, at) => ({
    yAxis: value,
    name,
    label: { offset: [0, shifts[at]] },
  }));
  return [
    {
      type: 'line',
      silent: true,
      data: [],
      markLine: { silent: true, symbol: 'none', precision: PRECISION, lineStyle, label, data },
    },
  ];
}

/** How far each label moves down, px, so that none lies on another. */
function labelShifts(references: readonly Reference[], y: Scale, layout: Layout): number[] {
  const places = references.map((reference, at) => ({ at, wanted: yPixel(reference.y, y, layout) }));
  const shifts = new Array<number>(references.length).fill(0);
  let free = 0;
  for (const { at, wanted } of places.sort((a, b) => a.wanted - b.wanted)) {
    shifts[at] = Math.max(0, free - wanted);
    free = wanted + shifts[at] + FONT_PX + 1;
  }
  return shifts;
}
