/**
 * A page about runs, simulated or over real sockets: tables and figures, all in one file. The same runs give the same bytes.
 */
import { assert } from '../base/assert.js';
import { displayCount } from '../base/display.js';
import type { RunSeries, SimulationResult, SimulationRun } from '../sim/result.js';
import type { TableData } from '../telemetry/columns.js';
import { escapeHtml, figure, htmlTable, page, paragraph } from './html.js';
import { drawChart } from './plot/draw.js';
import {
  completionDrawing,
  creditQueueDrawing,
  creditRateDrawing,
  type Drawing,
  dataQueueDrawing,
  goodputDrawing,
  jainDrawing,
  stateDrawings,
  utilisationDrawing,
} from './run-charts.js';
import { sampledRun } from './run-series.js';
import { completionTable, flowTable, linkTable, summaryTable } from './run-tables.js';

export interface ReportOptions {
  /** The runs' scenario by default. */
  readonly title?: string | undefined;
  /** The command line that made the runs; left out where nobody typed one. */
  readonly command?: string | undefined;
}

/** A run, and what to call it where there are several; by default its algorithm and seed. */
export interface ReportedRun extends SimulationRun {
  readonly name?: string;
}

/** Runs with figures of their own; the others stand in the summary. Each brings up to 2 MB. */
const MAX_FULL_RUNS = 8;
/** Rows of one table; the JSON result has them all. */
const MAX_ROWS = 100;

/** At least one run. */
export function runReport(runs: readonly ReportedRun[], { title, command }: ReportOptions = {}): string {
  assert(runs.length > 0, 'a report is about a run');
  const named = runs.map((run) => ({ ...run, name: run.name ?? `${run.result.algorithm}, seed ${run.result.seed}` }));
  const shown = named.slice(0, MAX_FULL_RUNS);
  const left = named.length - shown.length;
  return page(
    title ?? runs[0].result.scenario,
    [
      ...(command === undefined ? [] : [`<pre>${escapeHtml(command)}</pre>`]),
      htmlTable(summaryTable(named)),
      ...(left > 0
        ? [paragraph(`The first ${shown.length} runs follow in full; the other ${left} are in the table alone.`)]
        : []),
      ...shown.map((run) => runSection(run, named.length > 1)),
    ].join('\n'),
  );
}

function runSection({ name, result, series }: SimulationRun & { name: string }, isOneOfMany: boolean): string {
  const sections = [seriesSection(result, series), ...resultSections(result)];
  return [...(isOneOfMany ? [`<h2>${escapeHtml(name)}</h2>`] : []), ...sections.map(sectionHtml)].join('\n');
}

interface Section {
  readonly title: string;
  /** Figures, and sentences about those that there is no data for. */
  readonly drawings: readonly (Drawing | string)[];
  readonly table?: TableData;
  /** Below the table; empty for none. */
  readonly note?: string;
}

function seriesSection(result: SimulationResult, series: RunSeries | null): Section {
  const title = 'Over time';
  if (series === null || series.timesNs.length === 0) {
    const absent = 'The run took no samples along the way: the interval of its probes is 0, or longer than the run.';
    return { title, drawings: [absent] };
  }
  const run = sampledRun(result, series);
  const flows = [goodputDrawing(run), creditRateDrawing(run), jainDrawing(run)];
  return {
    title,
    drawings: [
      ...flows,
      dataQueueDrawing(run),
      creditQueueDrawing(run),
      utilisationDrawing(run),
      ...stateDrawings(run),
    ],
  };
}

function resultSections({ flows, links, fct }: SimulationResult): Section[] {
  return [
    { title: 'Completion times', drawings: [completionDrawing(flows)], table: completionTable(fct) },
    {
      title: 'Links',
      drawings: [],
      table: linkTable(links, MAX_ROWS),
      note: leftOut(links.length, 'the busiest links'),
    },
    { title: 'Flows', drawings: [], table: flowTable(flows, MAX_ROWS), note: leftOut(flows.length, 'the first flows') },
  ];
}

function leftOut(count: number, shown: string): string {
  return count > MAX_ROWS ? `These are ${shown}; ${displayCount(count - MAX_ROWS)} more are in the JSON result.` : '';
}

function sectionHtml({ title, drawings, table, note = '' }: Section): string {
  const figures = drawings.filter((drawing) => typeof drawing !== 'string').map(figureOf);
  const sentences = [...drawings.filter((drawing) => typeof drawing === 'string'), note].filter((text) => text !== '');
  return [
    `<h3>${escapeHtml(title)}</h3>`,
    ...(figures.length === 0 ? [] : [`<div class="figures">\n${figures.join('\n')}\n</div>`]),
    ...(table === undefined || table.rows.length === 0 ? [] : [htmlTable(table)]),
    ...sentences.map(paragraph),
  ].join('\n');
}

function figureOf({ chart, caption }: Drawing): string {
  return figure(drawChart(chart), caption);
}
