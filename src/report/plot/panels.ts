/** Drawings side by side: those with the same series share one legend, those with the same y axis its range. */
import { escapeHtml } from '../html.js';
import type { Chart } from './chart.js';
import { drawChart, seriesIcons, yValuesOf } from './draw.js';
import { FONT_PX, INK } from './style.js';
import { element } from './svg.js';

/** As HTML. */
export interface Panels {
  /** Empty where one series needs none. */
  readonly legend: string;
  readonly svgs: readonly string[];
}

/** In the order of the charts: neighbours with the same kind and series are one group. */
export function drawPanels(charts: readonly Chart[]): Panels[] {
  return neighbours(charts).map((group) => ({
    legend: legendHtml(group[0]),
    svgs: group.map((chart) =>
      drawChart(chart, { yValues: group.filter((one) => hasAxisOf(one, chart)).flatMap(yValuesOf) }),
    ),
  }));
}

/** A drawing that shares its legend with none stands beside others of its kind; a group takes the whole width. */
export function panelsHtml(charts: readonly Chart[]): string {
  return `<div class="figures">\n${drawPanels(charts).map(groupHtml).join('\n')}\n</div>`;
}

function groupHtml({ legend, svgs }: Panels): string {
  const figures = svgs.map((svg) => `<figure>\n${svg}\n</figure>`).join('\n');
  return svgs.length === 1
    ? `<div>\n${legend}\n${figures}\n</div>`
    : `<div class="group">\n${legend}\n<div class="figures">\n${figures}\n</div>\n</div>`;
}

function neighbours(charts: readonly Chart[]): [Chart, ...Chart[]][] {
  const groups: [Chart, ...Chart[]][] = [];
  for (const chart of charts) {
    const last = groups.at(-1);
    if (last !== undefined && seriesKey(last[0]) === seriesKey(chart)) last.push(chart);
    else groups.push([chart]);
  }
  return groups;
}

function seriesKey({ kind, series }: Chart): string {
  return JSON.stringify([kind, ...series.map(({ name }) => name)]);
}

function hasAxisOf({ y: a }: Chart, { y: b }: Chart): boolean {
  return a.name === b.name && a.scale === b.scale && a.min === b.min && a.max === b.max;
}

const [ICON_WIDTH, ICON_HEIGHT] = [26, FONT_PX];

function legendHtml(chart: Chart): string {
  if (chart.series.length < 2) return '';
  const viewBox = `${-ICON_WIDTH / 2} ${-ICON_HEIGHT / 2} ${ICON_WIDTH} ${ICON_HEIGHT}`;
  const shape = { width: ICON_WIDTH, height: ICON_HEIGHT, viewBox, fill: INK, 'aria-hidden': 'true' };
  const entries = seriesIcons(chart).map(
    (icon, at) => `<li>${element('svg', shape, icon)}${escapeHtml(chart.series[at].name)}</li>`,
  );
  return `<ul class="legend">\n${entries.join('\n')}\n</ul>`;
}
