import { describe, expect, it } from 'vitest';
import { CLOCK_PERIOD_NS, WindowEvent, type WindowSample } from '../../../src/core/window/algorithm.js';
import { windowAlgorithm } from '../../../src/core/window/registry.js';
import { acknowledge, sampleOf, TEN_GIGABIT } from './sample.js';

const RTT = 100_000;
const FRAME = 1_230.4;

/** A flow of 20 frames beyond slow start, without headroom, whose round trips are one acknowledgement each. */
function bench(parameters = {}, link = TEN_GIGABIT) {
  const flow = windowAlgorithm('dx', link, { initial_window: 38, headroom: 0, ...parameters });
  let sent = 0;
  /** The acknowledgement of a frame that took `queueNs` longer on its way. */
  const round = (queueNs: number, changes: Partial<WindowSample> = {}) => {
    const delays = { rttNs: RTT + queueNs, forwardNs: 50_000 + queueNs };
    acknowledge(flow, [sent, sent + 1], { sentFrames: sent + 1, ...delays, ...changes });
    sent++;
  };
  round(0);
  round(0);
  flow.update(sampleOf({ event: WindowEvent.recovery, ackedNumber: 1, sentFrames: 2, ackedFrames: 0 }));
  return { flow, round };
}

describe('dx', () => {
  it('adds one frame a round trip without a queue, and none while it has less to send', () => {
    const { flow, round } = bench();
    const { windowFrames } = flow;
    round(0);
    round(0);
    expect(flow.windowFrames).toBeCloseTo(windowFrames + 2, 12);
    round(0, { isWindowLimited: false });
    expect(flow.windowFrames).toBeCloseTo(windowFrames + 2, 12);
  });

  it('falls by what drains the mean queue of a round trip: W R / (R + Q)', () => {
    const { flow, round } = bench();
    const { windowFrames } = flow;
    round(25_000);
    expect(flow.windowFrames).toBeCloseTo((windowFrames * RTT) / (RTT + 25_000), 9);
    expect(flow.state().queueing_delay).toBe(25_000);
  });

  it('does not fall twice for frames that were sent before it fell', () => {
    const { flow, round } = bench();
    round(25_000, { sentFrames: 12 });
    const { windowFrames } = flow;
    acknowledge(flow, [3, 12], { sentFrames: 24, rttNs: 2 * RTT, forwardNs: 150_000 });
    expect(flow.windowFrames).toBe(windowFrames);
  });

  it('takes the way to the receiver alone, whatever acknowledgements wait for', () => {
    const { flow, round } = bench();
    const { windowFrames } = flow;
    round(0, { rttNs: 3 * RTT });
    expect(flow.windowFrames).toBeCloseTo(windowFrames + 1, 12);
  });

  it('takes no more for a queue than the RTT has grown by, so that clocks may drift', () => {
    const { flow, round } = bench();
    const { windowFrames } = flow;
    round(0, { forwardNs: 70_000 });
    expect(flow.windowFrames).toBeCloseTo(windowFrames + 1, 12);
    round(0, { forwardNs: 90_000, rttNs: RTT + 10_000 });
    expect(flow.state().queueing_delay).toBe(10_000);
  });

  it('follows a clock that runs slower: a new least delay is the base', () => {
    const { flow, round } = bench();
    round(0, { forwardNs: 20_000 });
    round(0, { forwardNs: 30_000, rttNs: 2 * RTT });
    expect(flow.state().queueing_delay).toBe(10_000);
  });

  it('measures across the end of the period of the clocks, and queues that are longer than it', () => {
    const { flow, round } = bench();
    round(0, { forwardNs: CLOCK_PERIOD_NS - 1_000 });
    round(0, { forwardNs: 4_000, rttNs: 2 * RTT });
    expect(flow.state().queueing_delay).toBe(5_000);
    const long = bench();
    long.round(0, { forwardNs: 60_000, rttNs: RTT + CLOCK_PERIOD_NS + 20_000 });
    expect(long.flow.state().queueing_delay).toBe(CLOCK_PERIOD_NS + 10_000);
  });

  it('leaves out time in the hosts', () => {
    const { flow, round } = bench();
    const { windowFrames } = flow;
    round(0, { rttNs: RTT + 60_000, remoteQueuingNs: 40_000, localQueuingNs: 20_000, forwardNs: 55_000 });
    expect(flow.windowFrames).toBeCloseTo(windowFrames + 1, 12);
  });

  it('takes no short frame for the base of full ones', () => {
    const { flow, round } = bench();
    const { windowFrames } = flow;
    round(-20_000, { ackedBytes: 100 });
    round(0);
    expect(flow.windowFrames).toBeCloseTo(windowFrames + 2, 12);
  });

  it('goes on with shorter frames when the path takes no longer ones', () => {
    const { flow, round } = bench();
    round(-20_000, { ackedBytes: 700 });
    round(-20_000, { ackedBytes: 700 });
    round(-10_000, { ackedBytes: 700 });
    expect(flow.state().queueing_delay).toBe(10_000);
  });

  it('takes a mean of two frames for no queue, or the lateness of processes where that is more', () => {
    const { flow, round } = bench({ headroom: 2 });
    round(2 * FRAME - 1);
    expect(flow.state().queueing_delay).toBe(0);
    round(2 * FRAME + 500);
    expect(flow.state().queueing_delay).toBeCloseTo(500, 6);
    const late = bench({}, { ...TEN_GIGABIT, latenessNs: 1e6 });
    late.round(1e6);
    expect(late.flow.state().queueing_delay).toBe(0);
  });

  it('doubles in slow start, which the first queue ends', () => {
    const flow = windowAlgorithm('dx', TEN_GIGABIT);
    acknowledge(flow, [0, 1], { sentFrames: 10 });
    // The initial window was one burst, which waited for itself.
    acknowledge(flow, [1, 10], { sentFrames: 20, rttNs: RTT + 9 * FRAME, forwardNs: 9 * FRAME });
    expect(flow.windowFrames).toBe(20);
    expect(flow.pacingGapNs).toBeCloseTo(RTT / (2 * 20), 9);
    acknowledge(flow, [10, 11], { sentFrames: 22, rttNs: 2 * RTT, forwardNs: RTT });
    const { cwnd, ssthresh } = flow.state();
    expect(cwnd).toBeCloseTo((21 * RTT) / (2 * RTT - 2 * FRAME), 9);
    expect(cwnd).toBe(ssthresh);
    expect(flow.pacingGapNs).toBeCloseTo(RTT / (1.2 * cwnd), 9);
  });

  it('halves for a loss, once a round trip, and begins anew after a timeout', () => {
    const { flow, round } = bench();
    round(0);
    const { windowFrames } = flow;
    flow.update(sampleOf({ event: WindowEvent.recovery, ackedNumber: 3, sentFrames: 20, ackedFrames: 0 }));
    flow.update(sampleOf({ event: WindowEvent.recovery, ackedNumber: 4, sentFrames: 21, ackedFrames: 0 }));
    expect(flow.windowFrames).toBeCloseTo(windowFrames / 2, 12);
    flow.update(sampleOf({ event: WindowEvent.timeout, ackedFrames: 0 }));
    expect(flow.windowFrames).toBe(1);
  });
});
