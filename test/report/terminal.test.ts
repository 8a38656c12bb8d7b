import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { printable } from '../../src/base/display.js';
import { hasColors, LiveRegion, progressBar } from '../../src/report/terminal.js';
import { said } from '../harness/said.js';

function terminal(shape: { isTTY?: boolean; columns?: number; rows?: number }) {
  const stream = Object.assign(new PassThrough(), shape);
  return { stream, written: () => said(stream) };
}

describe('colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: 'false' }, false],
  ])('on a terminal %s with %j are %s', (isTTY, environment, wanted) => {
    expect(hasColors({ isTTY }, environment)).toBe(wanted);
  });
});

describe('text from elsewhere', () => {
  it('cannot move the cursor, or hide or turn what follows', () => {
    expect(printable('a\u001b[2Jb\nc\u202egpj.exe\ud800')).toBe('a\\u001b[2Jb\\u000ac\\u202egpj.exe\\ud800');
  });

  it('keeps what can be read', () => {
    expect(printable('Grüße 文件 🎉')).toBe('Grüße 文件 🎉');
  });
});

describe('a progress bar', () => {
  it('is as full as the work is done, and never more', () => {
    expect([0, 0.5, 1, 1.2, -1].map((part) => progressBar(part, 4))).toEqual([
      '[----]',
      '[##--]',
      '[####]',
      '[####]',
      '[----]',
    ]);
  });
});

