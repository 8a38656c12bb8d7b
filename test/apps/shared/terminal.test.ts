import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { hasColors, LiveRegion, printable, progressBar } from '../../../src/apps/shared/terminal.js';
import { said } from '../../harness/said.js';

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

describe('a live region', () => {
  it('is drawn over itself', () => {
    const { stream, written } = terminal({ isTTY: true, columns: 80, rows: 24 });
    const region = new LiveRegion(stream);
    region.draw(['a', 'b']);
    expect(written()).toBe('a\nb\n');
    region.draw(['c']);
    expect(written()).toBe('\u001b[2A\u001b[0Jc\n');
    region.print('stays');
    expect(written()).toBe('\u001b[1A\u001b[0Jstays\nc\n');
    region.clear();
    expect(written()).toBe('\u001b[1A\u001b[0J');
    region.clear();
    expect(written()).toBe('');
  });

  it('leaves its last lines when it is done', () => {
    const { stream, written } = terminal({ isTTY: true, columns: 80, rows: 24 });
    const region = new LiveRegion(stream);
    region.draw(['a']);
    region.done();
    written();
    region.draw(['b']);
    expect(written()).toBe('b\n');
  });

  it('never wraps or scrolls, which would spoil the way back up', () => {
    const { stream, written } = terminal({ isTTY: true, columns: 5, rows: 3 });
    new LiveRegion(stream).draw(['\u001b[31m123456789\u001b[39m', '\u001b[31mabc\u001b[39m', 'third']);
    expect(written()).toBe('12345\n\u001b[31mabc\u001b[39m\n');
  });

  it('is nothing where there is no terminal', () => {
    const { stream, written } = terminal({});
    const region = new LiveRegion(stream);
    region.draw(['a']);
    expect(region.isLive).toBe(false);
    region.print('line');
    expect(written()).toBe('line\n');
  });
});
