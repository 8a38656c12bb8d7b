/**
 * The page of the papers' figures, and its tables as Markdown and CSV for docs/results/. The same figures give the same bytes; nothing says when or where
 * they were made.
 */
import { assert } from '../base/assert.js';
import type { TableData } from '../telemetry/columns.js';
import { escapeHtml, page, paragraph } from './html.js';
import type { Chart } from './plot/chart.js';
import { panelsHtml } from './plot/panels.js';
import { csvText, escapeMarkdown, markdownTable } from './table.js';

export interface FiguresPage {
  readonly title: string;
  /** Paragraphs of plain text, with an empty line between two. */
  readonly intro: string;
  readonly figures: readonly FigureEntry[];
}

export interface FigureEntry {
  /** As `xpass figures` calls it: small letters, digits and dashes; also its anchor on the page. */
  readonly name: string;
  readonly title: string;
  /** What is shown and how it was measured; paragraphs as in the intro. */
  readonly what: string;
  readonly charts: readonly Chart[];
  readonly rows: readonly FigureRow[];
  /** Makes this figure again. */
  readonly command: string;
  /** The same rows from runs at the scale of the paper, if it was played. */
  readonly scaled?: ScaledRows;
}

/** Rows of a figure at the scale of the paper, and what that took. */
export interface ScaledRows {
  readonly runs: number;
  /** Wall time of all its runs, one after the other. */
  readonly seconds: number;
  readonly rows: readonly FigureRow[];
}

/** One quantity beside its references, as text with units; null where a reference says nothing. */
export interface FigureRow {
  readonly quantity: string;
  readonly paper: string | null;
  readonly authorsCode: string | null;
  readonly ours: string;
  readonly verdict: Verdict;
  /** Why it is as it is; must be there where ours misses or lies outside the band. */
  readonly reason: string;
}

/**
 * `met`: within what the row is held to, and within a band around the paper's value. `missed`: worse. `outside`: as good as it is held to, and far from the
 * paper's value all the same. `no claim`: there is nothing to compare with.
 */
export type Verdict = 'met' | 'missed' | 'outside' | 'no claim';
export const VERDICTS: readonly Verdict[] = ['met', 'missed', 'outside', 'no claim'];

const COLUMNS = ['quantity', 'paper', "authors' code", 'ours', 'verdict', 'reason'].map((title) => ({ title }));
const CSV_COLUMNS = ['figure', 'quantity', 'paper', 'authors_code', 'ours', 'verdict', 'reason'];

export function figuresPage(figures: FiguresPage): string {
  check(figures);
  const all = figures.figures.flatMap(({ rows }) => rows);
  const body = [countBadges(all), paragraphs(figures.intro), ...figures.figures.map(section)].join('\n');
  return page(figures.title, body, { contents: contents(figures.figures) });
}

export function figuresMarkdown({ title, intro, figures }: FiguresPage): string {
  check({ title, intro, figures });
  const sections = figures.map((entry) =>
    [
      `## ${escapeMarkdown(entry.title)}`,
      ...split(entry.what).map(escapeMarkdown),
      ...countLines(entry.rows),
      ...(entry.rows.length === 0 ? [] : [markdownTable(tableOf(entry.rows))]),
      ...(entry.scaled === undefined
        ? []
        : [
            `### ${AT_SCALE}`,
            [scaleText(entry.scaled), ...countLines(entry.scaled.rows)].join(' '),
            markdownTable(tableOf(entry.scaled.rows)),
          ]),
      `\`\`\`\n${entry.command}\n\`\`\``,
    ].join('\n\n'),
  );
  const counts = countLines(figures.flatMap(({ rows }) => rows));
  return `${[`# ${escapeMarkdown(title)}`, ...counts, ...split(intro).map(escapeMarkdown), ...sections].join('\n\n')}\n`;
}

/** One row for each quantity of every figure. */
export function figuresCsv(figures: FiguresPage): string {
  check(figures);
  return csvText(
    CSV_COLUMNS,
    figures.figures.flatMap(({ name, rows, scaled }) => [
      ...rows.map((row) => [name, ...cells(row)]),
      ...(scaled?.rows ?? []).map((row) => [`${name} (${AT_SCALE})`, ...cells(row)]),
    ]),
  );
}

