import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openOutput, strftime, writePidfile } from '../../../src/apps/perf/output.js';
import { Results } from '../../../src/apps/shared/results.js';
import { said } from '../../harness/said.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'xpass-perf-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('the output of perf', () => {
  it('has title and time in front of lines, and nothing in front of JSON', () => {
    const stream = new PassThrough();
    const output = openOutput(new Results(stream), { logfile: undefined, title: 'one', timestamps: '%% ' });
    output.line('a');
    output.json({ b: 1 });
    expect(said(stream)).toBe('% one:  a\n{"b":1}\n');
  });

  it('is appended to a file', () => {
    const logfile = join(folder(), 'log');
    for (const text of ['a', 'b']) {
      const output = openOutput(new Results(new PassThrough()), { logfile, title: undefined, timestamps: undefined });
      output.line(text);
      output.close();
    }
    expect(readFileSync(logfile, 'utf8')).toBe('a\nb\n');
  });

  it('names a file that cannot be written', () => {
    expect(() => writePidfile(join(folder(), 'no', 'pid'))).toThrow(join('no', 'pid'));
  });

  it('writes the number of the process and takes it back', () => {
    const path = join(folder(), 'pid');
    const remove = writePidfile(path);
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    remove();
    expect(() => readFileSync(path)).toThrow('ENOENT');
  });

  it('writes times as strftime does', () => {
    const date = new Date(2026, 0, 2, 3, 4, 5);
    expect(strftime('%F %T %e %b %Q%%', date)).toBe('2026-01-02 03:04:05  2 Jan %Q%');
    expect(strftime('%c', date)).toBe('Fri Jan  2 03:04:05 2026');
  });
});