/** A control sequence with one parameter or none, or a character. */
const ESCAPE = '\u001b';
const PIECES = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|(.)`, 'gs');

/**
 * A terminal as far as a live region needs one: text, line feeds, the cursor's column (CHA) and row (CUU, CUD), and erasing of a line (EL), as in
 * ECMA-48. Anything else fails. `scrolled` is what has left it by the top.
 */
class Screen {
  readonly scrolled: string[] = [];
  private readonly lines: string[] = [''];
  private readonly columns: number;
  private readonly rows: number;
  private row = 0;
  private column = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  get shown(): string[] {
    return this.lines.map((line) => line.trimEnd());
  }

  /** The terminal shows a key press, such as ^C, where the cursor is. */
  write(text: string): void {
    for (const [, parameter, final, plain] of text.matchAll(PIECES)) {
      if (plain === undefined) this.control(final, parameter);
      else if (plain === '\n') this.feed();
      else this.put(plain);
    }
  }

  private control(final: string, parameter: string): void {
    const count = Number(parameter === '' ? 1 : parameter);
    if (final === 'A') this.row = Math.max(0, this.row - count);
    else if (final === 'B') this.row = Math.min(this.rows - 1, this.row + count);
    else if (final === 'G') this.column = count - 1;
    else if (final === 'K' && parameter === '2') this.lines[this.row] = '';
    else throw new Error(`a control that this terminal does not know: ${parameter}${final}`);
  }

  /** As terminals do: the carriage returns too. */
  private feed(): void {
    this.column = 0;
    this.row++;
    if (this.row === this.rows) {
      this.scrolled.push(this.lines.shift() ?? '');
      this.row--;
    }
    this.lines[this.row] ??= '';
  }

  private put(character: string): void {
    if (character === '\u001b') throw new Error('an escape that is no control sequence');
    if (this.column === this.columns) this.feed();
    const line = this.lines[this.row].padEnd(this.column);
    this.lines[this.row] = line.slice(0, this.column) + character + line.slice(this.column + 1);
    this.column++;
  }
}

function regionOn(columns: number, rows: number) {
  const screen = new Screen(columns, rows);
  const stream = Object.assign(new Writable({ decodeStrings: false, write: (text, _, done) => done(show(text)) }), {
    isTTY: true,
    columns,
    rows,
  });
  const show = (text: string): null => {
    screen.write(text);
    return null;
  };
  return { screen, stream, region: new LiveRegion(stream, {}) };
}

describe('a live region', () => {
  it('is drawn over itself', () => {
    const { screen, region } = regionOn(80, 24);
    screen.write('before\n');
    region.draw(['a', 'b']);
    expect(screen.shown).toEqual(['before', 'a', 'b', '']);
    region.draw(['c']);
    expect(screen.shown).toEqual(['before', 'c', '', '']);
    region.draw(['c', 'd', 'e']);
    expect(screen.shown).toEqual(['before', 'c', 'd', 'e', '']);
    region.print('stays');
    expect(screen.shown).toEqual(['before', 'stays', 'c', 'd', 'e', '']);
    region.clear();
    region.clear();
    screen.write('after');
    expect(screen.shown).toEqual(['before', 'stays', 'after', '', '', '']);
  });

  it('writes only the lines that changed', () => {
    const { stream, region } = regionOn(80, 24);
    region.draw(['first', 'second']);
    const written: string[] = [];
    stream.write = ((text: string) => written.push(text) > 0) as typeof stream.write;
    region.draw(['first', 'other']);
    expect(written.join('')).toContain('other');
    expect(written.join('')).not.toContain('first');
  });

  it('is gone after Ctrl-C, with what the terminal shows of it', () => {
    const { screen, region } = regionOn(80, 24);
    region.draw(['steady, links of 50.00 Mbit/s', 'table']);
    screen.write('^C');
    region.clear();
    screen.write('interrupted\n');
    expect(screen.shown).toEqual(['interrupted', '', '']);
  });

  it('never scrolls once it is drawn, on whatever part of the screen', () => {
    const { screen, region } = regionOn(10, 4);
    screen.write('1\n2\n3\n');
    region.draw(['a', 'b', 'c', 'too much']);
    const { length } = screen.scrolled;
    for (let turn = 0; turn < 50; turn++) region.draw([`a${turn}`, 'a line that is too long', 'c']);
    expect(screen.shown).toEqual(['a49', 'a line tha', 'c', '']);
    expect(screen.scrolled).toHaveLength(length);
  });

  it('loses the colours of a line that is too long, and no others', () => {
    const { stream, region } = regionOn(5, 4);
    const written: string[] = [];
    stream.write = ((text: string) => written.push(text) > 0) as typeof stream.write;
    region.draw(['\u001b[31m123456789\u001b[39m', '\u001b[31mabc\u001b[39m']);
    expect(written.filter((text) => text.includes('1') && text.length > 4)).toEqual([
      '12345',
      '\u001b[31mabc\u001b[39m',
    ]);
  });

  it('finds its first line in a terminal that has become narrower', () => {
    const { screen, stream, region } = regionOn(8, 9);
    // Drawn on sixteen columns, of which eight are left: the terminal has wrapped both.
    stream.columns = 16;
    region.draw(['123456789012', 'abcdefghijkl']);
    stream.columns = 8;
    region.draw(['new', 'lines']);
    expect(screen.shown.slice(0, 2)).toEqual(['new', 'lines']);
  });

  it('leaves its last lines when it is done', () => {
    const { screen, region } = regionOn(80, 24);
    region.draw(['a']);
    region.done();
    region.draw(['b']);
    expect(screen.shown).toEqual(['a', 'b', '']);
  });

  it('says what a line and all lines together may take', () => {
    const { stream, region } = regionOn(60, 12);
    expect(region.size).toEqual({ columns: 60, rows: 11 });
    Object.assign(stream, { columns: 0, rows: 0 });
    expect(region.size).toEqual({ columns: 80, rows: 23 });
  });

  it.each([
    [{}, {}],
    [{ isTTY: true }, { TERM: 'dumb' }],
  ])('is nothing on %j with %j', (shape, environment) => {
    const { stream, written } = terminal(shape);
    const region = new LiveRegion(stream, environment);
    region.draw(['a']);
    expect(region.isLive).toBe(false);
    region.print('line');
    expect(written()).toBe('line\n');
  });
});
