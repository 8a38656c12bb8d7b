import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { changeMeter, eligibleNs, levelBytes, spend, startMeter } from '../../src/switch/credit-meter.js';
import { newPortRecord } from '../../src/switch/port-record.js';
import { TEST_SEED } from '../harness/seeds.js';

/** 8 bits in 8 ns: a byte a nanosecond. */
const BYTE_PER_NS_BPS = 8e9;

function meterOf(rateBps: number, depthBytes: number) {
  const { numbers, at } = newPortRecord();
  startMeter(numbers, at, { rateBps, depthBytes });
  return {
    eligibleNs: (bytes: number) => eligibleNs(numbers, at, bytes),
    spend: (bytes: number, nowNs: number) => spend(numbers, at, bytes, nowNs),
    levelBytes: (nowNs: number) => levelBytes(numbers, at, nowNs),
    configure: (rate: number, depth: number, nowNs: number) =>
      changeMeter(numbers, at, { rateBps: rate, depthBytes: depth }, nowNs),
  };
}

describe('the credit meter', () => {
  it('starts full, and fills at its rate after that', () => {
    const meter = meterOf(BYTE_PER_NS_BPS, 184);
    expect(meter.levelBytes(0)).toBe(184);
    meter.spend(84, 0);
    expect(meter.levelBytes(0)).toBe(100);
    meter.spend(92, 0);
    expect(meter.levelBytes(0)).toBe(8);
    expect(meter.eligibleNs(84)).toBe(76);
    expect(meter.levelBytes(76)).toBe(84);
  });

  it('never holds more than its depth', () => {
    const meter = meterOf(BYTE_PER_NS_BPS, 184);
    meter.spend(84, 1_000_000);
    expect(meter.levelBytes(1_000_000)).toBe(100);
    expect(meter.levelBytes(2_000_000)).toBe(184);
  });

  it('keeps exactly its share over a hundred million nanoseconds of random credits', () => {
    const seed = TEST_SEED;
    const random = new SeededRandom(seed);
    const meter = meterOf(BYTE_PER_NS_BPS * 0.0541, 184);
    let nowNs = 0;
    let sentBytes = 0;
    while (nowNs < 1e8) {
      const bytes = 84 + Math.floor(random.next() * 9);
      nowNs = Math.max(nowNs, meter.eligibleNs(bytes));
      meter.spend(bytes, nowNs);
      sentBytes += bytes;
    }
    // Sent so far is what has filled and what the bucket held at first, to the rounding of a time of 1e8 ns.
    expect(Math.abs(sentBytes - (nowNs * 0.0541 + 184)), `seed ${seed}`).toBeLessThan(1e-3);
  });

  it('keeps its level when the rate changes', () => {
    const meter = meterOf(BYTE_PER_NS_BPS, 184);
    meter.spend(184, 0);
    meter.configure(BYTE_PER_NS_BPS / 10, 184, 50);
    expect(meter.levelBytes(50)).toBeCloseTo(50, 9);
    expect(meter.eligibleNs(84)).toBeCloseTo(390, 9);
  });

  it('loses what a smaller bucket cannot hold', () => {
    const meter = meterOf(BYTE_PER_NS_BPS, 1000);
    meter.configure(BYTE_PER_NS_BPS, 184, 10);
    expect(meter.levelBytes(10)).toBe(184);
  });

  it('lets everything pass at an infinite rate, and has a full bucket when that ends', () => {
    const meter = meterOf(Number.POSITIVE_INFINITY, 184);
    for (let credit = 0; credit < 100; credit++) {
      expect(meter.eligibleNs(92)).toBeLessThanOrEqual(5);
      meter.spend(92, 5);
    }
    meter.configure(BYTE_PER_NS_BPS, 184, 5);
    expect(meter.levelBytes(5)).toBe(184);
  });
});
