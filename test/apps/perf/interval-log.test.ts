import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IntervalLog } from '../../../src/apps/perf/interval-log.js';
import type { Interval } from '../../../src/apps/perf/intervals.js';

/** A test that brings 1,000 bytes a millisecond on each flow. */
function bed({ flows = 1, intervalNs = 1e9, omitNs = 0 } = {}) {
  const told: Interval[] = [];
  const log = new IntervalLog({ intervalNs, omitNs, onInterval: (interval) => told.push(interval) });
  const clock = { nowNs: 0 };
  const rest = { repairs: [], underWayBytes: [], rtt: [] };
  log.start(() => ({ nowNs: clock.nowNs, bytes: new Array(flows).fill(clock.nowNs / 1e3), ...rest }));
  const pass = (ms: number): void => {
    clock.nowNs += ms * 1e6;
    vi.advanceTimersByTime(ms);
  };
  return { log, pass, told };
}

describe('the log of intervals', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells each interval, and the rest at the end', () => {
    const { log, pass, told } = bed();
    for (let time = 0; time < 2; time++) pass(1_000);
    pass(500);
    log.stop();
    log.stop();
    pass(1_000);
    expect(told.map(({ startS, endS, flowBytes }) => [startS, endS, flowBytes])).toEqual([
      [0, 1, [1e6]],
      [1, 2, [1e6]],
      [2, 2.5, [5e5]],
    ]);
    expect(log.intervals).toEqual(told);
  });

  it('leaves out a rest that is less than a tenth', () => {
    const { log, pass, told } = bed();
    pass(1_000);
    pass(99);
    log.stop();
    expect(told).toHaveLength(1);
  });

  it('counts anew when the time to omit is over, and says what was before', () => {
    const { log, pass, told } = bed({ omitNs: 1.5e9 });
    for (let time = 0; time < 7; time++) pass(500);
    log.stop();
    expect(told.map(({ startS, endS, isOmitted }) => [startS, endS, isOmitted])).toEqual([
      [0, 1, true],
      [1, 1.5, true],
      [0, 1, false],
      [1, 2, false],
    ]);
  });

  it('omits nothing more once it is stopped', () => {
    const { log, pass, told } = bed({ omitNs: 1.5e9 });
    pass(1_000);
    log.stop();
    pass(2_000);
    expect(told).toHaveLength(1);
  });

  it('has none when none are wanted', () => {
    const { log, pass, told } = bed({ intervalNs: 0 });
    pass(5_000);
    log.stop();
    expect(told).toEqual([]);
  });

  it('keeps a million numbers and counts what is beyond', () => {
    const { log, pass, told } = bed({ flows: 400_000 });
    for (let time = 0; time < 3; time++) pass(1_000);
    expect([log.intervals.length, log.omitted, told.length]).toEqual([2, 1, 3]);
  });
});
