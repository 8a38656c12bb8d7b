import { stripVTControlCharacters } from 'node:util';
import type { Heading, TableData } from '../telemetry/columns.js';

/** What a column of ready cells needs. */
export type Column = Heading;

/** Between two columns. */
const GAP = '  ';

/**
 * The lines of a table: titles, then the rows, in columns two spaces apart. Colours in a cell take no width; a missing cell is empty. East Asian wide
 * characters are counted as one column.
 */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = widthsOf(columns, rows);
  return [columns.map(({ title }) => title), ...rows].map((row) =>
    columns
      .map(({ align }, at) => pad(row[at] ?? '', widths[at], align))
      .join(GAP)
      .trimEnd(),
  );
}

/**
 * The same in blocks of columns that fit a terminal `columnsWide`, an empty line between two. Each begins with the first `keys` columns, which tell the rows
 * apart; a block of keys and one column may be wider.
 */
export function foldedTableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  columnsWide: number,
  keys = 1,
): string[] {
  const widths = widthsOf(columns, rows);
  const keyWidth = widths.slice(0, keys).reduce((sum, width) => sum + width, 0) + (keys - 1) * GAP.length;
  const blocks: number[][] = [];
  let room = Number.NEGATIVE_INFINITY;
  for (let at = keys; at < columns.length; at++) {
    const width = GAP.length + widths[at];
    if (width > room) {
      blocks.push(Array.from({ length: keys }, (_, key) => key));
      room = columnsWide - keyWidth;
    }
    blocks.at(-1)!.push(at);
    room -= width;
  }
  return blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : ['']),
    ...tableLines(
      block.map((at) => columns[at]),
      rows.map((row) => block.map((at) => row[at])),
    ),
  ]);
}

function widthsOf(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, at) => Math.max(...[title, ...rows.map((row) => row[at] ?? '')].map(displayWidth)));
}

function pad(cell: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(cell)));
  return align === 'left' ? cell + space : space + cell;
}

function displayWidth(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}

/** A table of GitHub's Markdown. */
export function markdownTable({ columns, rows }: TableData): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = columns.map(({ align }) => (align === 'right' ? '--:' : '---'));
  const titles = columns.map(({ title }) => escapeMarkdown(title));
  return [line(titles), line(rule), ...rows.map((row) => line(row.map(escapeMarkdown)))].join('\n');
}

/** Text that means nothing but itself in Markdown; a line end becomes a space. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\|<>*`[\]]/g, '\\$&').replace(/\s*\r?\n\s*/g, ' ');
}

/** One value of a CSV file; null stands for a number that there is none of. */
export type CsvValue = string | number | null;

/** A CSV file after RFC 4180, with line feeds. */
export function csvText(titles: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [titles.join(',')];
  for (const row of rows) lines.push(row.map(csvValue).join(','));
  return `${lines.join('\n')}\n`;
}

function csvValue(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
