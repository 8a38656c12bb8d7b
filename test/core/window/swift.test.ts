import { describe, expect, it } from 'vitest';
import { WindowEvent } from '../../../src/core/window/algorithm.js';
import { windowAlgorithm } from '../../../src/core/window/registry.js';
import { acknowledge, sampleOf, TEN_GIGABIT } from './sample.js';

/** Targets that do not depend on the window: 100 us in the fabric, 100 us in the hosts. */
const FIXED = { base_target: 100, hop_delay: 0, fs_range: 0, initial_window: 8 };
const swift = (parameters = {}) => windowAlgorithm('swift', TEN_GIGABIT, { ...FIXED, ...parameters });
const fast = { rttNs: 99_000 };

describe('swift', () => {
  it('adds ai frames an RTT while the delay is below the target', () => {
    const flow = swift({ ai: 2 });
    acknowledge(flow, [0, 1], fast);
    expect(flow.windowFrames).toBeCloseTo(8 + 2 / 8, 12);
    acknowledge(flow, [1, 2], { ...fast, ackedFrames: 3 });
    expect(flow.windowFrames).toBeCloseTo(8.25 + 6 / 8.25, 12);
    acknowledge(flow, [2, 3], { ...fast, isWindowLimited: false });
    expect(flow.windowFrames).toBeCloseTo(8.25 + 6 / 8.25, 12);
  });

  it('falls by beta times the excess, by max_mdf at most, and once an RTT', () => {
    const flow = swift();
    // 125 us: 1 - 0.8 * 25 / 125 = 0.84.
    acknowledge(flow, [0, 1], { rttNs: 125_000, nowNs: 1_000_000 });
    expect(flow.windowFrames).toBeCloseTo(8 * 0.84, 12);
    acknowledge(flow, [1, 2], { rttNs: 125_000, nowNs: 1_124_999 });
    expect(flow.windowFrames).toBeCloseTo(8 * 0.84, 12);
    // 1,000 us: 1 - 0.8 * 0.9 = 0.28, but no less than 0.5.
    acknowledge(flow, [2, 3], { rttNs: 1_000_000, nowNs: 2_000_000 });
    expect(flow.windowFrames).toBeCloseTo(8 * 0.84 * 0.5, 12);
  });

  it('holds delays in the hosts apart from those in the fabric, and filters them', () => {
    const flow = swift({ endpoint_ewma: 0.5 });
    // 300 us of the 350 us were in the hosts: the fabric is fine, and the filtered 150 us are 50 above the target.
    const sample = { rttNs: 350_000, remoteQueuingNs: 250_000, localQueuingNs: 50_000, nowNs: 1_000_000 };
    acknowledge(flow, [0, 1], sample);
    const { fcwnd, ecwnd, endpoint_delay } = flow.state();
    expect(endpoint_delay).toBe(150_000);
    expect(fcwnd).toBeCloseTo(8 + 1 / 8, 12);
    expect(ecwnd).toBeCloseTo(8 * (1 - (0.8 * 50) / 150), 12);
    expect(flow.windowFrames).toBe(ecwnd);
  });

  it('paces below one frame, an RTT over the window apart, and not above', () => {
    const flow = swift({ initial_window: 1 });
    expect(flow.pacingGapNs).toBe(0);
    acknowledge(flow, [0, 1], { rttNs: 200_000, nowNs: 1_000_000 });
    expect(flow.windowFrames).toBeCloseTo(0.6, 12);
    expect(flow.pacingGapNs).toBeCloseTo(200_000 / 0.6, 6);
    // Line 10: below one the increment is not divided by the window.
    acknowledge(flow, [1, 2], { ...fast, nowNs: 2_000_000 });
    expect(flow.windowFrames).toBeCloseTo(1.6, 12);
    expect(flow.pacingGapNs).toBe(0);
  });

  it('has a target that grows with the switches and as the window shrinks', () => {
    const flow = swift({ hop_delay: 2, fs_range: 3, fs_min: 0.25, fs_max: 16, initial_window: 4 });
    // alpha = 300 / (2 - 0.25), b = -alpha / 4; at 4 frames alpha / 2 - alpha / 4.
    const alpha = 300_000 / 1.75;
    acknowledge(flow, [0, 1], { ...fast, hops: 5 });
    expect(flow.state().target).toBeCloseTo(100_000 + 10_000 + alpha / 4, 6);
  });

  it('takes the least RTT and base_frames for its base where none is given', () => {
    const flow = swift({ base_target: 0, base_frames: 20 });
    acknowledge(flow, [0, 1], { ...fast, minRttNs: 40_000 });
    // A full frame takes 1,230.4 ns at 10 Gbit/s.
    expect(flow.state().target).toBeCloseTo(40_000 + 20 * 1_230.4, 6);
  });

  it('lets at least as much queue as processes are late by', () => {
    const link = { ...TEN_GIGABIT, latenessNs: 1e6 };
    const flow = windowAlgorithm('swift', link, { hop_delay: 0, fs_range: 0 });
    acknowledge(flow, [0, 1], { ...fast, minRttNs: 40_000 });
    expect(flow.state().target).toBe(1_040_000);
    // So may the hosts, both of them and twice: the window grows while the filtered delay, 0.125 of 24 ms, is below 4 ms.
    acknowledge(flow, [1, 2], { ...fast, rttNs: 24.05e6, remoteQueuingNs: 24e6, minRttNs: 40_000 });
    expect(flow.state().endpoint_delay).toBe(3e6);
    expect(flow.state().ecwnd).toBeGreaterThan(10);
    acknowledge(flow, [2, 3], { ...fast, rttNs: 24.05e6, remoteQueuingNs: 24e6, minRttNs: 40_000, nowNs: 1e7 });
    expect(flow.state().ecwnd).toBeLessThan(10);
  });

  it('halves for a recovery and a timeout, once an RTT, and is smallest after some timeouts in a row', () => {
    const flow = swift({ retx_reset_threshold: 2 });
    const loss = { ackedFrames: 0, rttNs: 100_000 };
    flow.update(sampleOf({ ...loss, event: WindowEvent.recovery, nowNs: 1_000_000 }));
    expect(flow.windowFrames).toBe(4);
    flow.update(sampleOf({ ...loss, event: WindowEvent.timeout, nowNs: 1_050_000 }));
    expect(flow.windowFrames).toBe(4);
    flow.update(sampleOf({ ...loss, event: WindowEvent.timeout, nowNs: 2_000_000 }));
    expect(flow.windowFrames).toBe(0.001);
    acknowledge(flow, [0, 1], { ...fast, nowNs: 3_000_000 });
    flow.update(sampleOf({ ...loss, event: WindowEvent.timeout, nowNs: 4_000_000 }));
    expect(flow.windowFrames).toBeCloseTo(0.5005, 6);
  });

  it('lets the window that is no bottleneck be twice the other at most', () => {
    const flow = swift({ initial_window: 8 });
    for (let round = 1; round <= 3; round++)
      acknowledge(flow, [round, round + 1], { rttNs: 1_000_000, nowNs: round * 1_000_000 });
    const { fcwnd, ecwnd } = flow.state();
    expect(fcwnd).toBe(1);
    expect(ecwnd).toBe(2);
  });
});
