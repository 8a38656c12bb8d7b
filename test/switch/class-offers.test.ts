import { describe, expect, it } from 'vitest';
import { DeadlineHeap } from '../../src/base/deadline-heap.js';
import { SeededRandom } from '../../src/base/random.js';
import { transmissionNs } from '../../src/base/time.js';
import { ExplicitRate } from '../../src/switch/explicit-rate.js';
import { LowClass } from '../../src/switch/low-class.js';
import { codeOfRate, rateOfCode } from '../../src/wire/rate-code.js';
import { creditFrame } from './frames.js';

const LINK_BPS = 10e9;
const CREDIT_BITS = 13_008;
const HOP = 0;

interface Flows {
  offers: ExplicitRate;
  count: number;
}

/** Flows that take the offer of their class at each credit, for 40 ms; returns the mean of all credits of each class over the last half, as a part of the link. */
function partsOfLink(classes: readonly Flows[]): number[] {
  const random = new SeededRandom(7);
  const flows = classes.flatMap(({ offers, count }, index) =>
    Array.from({ length: count }, () => ({ offers, index, code: codeOfRate(LINK_BPS) })),
  );
  const due = new DeadlineHeap();
  flows.forEach((_, slot) => {
    due.set(slot, random.next() * 1e5);
  });
  const credits = classes.map(() => 0);
  const frame = creditFrame({ rateCode: 1 });
  for (let nowNs = 0; nowNs < 40e6; nowNs = due.peekDeadline()) {
    const slot = due.peekSlot();
    const flow = flows[slot];
    const credit = creditFrame({ rateCode: flow.code, hop: HOP, into: frame });
    credit.hopLimit = 63;
    flow.offers.count(credit, nowNs);
    flow.code = codeOfRate(Math.min(LINK_BPS, flow.offers.rateBps));
    if (nowNs >= 20e6) credits[flow.index]++;
    const gapNs = transmissionNs(CREDIT_BITS / 8, rateOfCode(flow.code));
    due.set(slot, nowNs + gapNs * (1 + 0.04 * (random.next() - 0.5)));
  }
  return credits.map((each) => (each * CREDIT_BITS) / (LINK_BPS * 20e-3));
}

/** The offers of both classes of a port. */
function offersOf(weight: number): { high: ExplicitRate; low: ExplicitRate } {
  const high = new ExplicitRate(LINK_BPS, CREDIT_BITS, 8);
  const lowClass = new LowClass(weight, 0, new SeededRandom(1));
  lowClass.shareOffers(high);
  return { high, low: lowClass.explicitRate };
}

describe('offers of two classes at a port', () => {
  it.each([
    [3, 16],
    [3, 64],
    [10, 4],
    [10, 24],
    [1, 24],
  ])('by weight %s: %i flows of the low class are offered its part', (weight, count) => {
    const { high, low } = offersOf(weight);
    const [highPart, lowPart] = partsOfLink([
      { offers: high, count: 4 },
      { offers: low, count },
    ]);
    expect(highPart).toBeCloseTo(weight / (weight + 1), 1);
    expect(lowPart * (weight + 1)).toBeGreaterThan(0.85);
    expect(lowPart * (weight + 1)).toBeLessThan(1.15);
  });

  it('strict: flows of the low class are offered a hundredth, however many', () => {
    const { high, low } = offersOf(Number.POSITIVE_INFINITY);
    const [highPart, lowPart] = partsOfLink([
      { offers: high, count: 4 },
      { offers: low, count: 10 },
    ]);
    expect(highPart).toBeGreaterThan(0.97);
    expect(lowPart).toBeLessThan(0.02);
  });
});