function check({ figures }: FiguresPage): void {
  const names = new Set(figures.map(({ name }) => name));
  assert(names.size === figures.length, 'two figures have one name');
  assert(
    [...names].every((name) => /^[a-z0-9-]+$/.test(name)),
    'the name of a figure is its anchor',
  );
  const strays = figures
    .flatMap(({ rows }) => rows)
    .filter(({ verdict }) => verdict === 'missed' || verdict === 'outside');
  assert(
    strays.every(({ reason }) => reason !== ''),
    'a miss needs its reason',
  );
}

const AT_SCALE = 'at the scale of the paper';

function scaleText({ runs, seconds }: ScaledRows): string {
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${runs} ${runs === 1 ? 'run' : 'runs'}, ${time} of one core altogether.`;
}

function scaledHtml(scaled: ScaledRows): string {
  return `<h3>${AT_SCALE[0].toUpperCase()}${AT_SCALE.slice(1)}</h3>\n${countBadges(scaled.rows)}\n${paragraphs(scaleText(scaled))}\n${rowsHtml(scaled.rows)}`;
}

function section({ name, title, what, charts, rows, command, scaled }: FigureEntry): string {
  return [
    `<section id="${name}">`,
    `<h2>${escapeHtml(title)}</h2>`,
    countBadges(rows),
    paragraphs(what),
    ...(charts.length === 0 ? [] : [panelsHtml(charts)]),
    ...(rows.length === 0 ? [] : [rowsHtml(rows)]),
    ...(scaled === undefined ? [] : [scaledHtml(scaled)]),
    `<pre>${escapeHtml(command)}</pre>`,
    '</section>',
  ].join('\n');
}

/** Every verdict is a badge that opens its reason; quantities without a claim say theirs as quietly. */
function rowsHtml(rows: readonly FigureRow[]): string {
  const head = ['quantity', 'paper', "authors' code", 'ours', 'verdict'].map(
    (title) => `<th scope="col">${escapeHtml(title)}</th>`,
  );
  const body = rows.map(({ quantity, paper, authorsCode, ours, verdict, reason }) => {
    const values = [quantity, paper ?? '', authorsCode ?? '', ours].map((text) => `<td>${escapeHtml(text)}</td>`);
    return `<tr>${values.join('')}<td>${verdictHtml(verdict, reason)}</td></tr>`;
  });
  return `<div class="table"><table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table></div>`;
}

function verdictHtml(verdict: Verdict, reason: string): string {
  const shown = badge(verdict, verdict);
  return reason === '' ? shown : `<details><summary>${shown}</summary><p>${escapeHtml(reason)}</p></details>`;
}

const CLASSES: Readonly<Record<Verdict, string>> = {
  met: 'met',
  missed: 'missed',
  outside: 'outside',
  'no claim': 'none',
};

function badge(verdict: Verdict, text: string): string {
  return `<span class="badge ${CLASSES[verdict]}">${text}</span>`;
}

/** `12 met`, `1 missed`, `3 no claim`, without those that are none. */
function countBadges(rows: readonly FigureRow[]): string {
  const badges = countsOf(rows).map(({ verdict, count }) => badge(verdict, `${count} ${verdict}`));
  return badges.length === 0 ? '' : `<p class="counts">${badges.join(' ')}</p>`;
}

function countsOf(rows: readonly FigureRow[]): { verdict: Verdict; count: number }[] {
  const counts = VERDICTS.map((verdict) => ({ verdict, count: rows.filter((row) => row.verdict === verdict).length }));
  return counts.filter(({ count }) => count > 0);
}

/** `12 met, 1 missed`; none without rows. */
function countLines(rows: readonly FigureRow[]): string[] {
  const text = countsOf(rows).map(({ verdict, count }) => `${count} ${verdict}`);
  return text.length === 0 ? [] : [`${text.join(', ')}.`];
}

function contents(figures: readonly FigureEntry[]): string {
  const lines = figures.map(
    ({ name, title, rows }) => `<li><a href="#${name}">${escapeHtml(title)}</a>${countBadges(rows)}</li>`,
  );
  return `<ul>\n${lines.join('\n')}\n</ul>`;
}

function tableOf(rows: readonly FigureRow[]): TableData {
  return { columns: COLUMNS, rows: rows.map(cells) };
}

function cells({ quantity, paper, authorsCode, ours, verdict, reason }: FigureRow): string[] {
  return [quantity, paper ?? '', authorsCode ?? '', ours, verdict, reason];
}

function paragraphs(text: string): string {
  return split(text).map(paragraph).join('\n');
}

function split(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
