import { expect, it } from 'vitest';
import { Disorder } from '../../src/core/disorder.js';

it('disorder is a distribution over all data frames, and adds up over hosts', () => {
  const [one, other] = [new Disorder(), new Disorder()];
  expect([one.max, one.quantile(0.99)]).toEqual([0, 0]);
  for (let frame = 0; frame < 97; frame++) one.count(0);
  other.count(2);
  other.count(3);
  other.count(5_000);
  one.add(other);
  expect([0.5, 0.97, 0.98, 0.99, 1].map((part) => one.quantile(part))).toEqual([0, 0, 2, 3, 1_023]);
  expect(one.max).toBe(1_023);
  one.reset();
  expect(one.max).toBe(0);
});
