import { describe, expect, it } from 'vitest';
import { type CompletedFlow, completionTimes, sizeClass } from '../../../src/sim/measure/completion-times.js';

function flow(bytes: number | null, fctNs: number | null, slowdown: number | null = null): CompletedFlow {
  return { bytes, fctNs, slowdown };
}

describe('a size class', () => {
  it('ends below 10 KB, 100 KB and 1 MB', () => {
    const sizes = [1, 9_999, 10_000, 99_999, 100_000, 999_999, 1_000_000, 1e12];
    expect(sizes.map(sizeClass)).toEqual(['S', 'S', 'M', 'M', 'L', 'L', 'XL', 'XL']);
  });
});

describe('completion times', () => {
  it('are summed up over all flows and by class', () => {
    const flows = [flow(100, 30, 3), flow(200, 10, 1), flow(20_000, 200, 2), flow(5e6, 4000, 8)];
    expect(completionTimes(flows)).toEqual({
      all: { count: 4, meanNs: 1060, p50Ns: 30, p99Ns: 4000, maxNs: 4000, slowdownP99: 8 },
      S: { count: 2, meanNs: 20, p50Ns: 10, p99Ns: 30, maxNs: 30, slowdownP99: 3 },
      M: { count: 1, meanNs: 200, p50Ns: 200, p99Ns: 200, maxNs: 200, slowdownP99: 2 },
      XL: { count: 1, meanNs: 4000, p50Ns: 4000, p99Ns: 4000, maxNs: 4000, slowdownP99: 8 },
    });
    expect(Object.keys(completionTimes(flows))).toEqual(['all', 'S', 'M', 'XL']);
  });

  it('tell the 99th percentile from the maximum among many', () => {
    const flows = Array.from({ length: 200 }, (_, index) => flow(500, 200 - index, index / 100));
    expect(completionTimes(flows).S).toMatchObject({ p50Ns: 100, p99Ns: 198, maxNs: 200, slowdownP99: 1.97 });
  });

  it('leave out flows without an end and those that are not complete', () => {
    expect(completionTimes([flow(null, null), flow(null, 5), flow(100, null)])).toEqual({});
    expect(completionTimes([flow(100, null, 5), flow(100, 7)])).toEqual({
      all: { count: 1, meanNs: 7, p50Ns: 7, p99Ns: 7, maxNs: 7, slowdownP99: null },
      S: { count: 1, meanNs: 7, p50Ns: 7, p99Ns: 7, maxNs: 7, slowdownP99: null },
    });
  });

  it('take the slowdown over the flows that have one', () => {
    const flows = [flow(100, 1, 4), flow(100, 2, null), flow(100, 3, 2)];
    expect(completionTimes(flows).all).toMatchObject({ count: 3, slowdownP99: 4 });
  });
});
