import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../src/base/assert.js';
import { Ring } from '../../src/base/ring.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

describe('Ring', () => {
  it('gives items back in the order they came', () => {
    const ring = new Ring<string>(4);
    ring.push('first');
    ring.push('second');
    expect([ring.peek(), ring.shift(), ring.shift(), ring.shift()]).toEqual(['first', 'first', 'second', undefined]);
  });

  it('turns away what exceeds its bound, whatever the bound is', () => {
    for (const capacity of [0, 1, 3, 16, 17, 100]) {
      const ring = new Ring<number>(capacity);
      const taken = Array.from({ length: capacity + 2 }, (_, item) => ring.push(item));
      expect(taken).toEqual([...new Array(capacity).fill(true), false, false]);
      expect(ring.length).toBe(capacity);
    }
  });

  it('keeps the order when it grows while its items lie across the end of its array', () => {
    const ring = new Ring<number>(1000);
    for (let item = 0; item < 10; item++) ring.push(item);
    for (let item = 0; item < 10; item++) ring.shift();
    for (let item = 0; item < 100; item++) ring.push(item);
    expect(Array.from({ length: 100 }, () => ring.shift())).toEqual(Array.from({ length: 100 }, (_, item) => item));
  });

  it('is empty after clear and works on', () => {
    const ring = new Ring<number>(2);
    ring.push(1);
    ring.push(2);
    ring.clear();
    expect([ring.length, ring.peek(), ring.shift()]).toEqual([0, undefined, undefined]);
    expect(ring.push(3)).toBe(true);
    expect(ring.shift()).toBe(3);
  });

  it('refuses a bound that is none', () => {
    expect(() => new Ring(-1)).toThrow(AssertionError);
    expect(() => new Ring(Number.POSITIVE_INFINITY)).toThrow(AssertionError);
  });

  it('does what an array does under any mix of calls', () => {
    const call = fc.oneof(
      { weight: 5, arbitrary: fc.constant('push' as const) },
      { weight: 4, arbitrary: fc.constant('shift' as const) },
      { weight: 1, arbitrary: fc.constant('peek' as const) },
    );
    holds(fc.array(call, { maxLength: 400, size: 'max' }), 200, (calls) => {
      const ring = new Ring<number>(40);
      const model: number[] = [];
      const naive = {
        push: (item: number) => model.length < 40 && model.push(item) > 0,
        shift: () => model.shift(),
        peek: () => model[0],
      };
      const answers = calls.map((name, item) => [ring[name](item), ring.length]);
      expect(answers).toEqual(calls.map((name, item) => [naive[name](item), model.length]));
    });
  });
});
