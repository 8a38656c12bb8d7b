import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../src/services/control/lines.js';

const push = (splitter: LineSplitter, text: string) => splitter.push(Buffer.from(text));

describe('lines of the control', () => {
  it('end where their line end comes, however they are cut, and not before', () => {
    const splitter = new LineSplitter(100);
    expect(push(splitter, 'a\nb\r\nc')).toEqual(['a', 'b']);
    expect(push(splitter, 'd')).toEqual([]);
    expect(push(splitter, '\n\ne')).toEqual(['cd', '']);
  });

  it('keep characters of several bytes whole', () => {
    const splitter = new LineSplitter(100);
    const bytes = Buffer.from('fünf €\n');
    const lines = [...bytes].flatMap((byte) => splitter.push(Uint8Array.of(byte)));
    expect(lines).toEqual(['fünf €']);
  });

  it('are null beyond their bound', () => {
    const splitter = new LineSplitter(4);
    expect(push(splitter, 'abcd')).toEqual([]);
    expect(push(splitter, '\nabcde')).toEqual(['abcd', null]);
  });

  it('take time in proportion to their bytes', () => {
    const chunk = Buffer.alloc(1_024, 120);
    const timeOf = (chunks: number): number => {
      const splitter = new LineSplitter(Number.POSITIVE_INFINITY);
      const startMs = performance.now();
      for (let at = 0; at < chunks; at++) splitter.push(chunk);
      expect(push(splitter, '\n')[0]?.length).toBe(chunks * 1_024);
      return performance.now() - startMs;
    };
    timeOf(1_000);
    // 16 MiB in pieces of 1 KiB: 40 ms where each is copied once or twice, some 60 s where each is appended to the whole.
    expect(timeOf(16 * 1_024)).toBeLessThan(2_000);
  });
});
