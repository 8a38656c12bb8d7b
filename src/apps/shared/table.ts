import { stripVTControlCharacters } from 'node:util';

export interface Column {
  readonly title: string;
  /** `right` for numbers; `left` by default. */
  readonly align?: 'left' | 'right';
}

/**
 * The lines of a table: titles, then the rows, in columns two spaces apart. Colours in a cell take no width; a missing cell is empty. East Asian wide
 * characters are counted as one column.
 */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, at) => Math.max(...all.map((row) => displayWidth(row[at] ?? ''))));
  return all.map((row) =>
    columns
      .map(({ align }, at) => pad(row[at] ?? '', widths[at], align))
      .join('  ')
      .trimEnd(),
  );
}

function pad(cell: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(cell)));
  return align === 'left' ? cell + space : space + cell;
}

function displayWidth(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
