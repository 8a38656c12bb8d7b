import { describe, expect, it } from 'vitest';
import { displayCount, displayDuration, displayPercent, displayRate, displaySize } from '../../src/base/display.js';

describe('numbers for people', () => {
  it.each([
    [94.82e6, '94.82 Mbit/s'],
    [0, '0 bit/s'],
    [999, '999 bit/s'],
    [999.96e3, '1.000 Mbit/s'],
    [1e15, '1000 Tbit/s'],
    [Number.POSITIVE_INFINITY, 'unlimited'],
    [Number.NaN, '-'],
  ])('shows the rate %d as %s', (rateBps, shown) => {
    expect(displayRate(rateBps)).toBe(shown);
  });

  it.each([
    [92, '92 B'],
    [1000, '1000 B'],
    [1500, '1.465 KiB'],
    [16 * 2 ** 20, '16.00 MiB'],
    [1023 * 1024, '1023 KiB'],
  ])('shows the size %d as %s', (bytes, shown) => {
    expect(displaySize(bytes)).toBe(shown);
  });

  it.each([
    [131_200, '131.2 us'],
    [12.5e9, '12.50 s'],
    [59.4e9, '59.40 s'],
    [125e9, '2:05'],
    [3725e9, '1:02:05'],
    [Number.POSITIVE_INFINITY, '-'],
  ])('shows the duration %d as %s', (durationNs, shown) => {
    expect(displayDuration(durationNs)).toBe(shown);
  });

  it('shows parts and counts', () => {
    expect([displayPercent(0.9482), displayPercent(1), displayPercent(0.00123), displayPercent(Number.NaN)]).toEqual([
      '94.82 %',
      '100.0 %',
      '0.123 %',
      '-',
    ]);
    expect([displayCount(0), displayCount(999), displayCount(1234567), displayCount(Number.NaN)]).toEqual([
      '0',
      '999',
      '1,234,567',
      '-',
    ]);
  });
});
