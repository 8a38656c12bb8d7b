/** Tables as text that is committed and compared line by line. */
import type { TableData } from './html.js';

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

/** Comma-separated values by RFC 4180, but with a bare line feed, which git compares better; the last line has one too. */
export function csvText(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
