import { describe, expect, it } from 'vitest';
import { Classes } from '../../src/base/classes.js';

describe('classes', () => {
  it('count values up to their bounds, and the rest in one without a bound', () => {
    const classes = new Classes([10, 20]);
    for (const value of [0, 10, 11, 20, 21, 1e9]) classes.add(value);
    expect(classes.snapshot()).toEqual([
      [10, 2],
      [20, 2],
      [Number.POSITIVE_INFINITY, 2],
    ]);
    expect(classes.total).toBe(6);
  });
});
