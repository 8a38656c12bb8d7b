import { describe, expect, it } from 'vitest';
import {
  CHECK_BYTES,
  Credit,
  creditShare,
  DEFAULT_FRAME_BYTES,
  Header,
  MEAN_CREDIT_WIRE_BYTES,
  MIN_WIRE_BYTES,
  wireBytes,
} from '../../src/wire/layout.js';

describe('sizes on the wire', () => {
  it('are 84 to 92 bytes for a credit, 88 in the mean, and 1538 for a full data frame', () => {
    const smallest = wireBytes(Credit.bytes);
    const largest = wireBytes(Credit.bytes + Credit.maxPaddingBytes);
    expect([smallest, largest]).toEqual([MIN_WIRE_BYTES, 92]);
    expect((smallest + largest) / 2).toBe(MEAN_CREDIT_WIRE_BYTES);
    expect(wireBytes(DEFAULT_FRAME_BYTES)).toBe(1538);
  });

  it('leave credits 5.41 % of a link with full frames', () => {
    expect(creditShare(DEFAULT_FRAME_BYTES)).toBeCloseTo(0.0541, 4);
  });

  it('hold no frame shorter than header and check', () => {
    expect(Credit.bytes).toBeGreaterThanOrEqual(Header.bytes + CHECK_BYTES);
  });
});
