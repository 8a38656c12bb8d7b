import { describe, expect, it } from 'vitest';
import { WindowEvent } from '../../../src/core/window/algorithm.js';
import { windowAlgorithm } from '../../../src/core/window/registry.js';
import { acknowledge, sampleOf, TEN_GIGABIT } from './sample.js';

/** An update for each acknowledgement; a least RTT of 20 us, as in the paper, so that the thresholds are its 49.2 and 492 us. */
const timely = (parameters = {}) =>
  windowAlgorithm('timely', TEN_GIGABIT, { segment_bytes: 1, initial_rate: 0.5, ...parameters });
const rateOf = (flow: ReturnType<typeof timely>) => flow.state().rate / 1e9;
const at = (flow: ReturnType<typeof timely>, rttNs: number, changes = {}) =>
  acknowledge(flow, [0, 1], { rttNs, minRttNs: 20_000, smoothedRttNs: rttNs, ...changes });

describe('timely', () => {
  it('adds delta below the lower threshold, whatever the gradient', () => {
    const flow = timely();
    at(flow, 30_000);
    at(flow, 45_000);
    expect(rateOf(flow)).toBeCloseTo(5.02, 9);
    at(flow, 45_000, { isWindowLimited: false });
    expect(rateOf(flow)).toBeCloseTo(5.02, 9);
  });

  it.each([
    { maxRateBps: 100e9, stepBps: 100e6 },
    { maxRateBps: 1e9, stepBps: 10e6 },
    { maxRateBps: 100e6, stepBps: 1e6 },
  ])('adds 10 Mbit/s, but 0.1 to 1 % of the link: $stepBps of $maxRateBps', ({ maxRateBps, stepBps }) => {
    const link = { ...TEN_GIGABIT, maxRateBps };
    const flow = windowAlgorithm('timely', link, { segment_bytes: 1, initial_rate: 0.5 });
    at(flow, 30_000);
    expect(flow.state().rate).toBeCloseTo(0.5 * maxRateBps + stepBps, 3);
    const other = windowAlgorithm('timely', link, { segment_bytes: 1, initial_rate: 0.5, delta: 0.02 });
    at(other, 30_000);
    expect(other.state().rate).toBeCloseTo(0.52 * maxRateBps, 3);
  });

  it('has thresholds that large frames do not move', () => {
    const link = { ...TEN_GIGABIT, frameWireBytes: 9_038 };
    const flow = windowAlgorithm('timely', link, { segment_bytes: 1, initial_rate: 0.5 });
    at(flow, 984_320);
    expect(rateOf(flow)).toBeCloseTo(5 * 0.6, 9);
  });

  it('counts gradients in RTTs that have the lateness of both hosts in them', () => {
    const link = { ...TEN_GIGABIT, latenessNs: 90_000 };
    const flow = windowAlgorithm('timely', link, { segment_bytes: 1, initial_rate: 0.5, law: 1 });
    at(flow, 150_000);
    at(flow, 160_000);
    // (0.875 * 10,000) / (20,000 + 180,000) = 0.04375; 1 - 0.8 * 0.04375 = 0.965.
    expect(rateOf(flow)).toBeCloseTo(5.01 * 0.965, 9);
  });

  it('falls by beta of the excess above the upper threshold', () => {
    const flow = timely();
    at(flow, 984_320);
    // 400 frames of 1,230.4 ns are 492,160 ns: half of it. 1 - 0.8 * 0.5.
    expect(rateOf(flow)).toBeCloseTo(5 * 0.6, 9);
  });

  it('follows the gradient between them', () => {
    const flow = timely();
    at(flow, 100_000);
    expect(rateOf(flow)).toBeCloseTo(5.01, 9);
    at(flow, 110_000);
    // (0.875 * 10,000) / 20,000 = 0.4375; 1 - 0.8 * 0.4375 = 0.65.
    expect(rateOf(flow)).toBeCloseTo(5.01 * 0.65, 9);
  });

  it('takes larger steps after some without a growing RTT', () => {
    const flow = timely({ hai_after: 3, hai_steps: 5 });
    for (let update = 0; update < 4; update++) at(flow, 100_000);
    expect(rateOf(flow)).toBeCloseTo(5 + 0.02 + 0.1, 9);
  });

  it('updates once for each segment', () => {
    const flow = timely({ segment_bytes: 3 * 1_446 });
    for (let frame = 0; frame < 5; frame++) at(flow, 30_000);
    expect(rateOf(flow)).toBeCloseTo(5.01, 9);
  });

  it('paces at its rate, with two round trips of it for a window, and halves it for a loss', () => {
    const flow = timely();
    at(flow, 100_000);
    flow.update(sampleOf({ event: WindowEvent.recovery, ackedFrames: 0, smoothedRttNs: 100_000 }));
    expect(rateOf(flow)).toBeCloseTo(2.505, 9);
    expect(flow.pacingGapNs).toBeCloseTo((1_538 * 8) / 2.505, 9);
    expect(flow.windowFrames).toBeCloseTo((2 * 100_000 * 2.505) / (1_538 * 8), 9);
  });

  it('never has less than the least rate or more than the link', () => {
    const flow = timely({ min_rate: 0.01 });
    for (let update = 0; update < 100; update++) at(flow, 10_000_000);
    expect(rateOf(flow)).toBeCloseTo(0.1, 12);
    for (let update = 0; update < 5_000; update++) at(flow, 30_000);
    expect(rateOf(flow)).toBe(10);
  });
});

