import { describe, expect, it } from 'vitest';
import { transmissionNs } from '../../src/base/time.js';

describe('transmissionNs', () => {
  it('is what a full Ethernet frame takes at 100 Mbit/s and at 10 Gbit/s', () => {
    expect(transmissionNs(1538, 100e6)).toBe(123_040);
    expect(transmissionNs(1538, 10e9)).toBe(1230.4);
  });

  it('is nothing on an unlimited link', () => {
    expect(transmissionNs(65_573, Number.POSITIVE_INFINITY)).toBe(0);
  });
});
