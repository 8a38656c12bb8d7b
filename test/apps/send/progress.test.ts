import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PaceMeter, ProgressDisplay, progressLine } from '../../../src/apps/send/progress.js';
import { said } from '../../harness/said.js';

describe('the pace of a file', () => {
  it('is its rate and the time that is left', () => {
    const pace = new PaceMeter(100e6, 0);
    pace.sample(10e6, 1e9);
    expect(pace.rateBps).toBe(80e6);
    expect(pace.remainingNs).toBe(9e9);
  });

  it('follows a change within seconds and does not jump with every sample', () => {
    const pace = new PaceMeter(1e9, 0);
    for (let step = 1; step <= 50; step++) pace.sample(step * 1e6, step * 1e8);
    expect(pace.rateBps).toBeCloseTo(80e6, 0);
    pace.sample(50e6, 51e8);
    expect(pace.rateBps).toBeGreaterThan(70e6);
    for (let step = 52; step <= 100; step++) pace.sample(50e6, step * 1e8);
    expect(pace.rateBps).toBeLessThan(1e6);
  });

  it('is unknown before the first sample', () => {
    expect(new PaceMeter(1, 5).rateBps).toBeNaN();
  });

  it('does not change when no time has passed', () => {
    const pace = new PaceMeter(100, 5);
    pace.sample(50, 5);
    expect(pace.rateBps).toBeNaN();
  });
});

describe('the line of a file', () => {
  it('has name, bar, part, size, rate and time left', () => {
    const pace = new PaceMeter(16_777_216, 0);
    pace.sample(4_194_304, 1e9);
    expect(progressLine('big.iso', 16_777_216, 4_194_304, pace)).toBe(
      "'big.iso'  [##----]   25 %  4.000 MiB  33.55 Mbit/s  ETA 3.000 s",
    );
  });

  it('fits 80 columns whatever its name', () => {
    const pace = new PaceMeter(2e12, 0);
    pace.sample(1e9, 1e9);
    const line = progressLine(`${'a/'.repeat(60)}end`, 2e12, 1e9, pace);
    expect(line).toContain("a/end'");
    expect(line.length).toBeLessThanOrEqual(80);
  });

  it('never shows more than the whole', () => {
    const pace = new PaceMeter(100, 0);
    pace.sample(100, 1e9);
    expect(progressLine('a', 100, 180, pace)).toContain('  100 %  100 B  ');
  });

  it('shows an empty file as whole', () => {
    expect(progressLine('a', 0, 0, new PaceMeter(0, 0))).toContain('  100 %  ');
  });
});

describe('the progress on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function display(isTTY: boolean) {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 200, rows: 24 });
    let nowNs = 0;
    const shown = new ProgressDisplay(stream, () => nowNs, [
      { header: { bytes: 1_000 } },
      { header: { bytes: 1_000 } },
    ]);
    const pass = (milliseconds: number): string => {
      nowNs += milliseconds * 1e6;
      vi.advanceTimersByTime(milliseconds);
      return said(stream);
    };
    return { shown, pass };
  }

  it('is drawn for every file under way, and goes at the end', () => {
    const { shown, pass } = display(true);
    shown.start();
    const first = { name: 'first', bytes: 1_000, sentBytes: () => 500 };
    shown.add(first);
    shown.add({ name: 'second', bytes: 1_000, sentBytes: () => 900 });
    const drawn = pass(100);
    expect(drawn).toContain("'first'");
    expect(drawn).toContain("'second'");
    expect(drawn).toMatch(/0\/2 files .* 70 %/);
    shown.remove(first);
    expect(pass(100)).not.toContain("'first'");
    shown.stop();
    const cleared = pass(0);
    expect(cleared).toContain('\u001b[2K');
    expect(cleared).not.toContain("'second'");
    expect(pass(1_000)).toBe('');
  });

  it('is nothing anywhere else', () => {
    const { shown, pass } = display(false);
    shown.start();
    shown.add({ name: 'first', bytes: 1_000, sentBytes: () => 500 });
    expect(pass(1_000)).toBe('');
    shown.stop();
    expect(pass(0)).toBe('');
  });
});
