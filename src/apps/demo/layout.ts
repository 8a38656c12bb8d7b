import { tableLines } from '../shared/table.js';
import { progressBar } from '../shared/terminal.js';

/** How far one sender is, in words. */
export interface SenderState {
  readonly name: string;
  readonly rate: string;
  readonly done: string;
  /** Part of its file, 0 to 1. */
  readonly part: number;
}

/** What a live table may take. */
export interface Space {
  readonly columns: number;
  readonly rows: number;
}

/** What is said of each sender. */
type Detail = 'bar' | 'rate' | 'done';

const TITLES: Readonly<Record<Detail, readonly string[]>> = {
  bar: ['sender', 'rate', 'done', ''],
  rate: ['sender', 'rate', 'done'],
  done: ['', ''],
};
const BAR_WIDTH = 24;
const BAR_AT = 3;
const GAP = '   ';

/**
 * All senders in the space that there is: one below the other with bars where they fit, else side by side, else with less about each. Where they
 * do not even fit with a percentage each, the last line says how many are not shown.
 */
export function senderLines(senders: readonly SenderState[], { columns, rows }: Space): string[] {
  for (const detail of ['bar', 'rate', 'done'] as const) {
    const lines = table(senders, detail, rows);
    if (lines.length <= rows && lines.every((line) => line.length <= columns)) return lines;
  }
  return shortened(senders, { columns, rows });
}

/** In as many blocks side by side as it takes for no more than `most` rows, titles included. */
function table(senders: readonly SenderState[], detail: Detail, most: number): string[] {
  const headRows = detail === 'done' ? 0 : 1;
  const blocks = Math.max(1, Math.ceil(senders.length / Math.max(1, most - headRows)));
  const height = Math.ceil(senders.length / blocks);
  const columns = Array.from({ length: blocks }, (_, block) =>
    block === 0 ? columnsOf(detail) : [{ title: '' }, ...columnsOf(detail)],
  ).flat();
  const cells = Array.from({ length: height }, (_, row) =>
    Array.from({ length: blocks }, (_, block) => {
      const sender = senders[block * height + row];
      const own = sender === undefined ? TITLES[detail].map(() => '') : cellsOf(sender, detail);
      return block === 0 ? own : ['', ...own];
    }).flat(),
  );
  return tableLines(columns, cells).slice(1 - headRows);
}

function columnsOf(detail: Detail) {
  return TITLES[detail].map((title, at) => ({ title, align: at === 0 || at === BAR_AT ? 'left' : 'right' }) as const);
}

function cellsOf({ name, rate, done, part }: SenderState, detail: Detail): string[] {
  if (detail === 'bar') return [name, rate, done, progressBar(part, BAR_WIDTH)];
  return detail === 'rate' ? [name, rate, done] : [name, `${Math.floor(part * 100)} %`];
}

/** As many senders as fit, and how many there are beside them. */
function shortened(senders: readonly SenderState[], { columns, rows }: Space): string[] {
  for (let shown = senders.length - 1; shown > 0; shown--) {
    const lines = table(senders.slice(0, shown), 'done', rows - 1);
    if (lines.length < rows && lines.every((line) => line.length <= columns)) {
      return [...lines, `and ${senders.length - shown} more`];
    }
  }
  return [`${senders.length} senders`];
}

/** Words side by side, on as many lines as they take. */
export function flowingLines(parts: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + GAP.length + part.length <= columns) {
      lines[lines.length - 1] = `${last}${GAP}${part}`;
    } else lines.push(part);
  }
  return lines;
}
