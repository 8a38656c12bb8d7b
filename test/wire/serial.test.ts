import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  serialAfter,
  serialAfter16,
  serialDistance,
  serialDistance16,
  serialDistance20,
  widen,
  widen20,
} from '../../src/wire/serial.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

function after20(a: number, b: number): boolean {
  return serialDistance20(a, b) > 0;
}

describe.each([
  { bits: 32, isAfter: serialAfter, distance: serialDistance, widened: widen },
  { bits: 20, isAfter: after20, distance: serialDistance20, widened: widen20 },
  {
    bits: 16,
    isAfter: serialAfter16,
    distance: serialDistance16,
    widened: (value: number, near: number) => near + serialDistance16(value, near),
  },
])('numbers of $bits bits that wrap', ({ bits, isAfter, distance, widened }) => {
  const size = 2 ** bits;
  const half = size / 2;

  it('come after each other across the wrap', () => {
    expect(isAfter(0, size - 1)).toBe(true);
    expect(isAfter(size - 1, 0)).toBe(false);
    expect(distance(3, size - 2)).toBe(5);
    expect(distance(size - 2, 3)).toBe(-5);
  });

  it('come after nothing equal, and at half the space in neither order', () => {
    expect(isAfter(7, 7)).toBe(false);
    expect(isAfter(half, 0)).toBe(false);
    expect(isAfter(0, half)).toBe(false);
    expect(isAfter(half - 1, 0)).toBe(true);
  });

  it('widen to the nearest counter on either side of the wrap', () => {
    expect(widened(2, 5 * size - 3)).toBe(5 * size + 2);
    expect(widened(size - 3, 5 * size + 2)).toBe(5 * size - 3);
    expect(widened(9, 9)).toBe(9);
  });

  it('widen to below zero where no such counter was', () => {
    expect(widened(size - 1, 0)).toBe(-1);
  });

  it('are found again from any wide counter less than half the space away', () => {
    const near = fc.integer({ min: half, max: 2 ** 52 });
    holds(fc.tuple(near, fc.integer({ min: -half, max: half - 1 })), 1_000, ([base, offset]) => {
      const counter = base + offset;
      expect(widened(counter % size, base)).toBe(counter);
      expect(distance(counter, base)).toBe(offset);
      expect(isAfter(counter, base)).toBe(offset > 0);
    });
  });
});
