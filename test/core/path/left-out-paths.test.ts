import { describe, expect, it } from 'vitest';
import { LeftOutPaths } from '../../../src/core/path/left-out-paths.js';

const OPTIONS = { waitNs: 1_000, waitRtts: 10, longestNs: 6_000 };

function leftOut() {
  return new LeftOutPaths(3, OPTIONS);
}

/** An answer at `nowNs`, late after 150 ns. */
function at(nowNs: number) {
  return { nowNs, rttNs: 100, longRttNs: 150 };
}

describe('a path that was left out', () => {
  it('is probed once in each wait, which is no shorter than so many RTTs', () => {
    const paths = leftOut();
    paths.add(2, 100, 0);
    expect(paths.take(100, 999)).toBe(0);
    expect(paths.take(100, 1_000)).toBe(2);
    expect(paths.take(100, 1_999)).toBe(0);
    expect(paths.take(300, 2_000)).toBe(2);
    expect(paths.take(300, 4_999)).toBe(0);
    expect(paths.take(300, 5_000)).toBe(2);
  });

  it('comes back when the answer to its probe is in time', () => {
    const paths = leftOut();
    paths.add(2, 100, 0);
    paths.take(100, 1_000);
    expect(paths.answer(2, 900, at(1_010))).toBe(false);
    expect(paths.answer(2, 1_000, at(1_150))).toBe(true);
    expect(paths.returnedAt(2)).toBe(1_150);
    expect(paths.take(100, 1e9)).toBe(0);
  });

  it('waits twice as long after each late answer, up to the longest wait', () => {
    const paths = leftOut();
    paths.add(2, 100, 0);
    let nowNs = 1_000;
    for (const waitNs of [2_000, 4_000, 6_000, 6_000]) {
      expect(paths.take(100, nowNs)).toBe(2);
      expect(paths.answer(2, nowNs, at(nowNs + 151))).toBe(false);
      expect(paths.take(100, nowNs + 150 + waitNs)).toBe(0);
      nowNs += 151 + waitNs;
    }
  });

  it('waits twice as long when it comes back and is left out soon, and as long as ever when later', () => {
    const paths = leftOut();
    paths.add(2, 100, 0);
    paths.take(100, 1_000);
    paths.answer(2, 1_000, at(1_100));
    paths.add(2, 100, 1_500);
    expect(paths.take(100, 3_499)).toBe(0);
    expect(paths.take(100, 3_500)).toBe(2);
    paths.answer(2, 3_500, at(3_600));
    paths.add(2, 100, 9_000);
    expect(paths.take(100, 10_000)).toBe(2);
  });

  it('comes back with all others when nothing is known any more', () => {
    const paths = leftOut();
    paths.add(1, 100, 0);
    paths.add(3, 100, 0);
    paths.clear(500);
    expect(paths.take(100, 1e9)).toBe(0);
    expect(paths.returnedAt(3)).toBe(500);
  });
});
