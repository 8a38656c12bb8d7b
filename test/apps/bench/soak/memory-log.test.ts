import { describe, expect, it } from 'vitest';
import { MemoryLog } from '../../../../src/apps/bench/soak/memory-log.js';
import { SeededRandom } from '../../../../src/base/random.js';

const MEBIBYTE = 1024 * 1024;

/** Samples of an hour, one each 15 s: the heap of a process of 10 MiB that wobbles by a tenth and grows by `growthBytes`. */
function logOf(growthBytes: number): MemoryLog {
  const random = new SeededRandom(3);
  const log = new MemoryLog();
  for (let seconds = 0; seconds <= 3_600; seconds += 15) {
    const heapBytes = 10 * MEBIBYTE + random.next() * MEBIBYTE + (growthBytes * seconds) / 3_600;
    log.add(seconds, new Map([['sink', { heapBytes, rssBytes: 80 * MEBIBYTE }]]));
  }
  return log;
}

describe('the log of memory', () => {
  it('finds a leak of 10 % in an hour beneath a wobble as large', () => {
    const [heap, rss] = logOf(MEBIBYTE).trends(60);
    expect(heap).toMatchObject({ role: 'sink', kind: 'heap', grew: true });
    expect(Math.abs(heap.slope * 3_600 - MEBIBYTE)).toBeLessThan(heap.slopeError * 3_600);
    expect(rss).toMatchObject({ kind: 'rss', grew: false, slope: 0 });
  });

  it('finds none where there is only a wobble, or less than counts', () => {
    expect(logOf(0).trends(60)[0].grew).toBe(false);
    expect(logOf(0.01 * 10 * MEBIBYTE).trends(60)[0].grew).toBe(false);
    expect(logOf(-MEBIBYTE).trends(60)[0].grew).toBe(false);
  });

  it('leaves the start out', () => {
    const [all] = logOf(0).trends(0);
    const [late] = logOf(0).trends(1_800);
    expect([all.samples, late.samples]).toEqual([241, 121]);
    expect(late.firstBytes).not.toBe(all.firstBytes);
  });

  it('says nothing from a few samples', () => {
    expect(logOf(0).trends(3_590)).toEqual([]);
    expect(logOf(0).trends(9_999)).toEqual([]);
  });
});
