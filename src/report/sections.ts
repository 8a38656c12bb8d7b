// Tested by test/report/run-report.test.ts
/** What a page about a run is made of. Its script makes charts of the drawings that have data (web/run-report.page.ts). */
import type { TableData } from '../telemetry/columns.js';
import { escapeHtml, figure, htmlTable, paragraph } from './html.js';
import type { PageData, PageMark } from './page-data.js';
import { drawChart } from './plot/draw.js';
import type { Drawing } from './run-charts.js';

/** A heading with what stands below it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Figures, and sentences about those that there is no data for. */
  readonly drawings: readonly (Drawing | string)[];
  readonly table?: TableData;
  /** Below the table; empty for none. */
  readonly note?: string;
}

/** For the column beside the page, with a place for the script's pickers. */
export function contentsHtml(sections: readonly Section[]): string {
  const entries = sections.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<ul>\n${entries.join('\n')}\n</ul>\n<div class="pickers"></div>`;
}

export function sectionHtml({ id, title, drawings, table, note = '' }: Section): string {
  const figures = drawings.filter((drawing) => typeof drawing !== 'string').map(figureOf);
  const sentences = [...drawings.filter((drawing) => typeof drawing === 'string'), note].filter((text) => text !== '');
  return [
    `<h2 id="${id}">${escapeHtml(title)}</h2>`,
    ...(figures.length === 0 ? [] : [`<div class="figures">\n${figures.join('\n')}\n</div>`]),
    ...(table === undefined || table.rows.length === 0 ? [] : [htmlTable(table)]),
    ...sentences.map(paragraph),
  ].join('\n');
}

/** Charts of the script take the places of the drawings that have data, in their order. */
function figureOf({ chart, caption, data }: Drawing): string {
  return figure(data === null ? drawChart(chart) : `<div class="live">\n${drawChart(chart)}\n</div>`, caption);
}

/** What the script of the page reads. */
export function dataHtml(sections: readonly Section[], marks: readonly PageMark[] = []): string {
  const drawings = sections.flatMap((section) => section.drawings).filter((drawing) => typeof drawing !== 'string');
  const data: PageData = { figures: drawings.map((drawing) => drawing.data).filter((one) => one !== null), marks };
  // In JSON `<` stands in texts alone; as an escape it cannot end the element.
  return `<script type="application/json">${JSON.stringify(data, fiveDigits).replaceAll('<', '\\u003c')}</script>`;
}

/** More than a screen has, in half of the bytes; JSON writes what is not finite as null. */
function fiveDigits(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}
