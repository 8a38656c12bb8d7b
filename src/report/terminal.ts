import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

/** What there is to know of a stream that may be a terminal. */
export interface TerminalShape {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Holds back what is written until `uncork`, and then hands it over at once. */
  cork?(): void;
  uncork?(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether a stream gets colours: on a terminal that has them, unless NO_COLOR is set (no-color.org).
 * FORCE_COLOR turns them on anywhere, and off where it is 0 or false.
 */
export function hasColors(stream: TerminalShape, environment: Environment = process.env): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (environment.FORCE_COLOR === '0' || environment.FORCE_COLOR === 'false') return false;
  const isAble = isSet('FORCE_COLOR') || (stream.isTTY === true && environment.TERM !== 'dumb');
  return isAble && !isSet('NO_COLOR');
}

/** `[######----]` for `part` from 0 to 1. */
export function progressBar(part: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, part)) * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
}

/** Where nobody says how large the terminal is: the size of a VT100, which everything assumes since. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** Of a terminal; one that does not know its size says 0. */
export function columnsOf({ columns }: TerminalShape): number {
  return columns || DEFAULT_COLUMNS;
}

/**
 * A few lines at the bottom of a terminal that are drawn again and again: a progress bar, a live table. On anything but a terminal nothing is
 * drawn, and `isLive` tells the caller to print lines at intervals instead, or nothing.
 *
 * Lines are overwritten in place, and only those that changed. Erasing the screen below the cursor would be shorter, but terminals that keep
 * what is erased would
 * put each redraw into their scrollback.
 */
export class LiveRegion {
  readonly isLive: boolean;
  private readonly stream: NodeJS.WritableStream & TerminalShape;
  private drawn: readonly string[] = [];
  private drawnColumns = 0;

  constructor(stream: NodeJS.WritableStream & TerminalShape, environment: Environment = process.env) {
    this.stream = stream;
    this.isLive = stream.isTTY === true && environment.TERM !== 'dumb';
  }

  /** Columns of the terminal, and rows that `draw` shows: one less than the terminal has, for the cursor stands below the last line. */
  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: columnsOf(this.stream), rows: (this.stream.rows || DEFAULT_ROWS) - 1 };
  }

  /** Shows these lines in place of the last ones; what does not fit the terminal is cut off. */
  draw(lines: readonly string[]): void {
    if (!this.isLive) return;
    const { columns, rows } = this.size;
    this.write(() => this.replace(lines.slice(0, rows).map((line) => cut(line, columns))));
  }

  /** Writes a line that stays, above the region. */
  print(line: string): void {
    const { drawn } = this;
    this.write(() => {
      if (drawn.length > 0) this.replace([]);
      this.stream.write(`${line}\n`);
      if (drawn.length > 0) this.replace(drawn);
    });
  }

  /** Leaves what is drawn where it stands. */
  done(): void {
    this.drawn = [];
  }

  /** Takes the region away. */
  clear(): void {
    if (this.drawn.length > 0) this.write(() => this.replace([]));
  }

  /** All that `action` writes goes to the terminal at once, so that nobody sees half of it. */
  private write(action: () => void): void {
    this.stream.cork?.();
    action();
    this.stream.uncork?.();
  }

  private replace(lines: readonly string[]): void {
    const { stream, drawn } = this;
    const { columns } = this.size;
    this.moveToFirst();
    lines.forEach((line, row) => {
      if (row >= drawn.length || line !== drawn[row] || columns !== this.drawnColumns) {
        clearLine(stream, 0);
        stream.write(line);
      }
      stream.write('\n');
    });
    for (let row = lines.length; row < drawn.length; row++) {
      clearLine(stream, 0);
      stream.write('\n');
    }
    // Whatever a key press left below, such as ^C, goes too.
    if (drawn.length > 0) clearLine(stream, 0);
    if (drawn.length > lines.length) moveCursor(stream, 0, lines.length - drawn.length);
    this.drawn = lines;
    this.drawnColumns = columns;
  }

  /** From below the last line to the beginning of the first. In a terminal that has become narrower a line takes several rows. */
  private moveToFirst(): void {
    const { columns } = this.size;
    const rowsOf = (line: string): number => Math.max(1, Math.ceil(width(line) / columns));
    const rows = this.drawn.reduce((sum, line) => sum + rowsOf(line), 0);
    cursorTo(this.stream, 0);
    if (rows > 0) moveCursor(this.stream, 0, -rows);
  }
}

function width(line: string): number {
  return [...stripVTControlCharacters(line)].length;
}

/** A line that wraps would break the count of rows to go up; one that is too long loses its colours with its end. */
function cut(line: string, columns: number): string {
  return width(line) <= columns ? line : [...stripVTControlCharacters(line)].slice(0, columns).join('');
}
