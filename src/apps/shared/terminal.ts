import { stripVTControlCharacters } from 'node:util';

/** What there is to know of a stream that may be a terminal. */
export interface TerminalShape {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a stream gets colours: on a terminal that has them, unless NO_COLOR is set (no-color.org); FORCE_COLOR turns them on anywhere. */
export function hasColors(stream: TerminalShape, environment: Environment = process.env): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  const isAble = isSet('FORCE_COLOR') || (stream.isTTY === true && environment.TERM !== 'dumb');
  return isAble && !isSet('NO_COLOR');
}

/** Text that came from somebody else, safe to show: characters that could move the cursor or hide others stand as escapes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** `[######----]` for `part` from 0 to 1. */
export function progressBar(part: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, part)) * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
}

/**
 * A few lines at the bottom of a terminal that are drawn again and again: a progress bar, a live table. On anything but a terminal nothing is
 * drawn, and `isLive` tells the caller to print lines at intervals instead, or nothing.
 */
export class LiveRegion {
  readonly isLive: boolean;
  private readonly stream: NodeJS.WritableStream & TerminalShape;
  private drawn: readonly string[] = [];

  constructor(stream: NodeJS.WritableStream & TerminalShape) {
    this.stream = stream;
    this.isLive = stream.isTTY === true;
  }

  /** Shows these lines in place of the last ones; what does not fit the terminal is cut off. */
  draw(lines: readonly string[]): void {
    if (!this.isLive) return;
    const fitting = lines.slice(0, (this.stream.rows ?? 24) - 1).map((line) => cut(line, this.stream.columns ?? 80));
    this.stream.write(`${this.erasure()}${fitting.join('\n')}\n`);
    this.drawn = fitting;
  }

  /** Writes a line that stays, above the region. */
  print(line: string): void {
    const { drawn } = this;
    this.stream.write(`${this.erasure()}${line}\n`);
    this.drawn = [];
    if (drawn.length > 0) this.draw(drawn);
  }

  /** Leaves what is drawn where it stands. */
  done(): void {
    this.drawn = [];
  }

  /** Takes the region away. */
  clear(): void {
    if (this.drawn.length > 0) this.stream.write(this.erasure());
    this.drawn = [];
  }

  /** Cursor up to the region's first line (CUU), then erase to the end of the screen (ED): ECMA-48 8.3.22 and 8.3.39. */
  private erasure(): string {
    return this.drawn.length === 0 ? '' : `\u001b[${this.drawn.length}A\u001b[0J`;
  }
}

/** A line that wraps would break the count of lines to go up; one that is too long loses its colours with its end. */
function cut(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  return [...plain].length <= columns ? line : [...plain].slice(0, columns).join('');
}
