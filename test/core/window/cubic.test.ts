import { describe, expect, it } from 'vitest';
import { WindowEvent } from '../../../src/core/window/algorithm.js';
import { windowAlgorithm } from '../../../src/core/window/registry.js';
import { acknowledge, sampleOf, TEN_GIGABIT } from './sample.js';

const cubic = (parameters = {}) => windowAlgorithm('cubic', TEN_GIGABIT, { initial_window: 100, ...parameters });
const loss = { event: WindowEvent.recovery, ackedFrames: 0, ackedNumber: 5, sentFrames: 100 };

describe('cubic', () => {
  it('falls to beta of its window for a loss or a mark, once for a round trip', () => {
    const flow = cubic();
    flow.update(sampleOf(loss));
    expect(flow.state()).toMatchObject({ cwnd: 70, ssthresh: 70, w_max: 100 });
    acknowledge(flow, [6, 100], { markedFrames: 1, sentFrames: 150 });
    expect(flow.windowFrames).toBe(70);
    acknowledge(flow, [100, 101], { markedFrames: 1, sentFrames: 170 });
    // Fast convergence: 70 is below 100, so w_max is 70 * 1.7 / 2.
    expect(flow.state()).toMatchObject({ cwnd: 49, w_max: 59.5 });
  });

  it('may be told not to heed marks', () => {
    const flow = cubic({ heeds_marks: 0 });
    acknowledge(flow, [0, 1], { markedFrames: 1, sentFrames: 100 });
    expect(flow.windowFrames).toBe(101);
  });

  it('is back at w_max after K seconds and flat there', () => {
    const flow = cubic();
    flow.update(sampleOf(loss));
    const at = (nowNs: number, number: number) =>
      acknowledge(flow, [number, number + 1], { nowNs, sentFrames: number + 70, smoothedRttNs: 0 });
    at(0, 100);
    // K = cbrt((100 - 70) / 0.4).
    const k = Math.cbrt(30 / 0.4);
    expect(flow.state().k).toBeCloseTo(k, 12);
    const before = flow.windowFrames;
    at((k / 2) * 1e9, 101);
    // At K / 2: 100 - 0.4 * (K / 2)^3 = 96.25; an acknowledgement goes the way to it by one of the window's parts.
    expect(flow.windowFrames).toBeCloseTo(before + (96.25 - before) / before, 9);
    for (let number = 102; number < 4_000; number++) at(k * 1e9, number);
    expect(flow.windowFrames).toBeCloseTo(100, 3);
  });

  it('never grows more slowly than Reno would', () => {
    const flow = cubic({ c: 0.001 });
    flow.update(sampleOf(loss));
    acknowledge(flow, [100, 170], { sentFrames: 240, nowNs: 1_000 });
    // alpha = 3 * 0.3 / 1.7 for each window.
    const reno = 70 + (3 * 0.3) / 1.7;
    expect(flow.windowFrames).toBeGreaterThan(reno - 0.01);
    expect(flow.windowFrames).toBeLessThan(reno + 0.01);
  });

  it('begins again with one frame after a timeout', () => {
    const flow = cubic();
    flow.update(sampleOf({ ...loss, event: WindowEvent.timeout, inFlightFrames: 50 }));
    expect(flow.state()).toMatchObject({ cwnd: 1, ssthresh: 35, w_max: 100 });
  });
});
