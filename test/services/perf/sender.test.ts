import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Sender } from '../../../src/net/sender.js';
import { PerfSender } from '../../../src/services/perf/sender.js';
import type { FlowHost } from '../../../src/services/service.js';
import { perfRequest } from '../../harness/perf-request.js';

/** Its flows get no credit, and only the host knows the time. */
function deaf(request: ReturnType<typeof perfRequest>) {
  const state = { nowNs: 5e9, ended: 0 };
  const host = {
    frameBytes: 1_472,
    now: () => state.nowNs,
    run: <T>(action: (nowNs: number) => T) => action(state.nowNs),
  };
  const flow = { unsentBytes: 0, write: () => true, end: () => state.ended++, reset: () => {} };
  const open = () => flow as unknown as Sender;
  const sender = new PerfSender({ request, host: host as unknown as FlowHost, open, onDone: () => {} });
  sender.open();
  sender.start();
  return { state, sender };
}

describe('the sending side of a test', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends flows that get no credits when the time of the host is over, and not before', () => {
    vi.useFakeTimers();
    const { state, sender } = deaf({ ...perfRequest(3), omitNs: 0.5e9 });
    vi.advanceTimersByTime(1_600);
    expect(state.ended).toBe(0);
    state.nowNs += 1.5e9;
    vi.advanceTimersByTime(1_500);
    expect(state.ended).toBe(3);
    sender.abort();
    expect(vi.getTimerCount()).toBe(0);
  });
});
