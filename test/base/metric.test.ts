import { describe, expect, it } from 'vitest';
import {
  countedSince,
  counter,
  counters,
  gauge,
  group,
  initialValues,
  label,
  namedCounts,
  nullable,
  sumValues,
} from '../../src/base/metric.js';

const METRICS = {
  frames: counter('frames', 'Frames'),
  lost: nullable(counter('frames', 'Frames lost')),
  drops: counters('frames', 'reason', 'Dropped'),
  queue: gauge('bytes', 'Queue'),
  most: gauge('bytes', 'Largest queue', 'max'),
  mean: gauge('bytes', 'Mean queue', 'mean'),
  inner: group('More', { calls: counter('calls', 'Calls'), name: label('Name') }),
};
const ONE = { frames: 3, lost: 1, drops: { full: 2 }, queue: 9, most: 9, mean: 4, inner: { calls: 1, name: 'a' } };
const TWO = { frames: 5, lost: 2, drops: { down: 1 }, queue: 7, most: 7, mean: 8, inner: { calls: 4, name: 'b' } };

describe('values of a declaration', () => {
  it('begin with nothing counted', () => {
    expect(initialValues(METRICS)).toEqual({
      frames: 0,
      lost: null,
      drops: {},
      queue: 0,
      most: 0,
      mean: 0,
      inner: { calls: 0, name: '' },
    });
  });

  it('of two times add up where they are counted', () => {
    expect(sumValues(METRICS, ONE, TWO, [1, 3])).toEqual({
      frames: 8,
      lost: 3,
      drops: { full: 2, down: 1 },
      queue: 7,
      most: 9,
      mean: 7,
      inner: { calls: 5, name: 'b' },
    });
    expect(sumValues(METRICS, ONE, { ...TWO, lost: null }).lost).toBeNull();
    // In no time there is no mean.
    expect(sumValues(METRICS, ONE, TWO, [0, 0]).mean).toBe(8);
  });

  it('are what was counted since an earlier time', () => {
    expect(countedSince(METRICS, ONE, TWO)).toMatchObject({ frames: 2, lost: 1, queue: 7, inner: { calls: 3 } });
  });
});

it('names only the counts that occurred', () => {
  expect(namedCounts(['taken', 'full', 'down'], [4, 0, 2])).toEqual({ down: 2 });
});
