// Tested by test/report/plot/draw.test.ts
/** The parts of a drawing that every kind of chart has: axes, legend, title, reference lines. */
import type { Chart } from './chart.js';
import { type Layout, LEGEND_ICON, LEGEND_ROW, MARGIN, TICK_ROOM } from './layout.js';
import type { PlacedScale } from './scale.js';
import { FONT_PX, fittingText, INK, REFERENCE_COLOUR, TEXT_MIDDLE } from './style.js';
import { element, rounded, textElement } from './svg.js';

const TICK_PX = 5;
const MINOR_TICK_PX = 3;
/** A bold letter one px larger takes a quarter more (DejaVu Sans). */
const TITLE_ROOM = 0.8;
/** From the x axis to the baselines of its labels and of its name. */
const [X_LABELS, X_NAME] = [20, 41];

/** The x axis; `labelRoomPx` where a label must not be wider. */
export function xAxis({ ticks, px }: PlacedScale, name: string, layout: Layout, labelRoomPx = Infinity): string[] {
  const { left, right, bottom } = layout;
  const marks = ticks.map(({ value, label }) => `M${rounded(px(value))} ${rounded(bottom)}v${tickPx(label)}`);
  const labels = ticks.filter(({ label }) => label !== '');
  return [
    axisLine(`M${rounded(left)} ${rounded(bottom)}H${rounded(right)}${marks.join('')}`),
    ...labels.map(({ value, label }) =>
      textElement(fittingText(label, labelRoomPx), px(value), bottom + X_LABELS, CENTRED),
    ),
    textElement(fittingText(name, right - left), (left + right) / 2, bottom + X_NAME, CENTRED),
  ];
}

export function yAxis({ ticks, px }: PlacedScale, name: string, { left, top, bottom, height }: Layout): string[] {
  const marks = ticks.map(({ value, label }) => `M${rounded(left)} ${rounded(px(value))}h-${tickPx(label)}`);
  const labels = ticks.filter(({ label }) => label !== '');
  const room = height - 2 * MARGIN;
  const [x, y] = [MARGIN + FONT_PX / 2, (top + bottom) / 2];
  return [
    axisLine(`M${rounded(left)} ${rounded(top)}V${rounded(bottom)}${marks.join('')}`),
    ...labels.map(({ value, label }) =>
      textElement(label, left - TICK_ROOM, px(value), { 'text-anchor': 'end', dy: TEXT_MIDDLE }),
    ),
    textElement(fittingText(name, room), 0, 0, {
      ...CENTRED,
      dy: TEXT_MIDDLE,
      transform: `translate(${x} ${rounded(y)}) rotate(-90)`,
    }),
  ];
}

const CENTRED = { 'text-anchor': 'middle' };

function axisLine(d: string): string {
  return element('path', { d, fill: 'none', stroke: INK });
}

function tickPx(label: string): number {
  return label === '' ? MINOR_TICK_PX : TICK_PX;
}

/** Names beside a sample of each series, which `icon` draws around 0,0. */
export function legend(chart: Chart, { legend: place, left }: Layout, icon: (at: number) => string[]): string[] {
  if (place === null) return [];
  const { columns, columnWidth, top } = place;
  return chart.series.flatMap(({ name }, at) => {
    const x = left + (at % columns) * columnWidth;
    const y = top + (Math.floor(at / columns) + 0.5) * LEGEND_ROW;
    const text = fittingText(name, columnWidth - LEGEND_ICON);
    return [
      element('g', { transform: `translate(${rounded(x + LEGEND_ICON / 2 - 3)} ${y})` }, icon(at)),
      textElement(text, x + LEGEND_ICON, y, { dy: TEXT_MIDDLE }),
    ];
  });
}

export function title(text: string | undefined, { width }: Layout): string[] {
  if (text === undefined) return [];
  const fitting = fittingText(text, (width - 2 * MARGIN) * TITLE_ROOM);
  return [textElement(fitting, width / 2, 20, { ...CENTRED, 'font-size': FONT_PX + 1, 'font-weight': 'bold' })];
}

/** Lines across the chart; their labels move down where values are close to each other, so that none lies on another. */
export function referenceLines({ references = [] }: Chart, y: PlacedScale, { left, right }: Layout): string[] {
  const shown = references.filter((one) => y.isInside(one.y)).sort((a, b) => b.y - a.y);
  let free = 0;
  return shown.flatMap(({ label, y: value }) => {
    const height = y.px(value);
    const labelled = Math.max(height, free);
    free = labelled + FONT_PX + 1;
    const d = `M${rounded(left)} ${rounded(height)}H${rounded(right)}`;
    return [
      element('path', { d, fill: 'none', stroke: REFERENCE_COLOUR, 'stroke-dasharray': '4 3' }),
      textElement(label, right + 5, labelled, { 'font-size': FONT_PX - 1, fill: REFERENCE_COLOUR, dy: TEXT_MIDDLE }),
    ];
  });
}
