import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IntervalLog } from '../../../src/apps/perf/interval-log.js';
import { Results } from '../../../src/apps/shared/results.js';
import { said } from '../../harness/said.js';

/** A test that brings 1,000 bytes a millisecond on each flow. */
function bed({ flows = 1, isJson = false, intervalNs = 1e9, omitNs = 0 } = {}) {
  const stream = new PassThrough();
  const log = new IntervalLog({ results: isJson ? null : new Results(stream), intervalNs });
  const clock = { nowNs: 0 };
  const progress = () => ({ nowNs: clock.nowNs, bytes: new Array(flows).fill(clock.nowNs / 1e3) });
  log.start({ nowNs: 0, flows, omitNs, progress });
  const pass = (ms: number): void => {
    clock.nowNs += ms * 1e6;
    vi.advanceTimersByTime(ms);
  };
  return { log, pass, text: () => said(stream) };
}

describe('the log of intervals', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('writes a line an interval, and the rest at the end', () => {
    const { log, pass, text } = bed();
    for (let time = 0; time < 2; time++) pass(1_000);
    pass(500);
    log.stop();
    log.stop();
    pass(1_000);
    expect(text().split('\n')).toEqual([
      '  0.00-  1.00 s  8.000 Mbit/s  976.6 KiB',
      '  1.00-  2.00 s  8.000 Mbit/s  976.6 KiB',
      '  2.00-  2.50 s  8.000 Mbit/s  488.3 KiB',
      '',
    ]);
    expect(log.intervals).toEqual([]);
  });

  it('leaves a rest out that is too short to say something', () => {
    const { log, pass } = bed({ isJson: true });
    pass(1_000);
    pass(99);
    log.stop();
    expect(log.intervals).toHaveLength(1);
  });

  it('begins after the time that is left out', () => {
    const { log, pass, text } = bed({ omitNs: 500e6 });
    pass(500);
    pass(1_000);
    log.stop();
    expect(text()).toBe('  0.00-  1.00 s  8.000 Mbit/s  976.6 KiB\n');
  });

  it('says nothing of a test that ended before that time was over', () => {
    const { log, pass, text } = bed({ omitNs: 500e6 });
    pass(200);
    log.stop();
    pass(3_000);
    expect(text()).toBe('');
  });

  it('keeps the intervals for JSON and writes nothing', () => {
    const { log, pass, text } = bed({ isJson: true, flows: 2 });
    pass(1_000);
    pass(1_000);
    log.stop();
    expect(text()).toBe('');
    expect(log.intervals).toMatchObject([
      { startS: 0, endS: 1, bytes: 2_000_000 },
      { startS: 1, endS: 2, bytes: 2_000_000 },
    ]);
  });

  it('keeps a bounded number, and counts the rest', () => {
    const { log, pass } = bed({ isJson: true, flows: 500_000 });
    for (let time = 0; time < 3; time++) pass(1_000);
    log.stop();
    expect(log.intervals).toHaveLength(2);
    expect(log.omitted).toBe(1);
  });

  it('says nothing of a test that never began', () => {
    const log = new IntervalLog({ results: null, intervalNs: 1e9 });
    log.stop();
    expect(log.intervals).toEqual([]);
  });
});
