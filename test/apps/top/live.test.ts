import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { LiveTop } from '../../../src/apps/top/live.js';
import { parseExposition, type Reading } from '../../../src/apps/top/reading.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { Failure } from '../../../src/base/failure.js';

const INTERVAL_MS = 1_000;

function reading(second: number): Reading {
  const text = `xpass_port_data_frames_total{port="a"} 1\nxpass_port_credit_frames_total{port="a"} ${second * 700}`;
  return { atNs: second * 1e9, families: parseExposition(text) };
}

/** A terminal of 80x24 before which somebody sits, and a process that answers as long as `isUp`. */
function bench() {
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const drawn: string[] = [];
  screen.on('data', (bytes: Buffer) => drawn.push(stripVTControlCharacters(bytes.toString())));
  const keys = Object.assign(new EventEmitter(), { setRawMode: vi.fn(), resume: vi.fn(), pause: vi.fn() });
  const process = { isUp: true, reads: 0 };
  const source = {
    address: '127.0.0.1:9100',
    read: async () => {
      process.reads++;
      if (process.isUp) return reading(process.reads);
      throw new Failure(ExitCode.peer, 'no metrics at 127.0.0.1:9100 (ECONNREFUSED)');
    },
    close: () => {},
  };
  const live = new LiveTop(
    { source, intervalMs: INTERVAL_MS, sort: 'load', screen, keys: keys as unknown as ReadStream },
    reading(0),
  );
  const press = (name: string, ctrl = false): boolean => keys.emit('keypress', '', { name, ctrl });
  /** What was drawn since the last call, after so many intervals. */
  const seen = async (intervals: number): Promise<string> => {
    await vi.advanceTimersByTimeAsync(intervals * INTERVAL_MS);
    return drawn.splice(0).join('');
  };
  return { live, keys, process, press, seen, screen };
}

describe('a live table', () => {
  it('follows the process, says when it is lost, and goes on when it answers again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { live, process, seen } = bench();
    expect(await seen(0)).toContain('waiting for two readings');
    expect(await seen(1)).toMatch(/a +- +0 +0 +700 /);
    process.isUp = false;
    expect(await seen(1)).toContain('[no metrics at 127.0.0.1:9100 (ECONNREFUSED)]');
    process.isUp = true;
    expect(await seen(2)).toMatch(/xpass top {2}127.0.0.1:9100\n/);
    live.quit();
    await live.over;
    const { reads } = process;
    await seen(3);
    expect(process.reads).toBe(reads);
    vi.useRealTimers();
  });

  it('heeds keys, and gives the terminal back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { live, keys, process, press, seen, screen } = bench();
    await seen(1);
    press('p');
    expect(await seen(3)).toContain('[paused]');
    expect(process.reads).toBe(1);
    press('s');
    expect(await seen(0)).toContain('QUEUE');
    press('left');
    expect(await seen(0)).toContain('LOAD');
    for (const name of ['up', 'down', 'x']) press(name);
    screen.columns = 20;
    screen.emit('resize');
    const lines = (await seen(0)).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(20);
    press('c', true);
    await live.over;
    expect(keys.setRawMode.mock.calls).toEqual([[true], [false]]);
    expect([keys.listenerCount('keypress'), screen.listenerCount('resize')]).toEqual([0, 0]);
    vi.useRealTimers();
  });
});
