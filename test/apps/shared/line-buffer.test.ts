import { describe, expect, it } from 'vitest';
import { LineBuffer } from '../../../src/apps/shared/line-buffer.js';

function linesOf(buffer: LineBuffer): string[] {
  const lines: string[] = [];
  for (let line = buffer.shift(); line !== undefined; line = buffer.shift()) lines.push(line);
  return lines;
}

describe('LineBuffer', () => {
  it('cuts at line feeds, wherever the chunks end', () => {
    const text = '{"a":1}\n\ngrün\nlast';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size++) {
      const buffer = new LineBuffer(100);
      const lines: string[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        expect(buffer.push(bytes.subarray(at, at + size))).toBe(true);
        lines.push(...linesOf(buffer));
      }
      expect(lines, `chunks of ${size}`).toEqual(['{"a":1}', '', 'grün']);
      buffer.push(Buffer.from('\n'));
      expect(linesOf(buffer)).toEqual(['last']);
    }
  });

  it('takes a line of exactly the bound and refuses a longer one, complete or not', () => {
    const line = Buffer.alloc(10, 'x');
    expect(new LineBuffer(10).push(Buffer.concat([line, Buffer.from('\n')]))).toBe(true);
    expect(new LineBuffer(9).push(line)).toBe(false);
    const inPieces = new LineBuffer(15);
    expect(inPieces.push(line)).toBe(true);
    expect(inPieces.push(line)).toBe(false);
  });

  it('gives the lines before one that is too long', () => {
    const buffer = new LineBuffer(5);
    expect(buffer.push(Buffer.from('one\ntwo\nthree and more'))).toBe(false);
    expect(linesOf(buffer)).toEqual(['one', 'two']);
  });

  it('takes a chunk of nothing but line ends', () => {
    const buffer = new LineBuffer(5);
    expect(buffer.push(Buffer.alloc(65_536, '\n'))).toBe(true);
    expect(linesOf(buffer)).toHaveLength(65_536);
  });
});
