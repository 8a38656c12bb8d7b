import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FileHeader, parseFileHeader } from '../../../src/services/file/file-header.js';
import { PipeSink } from '../../../src/services/file/pipe-sink.js';
import type { Verdict } from '../../../src/services/file/verdict.js';

const HEADER = parseFileHeader({ kind: 'file', name: 'x.tar', bytes: null }) as FileHeader;
const digestOf = (text: string) => ({ kind: 'digest', sha256: createHash('sha256').update(text).digest('hex') });

/** A sink whose reader takes what it is told to take. */
function slowPipe() {
  const waiting: { text: string; done: (error?: Error | null) => void }[] = [];
  const seen = { drained: 0, verdicts: [] as Verdict[], text: '' };
  const sink = new PipeSink(HEADER, {
    sink: { write: (bytes, done) => waiting.push({ text: Buffer.from(bytes).toString(), done }) },
    onDrained: (bytes) => {
      seen.drained += bytes;
    },
    onVerdict: (verdict) => seen.verdicts.push(verdict),
  });
  const read = (error: Error | null = null): void => {
    const next = waiting.shift();
    seen.text += next?.text ?? '';
    next?.done(error);
  };
  return { sink, seen, read };
}

describe('PipeSink', () => {
  it('releases a byte when the reader has it, and judges when all is read', () => {
    const { sink, seen, read } = slowPipe();
    const chunk = Buffer.from('abc');
    sink.onBody(chunk);
    chunk.fill(0);
    sink.onBody(Buffer.from('de'));
    sink.onEnd(digestOf('abcde'));
    expect(seen).toMatchObject({ drained: 0, verdicts: [] });
    read();
    expect(seen.drained).toBe(3);
    read();
    expect(seen.verdicts).toEqual([]);
    read();
    expect(seen).toMatchObject({ drained: 5, text: 'abcde', verdicts: [{ ok: true }] });
  });

  it('says so when the digest is another, or none', () => {
    for (const [trailer, code] of [
      [digestOf('xyz'), 'badDigest'],
      [null, 'badMessage'],
    ] as const) {
      const { sink, seen, read } = slowPipe();
      sink.onBody(Buffer.from('abc'));
      sink.onEnd(trailer);
      read();
      read();
      expect(seen.verdicts).toMatchObject([{ ok: false, code }]);
    }
  });

  it('names a reader that is gone, once, and drains the rest', () => {
    const { sink, seen, read } = slowPipe();
    sink.onBody(Buffer.from('abc'));
    read(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', errno: -32, syscall: 'write' }));
    sink.onBody(Buffer.from('de'));
    sink.onEnd(digestOf('abcde'));
    read();
    sink.abort('of a signal');
    expect(seen.drained).toBe(5);
    expect(seen.verdicts).toMatchObject([{ ok: false, code: 'io', message: expect.stringContaining('reader') }]);
  });
});
