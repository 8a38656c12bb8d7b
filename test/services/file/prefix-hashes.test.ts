import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LEAST_RESUMED_BYTES, MAX_POINTS, pointsOf, prefixHashes } from '../../../src/services/file/prefix-hashes.js';

const CONTENT = Buffer.alloc(300_000, 'prefix');
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** A file that gives at most so much at a time. */
const reader = (most: number) => async (into: Uint8Array, position: number) =>
  CONTENT.copy(into, 0, position, Math.min(position + most, position + into.length));

describe('hashes of prefixes', () => {
  it.each([100_000, 1_000])('are those of the first bytes, from reads of %i bytes', async (most) => {
    const offsets = [1, 65_536, 65_537, 300_000];
    const found: number[] = [];
    for await (const { offset, sha256, hash } of prefixHashes(reader(most), offsets)) {
      expect(sha256).toBe(digestOf(CONTENT.subarray(0, offset)));
      expect(hash.copy().update('more').digest('hex')).toBe(
        digestOf(Buffer.concat([CONTENT.subarray(0, offset), Buffer.from('more')])),
      );
      found.push(offset);
    }
    expect(found).toEqual(offsets);
  });

  it('end where the file does', async () => {
    const found: number[] = [];
    for await (const { offset } of prefixHashes(reader(1e6), [200_000, 300_001])) found.push(offset);
    expect(found).toEqual([200_000]);
  });
});

describe('the points at which prefixes are compared', () => {
  it('ascend to the end of the file in even steps, and are bounded', () => {
    expect(pointsOf(0)).toEqual([]);
    expect(pointsOf(5)).toEqual([5]);
    expect(pointsOf(2 * LEAST_RESUMED_BYTES + 1)).toEqual([
      LEAST_RESUMED_BYTES,
      2 * LEAST_RESUMED_BYTES,
      2 * LEAST_RESUMED_BYTES + 1,
    ]);
    for (const bytes of [1e9, 64 * LEAST_RESUMED_BYTES, 2 ** 53 - 1]) {
      const points = pointsOf(bytes);
      expect(points.length).toBeLessThanOrEqual(MAX_POINTS);
      expect(points.at(-1)).toBe(bytes);
      expect(points.every((point, at) => at === 0 || point > points[at - 1])).toBe(true);
    }
  });
});
