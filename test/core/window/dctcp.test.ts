import { describe, expect, it } from 'vitest';
import { WindowEvent } from '../../../src/core/window/algorithm.js';
import { windowAlgorithm } from '../../../src/core/window/registry.js';
import { acknowledge, sampleOf, TEN_GIGABIT } from './sample.js';

const dctcp = (parameters = {}) => windowAlgorithm('dctcp', TEN_GIGABIT, parameters);

describe('dctcp', () => {
  it('adds a frame for each one acknowledged in slow start', () => {
    const flow = dctcp();
    expect(flow.windowFrames).toBe(10);
    acknowledge(flow, [0, 10], { sentFrames: 20 });
    expect(flow.windowFrames).toBe(20);
    expect(flow.pacingGapNs).toBe(0);
  });

  it('does not grow while the application, not the window, holds it back', () => {
    const flow = dctcp();
    acknowledge(flow, [0, 10], { sentFrames: 20, isWindowLimited: false });
    expect(flow.windowFrames).toBe(10);
  });

  it('loses alpha / 2 of its window at the first mark of a round trip and then nothing until that is over', () => {
    const flow = dctcp({ initial_alpha: 0.5, g: 0.25 });
    // The very first acknowledgement ends the observation that began with nothing: alpha = 0.75 * 0.5 + 0.25 * 1.
    acknowledge(flow, [0, 1], { sentFrames: 11, markedFrames: 1 });
    expect(flow.state().alpha).toBe(0.625);
    expect(flow.windowFrames).toBeCloseTo(10 * (1 - 0.3125), 12);
    acknowledge(flow, [1, 11], { sentFrames: 15, markedFrames: 1 });
    expect(flow.windowFrames).toBeCloseTo(6.875, 12);
    // Frame 11 begins the next one: alpha over the eleven frames since, all of them marked.
    acknowledge(flow, [11, 12], { sentFrames: 18, markedFrames: 1 });
    expect(flow.state().alpha).toBeCloseTo(0.75 * 0.625 + 0.25, 12);
    expect(flow.windowFrames).toBeCloseTo(6.875 * (1 - 0.71875 / 2), 12);
  });

  it('follows the share of marked frames with weight g, once for each window', () => {
    const flow = dctcp({ initial_alpha: 0 });
    acknowledge(flow, [0, 1], { sentFrames: 8 });
    acknowledge(flow, [1, 3], { sentFrames: 8, markedFrames: 1 });
    acknowledge(flow, [3, 8], { sentFrames: 16 });
    expect(flow.state().alpha).toBe(0);
    acknowledge(flow, [8, 9], { sentFrames: 16 });
    expect(flow.state().alpha).toBe(2 / 8 / 16);
  });

  it('grows by one frame a window beyond the threshold', () => {
    const flow = dctcp({ initial_alpha: 0 });
    acknowledge(flow, [0, 1], { sentFrames: 4, markedFrames: 1 });
    expect(flow.windowFrames).toBeCloseTo(10 * (1 - 1 / 32), 12);
    const before = flow.windowFrames;
    acknowledge(flow, [4, 5], { sentFrames: 14 });
    expect(flow.windowFrames).toBeCloseTo(before + 1 / before, 12);
  });

  it('halves its window for a loss, once for a round trip', () => {
    const flow = dctcp();
    flow.update(sampleOf({ event: WindowEvent.recovery, ackedFrames: 0, ackedNumber: 5, sentFrames: 10 }));
    expect(flow.windowFrames).toBe(5);
    flow.update(sampleOf({ event: WindowEvent.recovery, ackedFrames: 0, ackedNumber: 9, sentFrames: 12 }));
    expect(flow.windowFrames).toBe(5);
    flow.update(sampleOf({ event: WindowEvent.recovery, ackedFrames: 0, ackedNumber: 10, sentFrames: 14 }));
    expect(flow.windowFrames).toBe(2.5);
  });

  it('begins again with one frame after a timeout, and doubles up to half of what was out', () => {
    const flow = dctcp();
    flow.update(sampleOf({ event: WindowEvent.timeout, ackedFrames: 0, inFlightFrames: 8, sentFrames: 10 }));
    expect(flow.state()).toMatchObject({ cwnd: 1, ssthresh: 4 });
    acknowledge(flow, [10, 13], { sentFrames: 20 });
    expect(flow.windowFrames).toBe(4);
    acknowledge(flow, [13, 14], { sentFrames: 20 });
    expect(flow.windowFrames).toBe(4.25);
  });

  it('keeps at least min_window frames, below one of them as a gap', () => {
    const flow = dctcp({ min_window: 0.25 });
    const mark = { rttNs: 50e3, markedFrames: 1 };
    acknowledge(flow, [0, 1], { ...mark, sentFrames: 1 });
    for (let round = 1; round < 3; round++) acknowledge(flow, [round, round + 1], { ...mark, sentFrames: round + 1 });
    expect([flow.windowFrames, flow.pacingGapNs]).toEqual([1.25, 0]);
    acknowledge(flow, [3, 4], { ...mark, sentFrames: 4 });
    expect([flow.windowFrames, flow.pacingGapNs]).toEqual([0.625, 80e3]);
    acknowledge(flow, [4, 6], { ...mark, sentFrames: 6 });
    expect([flow.windowFrames, flow.pacingGapNs]).toEqual([0.3125, 160e3]);
    acknowledge(flow, [6, 8], { ...mark, sentFrames: 8 });
    expect([flow.windowFrames, flow.pacingGapNs]).toEqual([0.25, 200e3]);
    // A frame without a mark adds one, and no slow start up to two.
    acknowledge(flow, [8, 9], { rttNs: 50e3, sentFrames: 9 });
    expect([flow.windowFrames, flow.pacingGapNs]).toEqual([1.25, 0]);
  });
});
