import { describe, expect, it } from 'vitest';
import { ExchangeMeter, MessageReader, stampedMessage } from '../../../src/services/perf/exchange.js';

describe('messages of an exchange', () => {
  it('are found wherever the stream is cut', () => {
    const stream = Buffer.concat([1, 2, 3].map((stampNs) => stampedMessage(20, stampNs)));
    for (const step of [1, 3, 7, 20, 33, 60]) {
      const stamps: number[] = [];
      const reader = new MessageReader(20);
      for (let at = 0; at < stream.length; at += step)
        reader.push(stream.subarray(at, at + step), (stampNs) => stamps.push(stampNs));
      expect(stamps, `in steps of ${step}`).toEqual([1, 2, 3]);
    }
  });

  it('that are too short have no time', () => {
    const stamps: number[] = [];
    new MessageReader(4).push(stampedMessage(4, 9), (stampNs) => stamps.push(stampNs));
    expect(stamps).toEqual([Number.NaN]);
  });
});

describe('the meter of an exchange', () => {
  it('finds the delays of each way behind an offset of the clocks', () => {
    const meter = new ExchangeMeter();
    const offsetNs = 7e9;
    // The quickest takes 100 us each way; of another the way there takes 300 us.
    for (const [thereNs, backNs] of [
      [100e3, 100e3],
      [300e3, 100e3],
      [100e3, 150e3],
    ])
      meter.record(1e9, 1e9 + thereNs + offsetNs, 1e9 + thereNs + backNs);
    const { completion, forwardDelay, reverseDelay, uncertaintyUs } = meter.results();
    expect(uncertaintyUs).toBe(100);
    expect(completion.max).toBeCloseTo(400, 0);
    expect([forwardDelay.min, forwardDelay.max].map(Math.round)).toEqual([100, 300]);
    expect([reverseDelay.min, reverseDelay.max].map(Math.round)).toEqual([100, 150]);
  });

  it('says nothing of one way where messages have no time', () => {
    const meter = new ExchangeMeter();
    meter.record(0, Number.NaN, 5_000);
    expect(meter.results()).toMatchObject({
      uncertaintyUs: null,
      unstamped: 1,
      forwardDelay: { count: 0 },
      completion: { count: 1 },
    });
  });
});
