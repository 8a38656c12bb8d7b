import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenWindow } from '../../src/core/seen-window.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

const WINDOW = 1_024;

describe('the window of credits seen', () => {
  it('accepts each number of a run once, across the wrap', () => {
    const window = new SeenWindow();
    for (let step = 0; step < 3_000; step++) {
      const sequence = (2 ** 20 - 1_500 + step) % 2 ** 20;
      expect(window.accept(sequence)).toBe(true);
      expect(window.accept(sequence)).toBe(false);
    }
  });

  it('accepts a late number that it has not seen, up to 1,023 behind the highest', () => {
    const window = new SeenWindow();
    window.accept(5_000);
    expect(window.accept(5_000 - WINDOW + 1)).toBe(true);
    expect(window.accept(5_000 - WINDOW + 1)).toBe(false);
    expect(window.accept(5_000 - WINDOW)).toBe(false);
  });

  it('forgets what it saw when it jumps beyond its own size', () => {
    const window = new SeenWindow();
    for (let sequence = 0; sequence < WINDOW; sequence++) window.accept(sequence);
    expect(window.accept(20_000)).toBe(true);
    for (let back = 1; back < WINDOW; back++) expect(window.accept(20_000 - back)).toBe(true);
  });

  it('is not led astray by one number from nowhere, ahead or behind', () => {
    const window = new SeenWindow();
    for (let sequence = 10_000; sequence < 10_100; sequence++) window.accept(sequence);
    expect(window.accept(0x4_0000)).toBe(false);
    expect(window.accept(0xc_0000)).toBe(false);
    expect(window.accept(10_050)).toBe(false);
    expect(window.accept(10_100)).toBe(true);
  });

  it('comes back after a number within reach that was not real, at the cost of one credit', () => {
    const window = new SeenWindow();
    window.accept(10_000);
    expect(window.accept(60_000)).toBe(true);
    expect(window.accept(10_001)).toBe(false);
    expect(window.accept(10_002)).toBe(true);
    expect(window.accept(10_003)).toBe(true);
    expect(window.accept(10_002)).toBe(false);
  });

  it('follows the second of two that are far ahead, as after a long loss of credits', () => {
    const window = new SeenWindow();
    window.accept(1);
    expect(window.accept(300_001)).toBe(false);
    expect(window.accept(300_001)).toBe(false);
    expect(window.accept(300_002)).toBe(true);
    expect(window.accept(300_003)).toBe(true);
  });

  it('agrees with a set of all numbers seen while numbers stay within its reach', () => {
    const steps = fc.array(fc.integer({ min: -(WINDOW - 1), max: 3 * WINDOW }), { maxLength: 300 });
    holds(fc.tuple(fc.nat(2 ** 20 - 1), steps), 300, ([first, jumps]) => {
      const window = new SeenWindow();
      const seen = new Set([first]);
      window.accept(first);
      let highest = first;
      for (const jump of jumps) {
        const number = highest + jump;
        expect(window.accept(number & 0xf_ffff)).toBe(!seen.has(number));
        seen.add(number);
        highest = Math.max(highest, number);
      }
    });
  });
});
