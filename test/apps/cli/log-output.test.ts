import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LogOutput } from '../../../src/apps/cli/log-output.js';

/** Takes nothing until it is told to, as a pipe whose reader has stopped. */
class Stalled extends Writable {
  text = '';
  private release: (() => void) | null = null;
  isStalled = true;

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    const take = (): void => {
      this.text += String(chunk);
      callback();
    };
    if (this.isStalled) this.release = take;
    else take();
  }

  go(): void {
    this.isStalled = false;
    this.release?.();
  }
}

const droppedLine = (count: number): string => `dropped ${count}\n`;
const LINE = `${'x'.repeat(1_023)}\n`;

describe('the output of a log', () => {
  it('keeps a bounded part of what nobody reads, drops the rest, and says how much once somebody reads', async () => {
    const stream = new Stalled();
    const output = new LogOutput({ stream, fd: null, droppedLine });
    for (let line = 0; line < 2_000; line++) output.write(LINE);
    expect(stream.writableLength).toBe(1_024);
    expect(output.dropped).toBe(2_000 - 1 - 256);
    stream.go();
    await output.flush();
    expect(stream.text).toBe(`${LINE.repeat(257)}dropped 1743\n`);
    output.write('again\n');
    expect(stream.text.endsWith('1743\nagain\n')).toBe(true);
  });

  it('waits a second at most for its reader in the end', async () => {
    const output = new LogOutput({ stream: new Stalled(), fd: null, droppedLine });
    output.write(LINE);
    const startMs = performance.now();
    await output.flush();
    expect(performance.now() - startMs).toBeGreaterThan(900);
  });

  it('writes what waits to its file when the process ends at once', () => {
    const directory = mkdtempSync(join(tmpdir(), 'xpass-log-'));
    const path = join(directory, 'log');
    const fd = openSync(path, 'w');
    const output = new LogOutput({ stream: new Stalled(), fd, droppedLine });
    for (const line of ['in the stream\n', 'first\n', 'second\n']) output.write(line);
    output.flushSync();
    closeSync(fd);
    expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
    rmSync(directory, { recursive: true });
  });

  it('gives up with a reader that has gone', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('EPIPE')) });
    stream.on('error', () => {});
    const output = new LogOutput({ stream, fd: null, droppedLine });
    output.write(LINE);
    await new Promise((resolve) => setImmediate(resolve));
    for (let line = 0; line < 2_000; line++) output.write(LINE);
    await output.flush();
    expect(output.dropped).toBe(0);
  });
});
