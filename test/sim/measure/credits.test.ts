import { describe, expect, it } from 'vitest';
import { creditDropShare, creditsOut, sumCredits } from '../../../src/sim/measure/credits.js';

describe('sumCredits', () => {
  it('adds what each flow counted, and is zero without flows', () => {
    const flows = [
      { sent: 10, used: 5, wasted: 2, dropped: 1 },
      { sent: 20, used: 7, wasted: 4, dropped: 8 },
    ];
    expect(sumCredits(flows)).toEqual({ sent: 30, used: 12, wasted: 6, dropped: 9 });
    expect(sumCredits([])).toEqual({ sent: 0, used: 0, wasted: 0, dropped: 0 });
  });
});

describe('creditsOut', () => {
  it('is what was sent and has met no fate', () => {
    expect(creditsOut({ sent: 20, used: 7, wasted: 4, dropped: 8 })).toBe(1);
  });
});

describe('creditDropShare', () => {
  it('takes the credits whose fate became known in between, whenever they were sent', () => {
    const before = { sent: 100, used: 60, wasted: 10, dropped: 20 };
    const after = { sent: 100, used: 64, wasted: 13, dropped: 23 };
    expect(creditDropShare(before, after)).toBeCloseTo(0.3, 12);
  });

  it('is zero where no fate became known', () => {
    const same = { sent: 5, used: 1, wasted: 1, dropped: 1 };
    expect(creditDropShare(same, { ...same, sent: 9 })).toBe(0);
  });
});
