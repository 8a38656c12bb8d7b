import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { PathTable } from '../../../src/core/path/path-table.js';

const seed = 7;

function drawn(table: PathTable, count: number, random = new SeededRandom(seed)): number[] {
  return Array.from({ length: count }, () => table.draw(random));
}

describe('a path table', () => {
  it('gives each path once in every round, in another order each time', () => {
    const table = new PathTable(5, true);
    const random = new SeededRandom(seed);
    const rounds = Array.from({ length: 50 }, () => drawn(table, 5, random));
    for (const round of rounds) expect([...round].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(rounds.map(String)).size).toBeGreaterThan(30);
  });

  it('draws from what is left of the round: hand-computed', () => {
    // Left [1,2,3,4]: 0.5 takes index 2. Left [1,2,4]: 0 takes 1. Left [4,2]: 0.9 takes 2. Left [4].
    const numbers = [0.5, 0, 0.9, 0.3];
    const table = new PathTable(4, true);
    const random = { next: () => numbers.shift() ?? 0, uint32: () => 0 };
    expect([1, 2, 3, 4].map(() => table.draw(random))).toEqual([3, 1, 2, 4]);
  });

  it('at random gives each path as often, and the same one twice in a row', () => {
    const draws = drawn(new PathTable(4, false), 4000);
    const counts = [1, 2, 3, 4].map((path) => draws.filter((each) => each === path).length);
    // Five standard deviations of a binomial with mean 1000.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(137);
    const repeats = draws.filter((path, at) => path === draws[at - 1]).length;
    expect(Math.abs(repeats - 1000)).toBeLessThan(137);
  });

  it.each([true, false])('leaves a path out at once and takes it back, uniform %s', (uniform) => {
    const table = new PathTable(4, uniform);
    const random = new SeededRandom(seed);
    table.draw(random);
    expect(table.exclude(2)).toBe(true);
    expect(table.exclude(2)).toBe(false);
    expect(table.isValid(2)).toBe(false);
    expect(drawn(table, 100, random)).not.toContain(2);
    table.restore(2);
    table.restore(2);
    expect(table.validPaths).toBe(4);
    expect(drawn(table, 100, random)).toContain(2);
  });

  it('keeps the last path', () => {
    const table = new PathTable(3, true);
    expect([1, 2, 3].map((path) => table.exclude(path))).toEqual([true, true, false]);
    expect(drawn(table, 5)).toEqual([3, 3, 3, 3, 3]);
    table.restoreAll();
    expect(table.validPaths).toBe(3);
  });
});
