import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Results } from '../../../src/apps/shared/results.js';
import { Failure } from '../../../src/base/failure.js';
import { said } from '../../harness/said.js';

function failing(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code, syscall: 'write' })),
  });
}

describe('results', () => {
  it('are lines of text and of JSON', async () => {
    const stream = new PassThrough();
    const results = new Results(stream);
    results.line('a\nb');
    results.json({ rate: 1 });
    await results.flush();
    expect(said(stream)).toBe('a\nb\n{"rate":1}\n');
    expect(results.isBroken).toBe(false);
  });

  it('have as much room as the terminal, and any amount elsewhere', () => {
    const shaped = (shape: object): number => new Results(Object.assign(new PassThrough(), shape)).columnsWide;
    expect(shaped({ isTTY: true, columns: 132 })).toBe(132);
    expect(shaped({ isTTY: true, columns: 0 })).toBe(80);
    expect(shaped({})).toBe(Number.POSITIVE_INFINITY);
  });

  it('are dropped without a word when their reader has gone', async () => {
    const results = new Results(failing('EPIPE'));
    results.line('a');
    await results.flush();
    expect(results.isBroken).toBe(true);
    results.line('b');
    await results.flush();
  });

  it('that cannot be written are a failure that says so', async () => {
    const results = new Results(failing('ENOSPC'));
    results.line('a');
    await expect(results.flush()).rejects.toThrow('standard output: no space is left on the device');
    await expect(results.flush()).rejects.toThrow(Failure);
  });

  it('whose reader stops are a failure in time, and neither wait nor grow for ever', async () => {
    const stuck = new Writable({ write: () => {}, highWaterMark: 1 });
    const results = new Results(stuck, 300);
    const line = 'x'.repeat(2 ** 20);
    for (let count = 0; count < 100; count++) results.line(line);
    expect(stuck.writableLength).toBeLessThan(18 * 2 ** 20);
    expect(results.dropped).toBeGreaterThan(80);
    await expect(results.flush()).rejects.toThrow('standard output: its reader has read nothing for 0.3 s');
    await expect(new Results(stuck, 100).flush()).rejects.toThrow(Failure);
  });

  it('whose reader is slow are all there, however long it takes', async () => {
    let taken = 0;
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, done) => {
        taken += chunk.length;
        setTimeout(done, 80);
      },
    });
    const results = new Results(slow, 400);
    for (let count = 0; count < 10; count++) results.line('a');
    await results.flush();
    expect(taken).toBe(20);
  });
});
