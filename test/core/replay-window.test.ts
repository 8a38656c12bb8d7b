import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPLAY_WINDOW, ReplayWindow } from '../../src/core/replay-window.js';

/** What the window says of a number, which it then marks if it is new. */
function show(window: ReplayWindow, number: number): 'new' | 'again' | 'too old' {
  if (window.isTooOld(number)) return 'too old';
  if (window.hasCome(number)) return 'again';
  window.mark(number);
  return 'new';
}

describe('the replay window', () => {
  it('accepts each number once and tells what is too old from what has come', () => {
    const window = new ReplayWindow();
    expect(show(window, 0)).toBe('new');
    expect(show(window, 0)).toBe('again');
    expect(show(window, REPLAY_WINDOW)).toBe('new');
    expect(show(window, 0)).toBe('too old');
    expect(show(window, 1)).toBe('new');
    expect(show(window, 1)).toBe('again');
    expect(show(window, 3 * REPLAY_WINDOW)).toBe('new');
    expect(show(window, 2 * REPLAY_WINDOW)).toBe('too old');
    expect(show(window, 2 * REPLAY_WINDOW + 1)).toBe('new');
  });

  it('agrees with a set of all numbers, in any order', () => {
    const step = fc.oneof(fc.integer({ min: -9_000, max: 40 }), fc.integer({ min: 0, max: 20_000 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.constantFrom(0, 2 ** 31 - 5_000, 2 ** 45), (steps, start) => {
        const window = new ReplayWindow();
        const seen = new Set<number>([start]);
        expect(show(window, start)).toBe('new');
        for (const by of steps) {
          const highest = window.highest;
          const number = Math.max(0, highest + by);
          const expected = number <= highest - REPLAY_WINDOW ? 'too old' : seen.has(number) ? 'again' : 'new';
          expect(show(window, number)).toBe(expected);
          seen.add(number);
        }
      }),
    );
  });

  it('finds the whole number from its lower 31 bits, on either side of the highest', () => {
    const near = fc.integer({ min: -(2 ** 30) + 1, max: 2 ** 30 - 1 });
    fc.assert(
      fc.property(fc.maxSafeNat(), near, (highest, by) => {
        const number = highest + by;
        if (number < 0 || number > Number.MAX_SAFE_INTEGER) return;
        const window = new ReplayWindow();
        window.mark(highest);
        expect(window.extend(Number(BigInt(number) & 0x7fffffffn))).toBe(number);
      }),
    );
    expect(new ReplayWindow().extend(0)).toBe(0);
    expect(new ReplayWindow().extend(2 ** 31 - 1)).toBe(-1);
  });
});
