/**
 * The page of the papers' figures, and its tables as Markdown and CSV for docs/results/. The same figures give the same bytes; nothing says when or where
 * they were made.
 */
import { assert } from '../base/assert.js';
import type { TableData } from '../telemetry/columns.js';
import { escapeHtml, htmlTable, page, paragraph } from './html.js';
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
  /** Of drawChart (plot/draw.ts). */
  readonly svgs: readonly string[];
  readonly rows: readonly FigureRow[];
  /** Makes this figure again. */
  readonly command: string;
}

/** One quantity beside its references, as text with units; null where a reference says nothing. */
export interface FigureRow {
  readonly quantity: string;
  readonly paper: string | null;
  readonly authorsCode: string | null;
  readonly ours: string;
  readonly verdict: Verdict;
  /** Why it is as it is; must be there where ours misses. */
  readonly reason: string;
}

/** `met`: as good as the reference or better, within the row's tolerance. `missed`: not. `no claim`: there is nothing to compare with. */
export type Verdict = 'met' | 'missed' | 'no claim';

const COLUMNS = ['quantity', 'paper', "authors' code", 'ours', 'verdict', 'reason'].map((title) => ({ title }));
const CSV_COLUMNS = ['figure', 'quantity', 'paper', 'authors_code', 'ours', 'verdict', 'reason'];

export function figuresPage(figures: FiguresPage): string {
  check(figures);
  return page(
    figures.title,
    [paragraphs(figures.intro), summary(figures.figures), ...figures.figures.map(section)].join('\n'),
  );
}

export function figuresMarkdown({ title, intro, figures }: FiguresPage): string {
  check({ title, intro, figures });
  const sections = figures.map((entry) =>
    [
      `## ${escapeMarkdown(entry.title)}`,
      ...split(entry.what).map(escapeMarkdown),
      ...(entry.rows.length === 0 ? [] : [markdownTable(tableOf(entry.rows))]),
      `\`\`\`\n${entry.command}\n\`\`\``,
    ].join('\n\n'),
  );
  return `${[`# ${escapeMarkdown(title)}`, ...split(intro).map(escapeMarkdown), ...sections].join('\n\n')}\n`;
}

/** One row for each quantity of every figure. */
export function figuresCsv(figures: FiguresPage): string {
  check(figures);
  return csvText(
    CSV_COLUMNS,
    figures.figures.flatMap(({ name, rows }) => rows.map((row) => [name, ...cells(row)])),
  );
}

function check({ figures }: FiguresPage): void {
  const names = new Set(figures.map(({ name }) => name));
  assert(names.size === figures.length, 'two figures have one name');
  assert(
    [...names].every((name) => /^[a-z0-9-]+$/.test(name)),
    'the name of a figure is its anchor',
  );
  const missed = figures.flatMap(({ rows }) => rows).filter(({ verdict }) => verdict === 'missed');
  assert(
    missed.every(({ reason }) => reason !== ''),
    'a miss needs its reason',
  );
}

function section({ name, title, what, svgs, rows, command }: FigureEntry): string {
  const drawings = svgs.map((svg) => `<figure>\n${svg}\n</figure>`).join('\n');
  return [
    `<section id="${name}">`,
    `<h2>${escapeHtml(title)}</h2>`,
    paragraphs(what),
    ...(svgs.length === 0 ? [] : [`<div class="figures">\n${drawings}\n</div>`]),
    ...(rows.length === 0 ? [] : [htmlTable(tableOf(rows))]),
    `<pre>${escapeHtml(command)}</pre>`,
    '</section>',
  ].join('\n');
}

/** What there is, with the number of quantities met. */
function summary(figures: readonly FigureEntry[]): string {
  const lines = figures.map(({ name, title, rows }) => {
    const met = rows.filter(({ verdict }) => verdict === 'met').length;
    const claims = rows.filter(({ verdict }) => verdict !== 'no claim').length;
    const score = claims === 0 ? '' : `: ${met} of ${claims} met`;
    return `<li><a href="#${name}">${escapeHtml(title)}</a>${score}</li>`;
  });
  return `<nav><ul>\n${lines.join('\n')}\n</ul></nav>`;
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
