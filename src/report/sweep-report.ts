// Tested by test/apps/sim/sweep-pages.test.ts
/** A page about a sweep: what was measured over what was swept, and a table from which each run is a click away. The same runs give the same bytes. */
import { displayCount } from '../base/display.js';
import { escapeHtml, page, paragraph } from './html.js';
import { panelsHtml } from './plot/panels.js';
import {
  groupBy,
  intervalOf,
  type Measure,
  measuresOf,
  type SweptResult,
  sweepCharts,
  valuesOf,
} from './sweep-charts.js';

export interface SweepReport {
  readonly title: string;
  readonly paths: readonly string[];
  readonly runs: readonly ReportedRun[];
}

export interface ReportedRun extends SweptResult {
  readonly seed: number;
  /** The page of the run; null: it has none. */
  readonly href: string | null;
  /** Why there is no result. */
  readonly error: string | null;
  /** Plays it alone. */
  readonly command: string;
}

/** Rows that a browser still shows at once (ours). */
const MOST_ROWS = 1_000;

const WHAT =
  "Lines and bars are means over seeds; bands and whiskers are 95 % confidence intervals of the mean, by Student's t. A single seed has none.";

export function sweepReport({ title, paths, runs }: SweepReport): string {
  const { charts, leftOut } = sweepCharts(runs, paths);
  const left = leftOut === 0 ? [] : [`${displayCount(leftOut)} more panels of each measure are in the table alone.`];
  const figures = charts.length === 0 ? [paragraph('No run has a result.')] : [panelsHtml(charts)];
  const body = [
    countsHtml(runs),
    ...[WHAT, ...left].map(paragraph),
    `<section id="measures">\n<h2>Measures</h2>\n${figures.join('\n')}\n</section>`,
    `<section id="runs">\n<h2>Runs</h2>\n${tableHtml(paths, runs)}\n</section>`,
  ];
  const contents = '<ul>\n<li><a href="#measures">Measures</a></li>\n<li><a href="#runs">Runs</a></li>\n</ul>';
  return page(`Sweep of ${title}`, body.join('\n'), { contents });
}

function countsHtml(runs: readonly ReportedRun[]): string {
  const without = runs.filter(({ figures }) => figures === null).length;
  const done = `<span class="badge met">${displayCount(runs.length - without)} runs done</span>`;
  const failed = without === 0 ? '' : ` <span class="badge missed">${displayCount(without)} without a result</span>`;
  return `<p class="counts">${done}${failed}</p>`;
}

/** A row for each combination of values: means, and the runs by their seeds. */
function tableHtml(paths: readonly string[], runs: readonly ReportedRun[]): string {
  const rows = [...groupBy(runs, ({ values }) => JSON.stringify(Object.values(values))).values()];
  const measures = measuresOf(runs);
  const units = measures.map((measure) => measure.unit(Math.max(0, ...rows.map((row) => meanOf(row, measure)))));
  const head = [
    ...paths.map((path) => `<th scope="col">${escapeHtml(path)}</th>`),
    ...measures.map(({ title }, at) => {
      const unit = units[at].name === '' ? '' : `, ${units[at].name}`;
      return `<th scope="col" class="number">${escapeHtml(title + unit)}</th>`;
    }),
    '<th scope="col">runs, by seed</th>',
  ];
  const body = rows.slice(0, MOST_ROWS).map((row) => {
    const values = paths.map((path) => `<td>${escapeHtml(row[0].values[path])}</td>`);
    const means = measures.map((measure, at) => `<td class="number">${meanText(row, measure, units[at].factor)}</td>`);
    return `<tr>${[...values, ...means].join('')}<td>${row.map(runHtml).join(' ')}</td></tr>`;
  });
  const table = `<div class="table"><table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table></div>`;
  const left = rows.length - body.length;
  return left <= 0 ? table : `${table}\n${paragraph(`${displayCount(left)} more rows are in the summary of --out.`)}`;
}

function meanOf(runs: readonly SweptResult[], measure: Measure): number {
  return intervalOf(valuesOf(runs, measure))?.mean ?? 0;
}

/** `1.02 ± 0.03`. */
function meanText(runs: readonly SweptResult[], measure: Measure, factor: number): string {
  const interval = intervalOf(valuesOf(runs, measure));
  if (interval === null) return '-';
  const { mean, range } = interval;
  const text = number(mean * factor);
  return range === null ? text : `${text} ± ${number((range[1] - mean) * factor)}`;
}

/** Three digits or more. */
function number(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.001) return value.toExponential(1);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}

/** The page of the run, or how to play it: one that failed says why. */
function runHtml({ seed, href, error, command }: ReportedRun): string {
  if (href !== null) return `<a href="${escapeHtml(href)}">${seed}</a>`;
  const name = error === null ? `${seed}` : `<span class="badge missed">${seed}: no result</span>`;
  const why = error === null ? '' : `<p>${escapeHtml(error)}</p>`;
  return `<details><summary>${name}</summary>${why}<pre>${escapeHtml(command)}</pre></details>`;
}
