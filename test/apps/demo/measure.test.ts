import { describe, expect, it } from 'vitest';
import { activeWindow, type FlowSample, meanJain, meanRateBps } from '../../../src/apps/demo/measure.js';

/** Two flows with these rates, bytes a second, sampled every 100 ms for `seconds`. */
function flows(rates: readonly number[], seconds: number): FlowSample[] {
  return Array.from({ length: seconds * 10 + 1 }, (_, index) => ({
    timeS: index / 10,
    bytes: rates.map((rate) => (rate * index) / 10),
  }));
}

describe('the time in which all senders are active', () => {
  it('begins when the last has begun and ends before the first is done', () => {
    const samples: FlowSample[] = [
      { timeS: 0, bytes: [5, 0] },
      { timeS: 1, bytes: [10, 5] },
      { timeS: 2, bytes: [15, 10] },
      { timeS: 3, bytes: [20, 15] },
    ];
    expect(activeWindow(samples, 20)).toEqual({ startS: 1, endS: 2 });
  });

  it('does not exist where one was done before the other began', () => {
    expect(
      activeWindow(
        [
          { timeS: 0, bytes: [20, 0] },
          { timeS: 1, bytes: [20, 5] },
        ],
        20,
      ),
    ).toBeNull();
  });
});

describe('fairness', () => {
  it('is the mean of the index of every second', () => {
    // The index of shares 3 and 1 is 16 / (2 * 10).
    expect(meanJain(flows([3, 1], 4), { startS: 0, endS: 4 })).toBeCloseTo(0.8, 10);
  });

  it('sees unfairness within a second that evens out over two', () => {
    const samples: FlowSample[] = [
      { timeS: 0, bytes: [0, 0] },
      { timeS: 1, bytes: [10, 0] },
      { timeS: 2, bytes: [10, 10] },
    ];
    expect(meanJain(samples, { startS: 0, endS: 2 })).toBeCloseTo(0.5, 10);
  });

  it('is taken over the whole where that is shorter than a second', () => {
    const samples = flows([1, 1], 1).slice(0, 5);
    expect(meanJain(samples, { startS: 0, endS: 0.4 })).toBe(1);
  });
});

describe('the rate of the bottleneck', () => {
  it('is taken between the samples around the window', () => {
    const samples = [0, 1, 2, 3].map((timeS) => ({ timeS, wireBytes: timeS * 1000 }));
    expect(meanRateBps(samples, { startS: 1.2, endS: 1.8 })).toBe(8000);
    expect(meanRateBps(samples, { startS: 0, endS: 3 })).toBe(8000);
  });

  it('is unknown with one sample', () => {
    expect(meanRateBps([{ timeS: 0, wireBytes: 0 }], { startS: 0, endS: 1 })).toBeNull();
  });
});
