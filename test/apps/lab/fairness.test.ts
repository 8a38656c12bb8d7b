import { describe, expect, it } from 'vitest';
import { type CountedFlow, meanJain } from '../../../src/apps/lab/fairness.js';

const NEVER = Number.POSITIVE_INFINITY;

function flow(bytes: readonly number[], { first = 0, startNs = 0, overNs = NEVER } = {}): CountedFlow {
  return { startNs, overNs, counts: { windowNs: 100, first, bytes } };
}

describe('meanJain', () => {
  it('averages over the whole windows that fit', () => {
    const flows = [flow([1, 3, 9]), flow([1, 1, 0])];
    // 1 in the first window, 16 / 20 in the second; the third does not fit.
    expect(meanJain(flows, 100, { fromNs: 0, endNs: 299 })).toBeCloseTo(0.9, 12);
    expect(meanJain(flows, 100, { fromNs: 0, endNs: 300 })).toBeCloseTo((1 + 0.8 + 0.5) / 3, 12);
  });

  it('counts a flow in the windows that it lasts from beginning to end', () => {
    const late = flow([1, 4], { first: 1, startNs: 1150 });
    const early = flow([12, 9], { overNs: 1150 });
    const lasting = flow([4, 4, 4]);
    // From 1000 to 1100 the early and the lasting one, which share 16 as 12 and 4; to 1200 the lasting one alone; to 1300 the late and the lasting one.
    expect(meanJain([late, early, lasting], 100, { fromNs: 1000, endNs: 1300 })).toBeCloseTo((0.8 + 1) / 2, 12);
  });

  it('takes a flow that got nothing for one with a share of nothing', () => {
    const silent: CountedFlow = { startNs: 0, overNs: NEVER, counts: undefined };
    expect(meanJain([flow([5]), silent], 100, { fromNs: 0, endNs: 100 })).toBeCloseTo(0.5, 12);
  });

  it('is null without windows in which something was shared', () => {
    expect(meanJain([flow([5])], 100, { fromNs: 0, endNs: 100 })).toBeNull();
    expect(meanJain([flow([0]), flow([0])], 100, { fromNs: 0, endNs: 100 })).toBeNull();
    expect(meanJain([flow([1]), flow([1])], 100, { fromNs: 0, endNs: 99 })).toBeNull();
  });
});
