import { describe, expect, it } from 'vitest';
import { isPattern, MAX_PART_BYTES, patternBytes } from '../../../src/apps/lab/stream-pattern.js';

const FLOW = 4_000_000_123;

describe('the bytes of a lab stream', () => {
  it('are found to be right in whatever pieces they arrive', () => {
    const stream = Buffer.concat([0, 1, 2].map((part) => patternBytes(FLOW, part * MAX_PART_BYTES, MAX_PART_BYTES)));
    expect(isPattern(stream, FLOW, 0)).toBe(true);
    for (const [from, to] of [
      [0, 1446],
      [1446, 2892],
      [65_000, 67_000],
      [65_521, 140_000],
    ]) {
      expect(isPattern(stream.subarray(from, to), FLOW, from)).toBe(true);
    }
  });

  it('differ by one place, by a frame, by a power of two and by flow', () => {
    const bytes = patternBytes(FLOW, 5_000, 1446);
    for (const offset of [4_999, 5_001, 5_000 + 1446, 5_000 + 65_536, 5_000 + 2 ** 20]) {
      expect(isPattern(bytes, FLOW, offset), `at ${offset}`).toBe(false);
    }
    expect(isPattern(bytes, FLOW + 1, 5_000)).toBe(false);
  });

  it('show a single wrong byte, the last one too', () => {
    const bytes = Buffer.from(patternBytes(FLOW, 0, 1446));
    bytes[1445] ^= 1;
    expect(isPattern(bytes, FLOW, 0)).toBe(false);
    expect(isPattern(bytes.subarray(0, 1445), FLOW, 0)).toBe(true);
  });
});