describe('timely where hosts are late', () => {
  /** Thresholds: lower 49,216 ns; 20,000 + 2 * 10,000 ns is the unit of gradients. Steps of 10 Mbit/s, beta 0.008. */
  const late = { ...TEN_GIGABIT, latenessNs: 10_000 };
  const patched = (parameters = {}) =>
    windowAlgorithm('timely', late, { segment_bytes: 1, initial_rate: 0.5, patched_ewma: 0.5, ...parameters });

  it('has half a step up and half of beta times the error down while the RTT is flat', () => {
    const flow = patched();
    at(flow, 73_824);
    // 73,824 is half a threshold too much: 5 + 0.5 * 0.01 - 0.5 * 0.008 * 0.5 * 5.
    expect(rateOf(flow)).toBeCloseTo(4.995, 9);
  });

  it('weighs the decrease by the gradient', () => {
    const flow = patched();
    at(flow, 63_824);
    const before = rateOf(flow);
    at(flow, 73_824);
    // 0.5 * 10,000 / 40,000 = 0.125; 2 * 0.125 + 0.5 = 0.75.
    expect(rateOf(flow)).toBeCloseTo(before + 0.25 * 0.01 - 0.75 * 0.008 * 0.5 * before, 9);
  });

  it('adds delta below the lower threshold', () => {
    const flow = patched();
    at(flow, 30_000);
    expect(rateOf(flow)).toBeCloseTo(5.01, 9);
  });

  it('loses no more than beta, or two steps, by one segment', () => {
    const flow = patched();
    at(flow, 100_000_000);
    expect(rateOf(flow)).toBeCloseTo(5 + 0.005 - 0.5 * 0.008 * 5, 9);
    const slow = patched({ initial_rate: 0.05 });
    at(slow, 100_000_000);
    expect(rateOf(slow)).toBeCloseTo(0.5 + 0.005 - 0.5 * 0.02, 9);
  });

  it('takes the least RTT of a segment, without what the hosts were late by', () => {
    const flow = patched({ segment_bytes: 3 * 1_446 });
    at(flow, 200_000);
    at(flow, 90_000, { remoteQueuingNs: 40_000, localQueuingNs: 15_000 });
    at(flow, 300_000);
    expect(rateOf(flow)).toBeCloseTo(5.01, 9);
  });

  it('goes by the law that it is told', () => {
    const flow = patched({ law: 1 });
    at(flow, 984_320);
    expect(rateOf(flow)).toBeCloseTo(5 * 0.6, 9);
    const exact = timely({ law: 2 });
    at(exact, 98_432);
    expect(rateOf(exact)).toBeCloseTo(5 + 0.005 - 0.5 * 0.008 * 5, 9);
  });
});
