import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LabProgress } from '../../../src/apps/lab/lab-progress.js';
import { said } from '../../harness/said.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function terminal(isTTY: boolean) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  return { stream, shown: () => said(stream) };
}

describe('LabProgress', () => {
  it('shows the phase, and in the run how far it is', () => {
    const { stream, shown } = terminal(true);
    const progress = new LabProgress(stream, { name: 'lab', durationNs: 4e9 });
    progress.show('rehearsing', null);
    expect(shown()).toContain("'lab'  [------------------------------]  rehearsing\n");
    const run = { nowNs: -1e8 };
    progress.show('running', run);
    expect(shown()).toContain('running  0 ns of 4.000 s');
    run.nowNs = 2e9;
    vi.advanceTimersByTime(100);
    expect(shown()).toContain("'lab'  [###############---------------]  running  2.000 s of 4.000 s");
    progress.clear();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is silent where there is no terminal', () => {
    const { stream, shown } = terminal(false);
    new LabProgress(stream, { name: 'lab', durationNs: 4e9 }).show('starting', null);
    expect(shown()).toBe('');
  });
});
