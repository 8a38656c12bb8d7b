import { describe, expect, it } from 'vitest';
import { StreamEnd } from '../../src/core/stream-end.js';

describe('the end of a stream', () => {
  it('is unknown at first: everything may come, and no offset is the end', () => {
    const end = new StreamEnd();
    expect(end.allows(1e12)).toBe(true);
    expect(end.isReached(0)).toBe(false);
  });

  it('is not accepted before what has arrived', () => {
    const end = new StreamEnd();
    expect(end.accepts(99, 100)).toBe(false);
    expect(end.accepts(100, 100)).toBe(true);
  });

  it('stays where it was told', () => {
    const end = new StreamEnd();
    end.set(100);
    expect([end.accepts(100, 50), end.accepts(101, 50)]).toEqual([true, false]);
    expect([end.allows(100), end.allows(101)]).toEqual([true, false]);
    expect([end.isReached(99), end.isReached(100)]).toEqual([false, true]);
  });

  it('can be at once', () => {
    const end = new StreamEnd();
    expect(end.accepts(0, 0)).toBe(true);
    end.set(0);
    expect(end.isReached(0)).toBe(true);
  });
});
