/**
 * A page about a run, simulated or over real sockets: tables and figures, all in one file. The same run gives the same bytes. A script makes the drawings
 * charts that the reader can point into, zoom and pick lines of (web/run-report.page.ts); without it the page is whole, too.
 */
import { displayCount, displayDuration } from '../base/display.js';
import type { RunSeries, SimulationResult, SimulationRun } from '../sim/result.js';
import { type Column, count, number, tableOf, text } from '../telemetry/columns.js';
import type { TimeMark } from './fault-marks.js';
import { escapeHtml, facts, page, paragraph } from './html.js';
import type { PageMark } from './page-data.js';
import {
  completionDrawing,
  creditQueueDrawing,
  creditRateDrawing,
  dataQueueDrawing,
  goodputDrawing,
  jainDrawing,
  runTime,
  stateDrawings,
  utilisationDrawing,
} from './run-charts.js';
import { sampledRun } from './run-series.js';
import { completionTable, flowTable, linkTable, summaryTable } from './run-tables.js';
import { contentsHtml, dataHtml, type Section, sectionHtml } from './sections.js';

export interface ReportOptions {
  /** The command line that made the run; left out where nobody typed one. */
  readonly command?: string | undefined;
  /** The text of dist/web/run-report.js; none for a page that stands still. */
  readonly script?: string | undefined;
  /** What happened on the way, such as faults, by the time. */
  readonly marks?: readonly TimeMark[] | undefined;
}

/** Rows of one table; the JSON result has them all. */
const MAX_ROWS = 100;
/** Flows that failed, by name; more are counted. */
const MAX_FAILED = 10;

export function runReport({ result, series }: SimulationRun, options: ReportOptions = {}): string {
  const { command, script, marks = [] } = options;
  const sections = [seriesSection(result, series), ...markSection(marks), ...resultSections(result)];
  const summary = [
    ...(command === undefined ? [] : [`<pre>${escapeHtml(command)}</pre>`]),
    facts(summaryTable(result)),
    ...failures(result).map(paragraph),
  ];
  const body = [...summary, ...sections.map(sectionHtml), dataHtml(sections, pageMarks(series, marks))].join('\n');
  return page(result.scenario, `<section id="run">\n${body}\n</section>`, {
    contents: contentsHtml(sections),
    script,
  });
}

/** A sentence for each flow that failed. */
function failures({ flows }: SimulationResult): string[] {
  const failed = flows.filter(({ error }) => error !== null);
  const named = failed
    .slice(0, MAX_FAILED)
    .map(({ id, src, dst, error }) => `Flow ${id} from ${src} to ${dst} failed: ${error}.`);
  const left = failed.length - named.length;
  return left === 0 ? named : [...named, `${displayCount(left)} more flows failed.`];
}

function seriesSection(result: SimulationResult, series: RunSeries | null): Section {
  const [id, title] = ['over-time', 'Over time'];
  if (series === null || series.timesNs.length === 0) {
    const absent = 'The run took no samples along the way: the interval of its probes is 0, or longer than the run.';
    return { id, title, drawings: [absent] };
  }
  const run = sampledRun(result, series);
  const flows = [goodputDrawing(run), creditRateDrawing(run), jainDrawing(run)];
  const links = [dataQueueDrawing(run), creditQueueDrawing(run), utilisationDrawing(run)];
  return { id, title, drawings: [...flows, ...links, ...stateDrawings(run)] };
}

/** What the numbers in the charts are. */
function markSection(marks: readonly TimeMark[]): Section[] {
  if (marks.length === 0) return [];
  return [
    {
      id: 'faults',
      title: 'Faults',
      drawings: [],
      table: tableOf(
        MARK_COLUMNS,
        marks.map((mark, at) => ({ ...mark, number: at + 1 })),
      ),
    },
  ];
}

const MARK_COLUMNS: readonly Column<TimeMark & { readonly number: number }>[] = [
  count('number', (mark) => mark.number),
  number('time', ({ atNs }) => displayDuration(atNs)),
  text('what', (mark) => mark.text),
];

function resultSections({ flows, links, fct }: SimulationResult): Section[] {
  const times = { drawings: [completionDrawing(flows)], table: completionTable(fct) };
  return [
    { id: 'completion-times', title: 'Completion times', ...times },
    {
      id: 'links',
      title: 'Links',
      drawings: [],
      table: linkTable(links, MAX_ROWS),
      note: leftOut(links.length, 'the busiest links'),
    },
    {
      id: 'flows',
      title: 'Flows',
      drawings: [],
      table: flowTable(flows, MAX_ROWS),
      note: leftOut(flows.length, 'those that failed and the first others'),
    },
  ];
}

function leftOut(count: number, shown: string): string {
  return count > MAX_ROWS ? `These are ${shown}; ${displayCount(count - MAX_ROWS)} more are in the JSON result.` : '';
}

function pageMarks(series: RunSeries | null, marks: readonly TimeMark[]): PageMark[] {
  if (series === null) return [];
  const { factor } = runTime(series);
  return marks.map(({ atNs }, at) => ({ x: atNs * factor, name: String(at + 1) }));
}
