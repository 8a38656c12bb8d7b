import { describe, expect, it } from 'vitest';
import { creditDropShare, creditsOutstanding, sumCredits, withoutLostData } from '../../src/core/credit-totals.js';

describe('sumCredits', () => {
  it('adds what each flow counted, and is zero without flows', () => {
    const flows = [
      { sent: 10, used: 5, unused: 2, dropped: 1 },
      { sent: 20, used: 7, unused: 4, dropped: 8 },
    ];
    expect(sumCredits(flows)).toEqual({ sent: 30, used: 12, unused: 6, dropped: 9 });
    expect(sumCredits([])).toEqual({ sent: 0, used: 0, unused: 0, dropped: 0 });
  });
});

it('withoutLostData takes credits whose data was lost out of the dropped', () => {
  const totals = { sent: 20, used: 7, unused: 4, dropped: 8 };
  expect(withoutLostData(totals, 3)).toEqual({ ...totals, dropped: 5 });
  // A repair may be counted before its credit is.
  expect(withoutLostData(totals, 9).dropped).toBe(0);
});

describe('creditsOutstanding', () => {
  it('is what was sent and has met no fate', () => {
    expect(creditsOutstanding({ sent: 20, used: 7, unused: 4, dropped: 8 })).toBe(1);
  });
});

describe('creditDropShare', () => {
  it('takes the credits whose fate became known in between, whenever they were sent', () => {
    const before = { sent: 100, used: 60, unused: 10, dropped: 20 };
    const after = { sent: 100, used: 64, unused: 13, dropped: 23 };
    expect(creditDropShare(before, after)).toBeCloseTo(0.3, 12);
  });

  it('is zero where no fate became known', () => {
    const same = { sent: 5, used: 1, unused: 1, dropped: 1 };
    expect(creditDropShare(same, { ...same, sent: 9 })).toBe(0);
  });
});
