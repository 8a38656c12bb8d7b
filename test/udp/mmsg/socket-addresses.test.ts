import { describe, expect, it } from 'vitest';
import { NAME_WORDS } from '../../../src/udp/mmsg/message-vector.js';
import { SourceCache } from '../../../src/udp/mmsg/socket-addresses.js';

/** Reads the first word as a port, and counts how often it is asked. */
function counting() {
  const asked: number[] = [];
  const cache = new SourceCache((name) => {
    const port = new DataView(name.buffer, name.byteOffset).getInt32(0, true);
    asked.push(port);
    return { address: `of ${port}`, port };
  });
  return { cache, asked };
}

/** One name after the other, `first` in the first word of each. */
function namesOf(...first: number[]): Int32Array {
  return Int32Array.from(first.flatMap((word) => [word, ...new Array<number>(NAME_WORDS - 1).fill(0)]));
}

describe('SourceCache', () => {
  it('makes the text of an address once, wherever its structure stands', () => {
    const { cache, asked } = counting();
    const names = namesOf(5, 6, 5);
    const first = cache.source(names, 0);
    expect(cache.source(names, NAME_WORDS)).toEqual({ address: 'of 6', port: 6 });
    expect(cache.source(names, 2 * NAME_WORDS)).toBe(first);
    expect(asked).toEqual([5, 6]);
  });

  it('tells addresses apart that differ in their last word only', () => {
    const { cache, asked } = counting();
    const names = namesOf(7, 7);
    names[2 * NAME_WORDS - 1] = 1;
    expect(cache.source(names, 0)).not.toBe(cache.source(names, NAME_WORDS));
    expect(asked).toEqual([7, 7]);
  });

  it('stays right for more addresses than it has places for', () => {
    const { cache } = counting();
    for (let round = 0; round < 2; round++) {
      for (let port = 1; port <= 10_000; port++) expect(cache.source(namesOf(port), 0).port).toBe(port);
    }
  });
});
