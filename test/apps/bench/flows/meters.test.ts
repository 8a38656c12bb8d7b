import { describe, expect, it } from 'vitest';
import { GapMeter, MessageMeter, STAMP_BYTES, sharedMs, stamped } from '../../../../src/apps/bench/flows/meters.js';

/** A message of so many bytes that was sent at this time. */
function messageOf(bytes: number, sentMs: number): Uint8Array {
  const message = new Uint8Array(bytes);
  new DataView(message.buffer).setFloat64(0, sentMs);
  return message;
}

describe('the meter of messages', () => {
  it('takes the time from the stamp of a stream to its end, however it is cut', () => {
    let nowMs = 0;
    const meter = new MessageMeter({}, () => nowMs);
    for (const [sentMs, endMs, cut] of [
      [1_000, 1_002, 3],
      [1_000, 1_005, STAMP_BYTES],
      [1_000, 1_009, 20],
    ]) {
      const stream = meter.open();
      const message = messageOf(20, sentMs);
      stream.onData(message.subarray(0, cut));
      stream.onData(message.subarray(cut));
      nowMs = endMs;
      stream.onEnd();
    }
    const { flows, bytes, completion } = meter.take();
    expect([flows, bytes, completion.count]).toEqual([3, 60, 3]);
    // The histogram tells durations within 0.1 %.
    for (const [us, exactUs] of [
      [completion.min, 2_000],
      [completion.p50, 5_000],
      [completion.max, 9_000],
    ]) {
      expect(Math.abs(us / exactUs - 1)).toBeLessThan(0.001);
    }
  });

  it('times each message of a row, however the stream is cut, and its end is none', () => {
    for (const cut of [1, 7, 20, 21, 33, 60]) {
      const nowMs = 1_005;
      const meter = new MessageMeter({ messageBytes: 20 }, () => nowMs);
      const row = new Uint8Array(60);
      for (const [index, sentMs] of [1_004, 1_003, 1_001].entries()) row.set(messageOf(20, sentMs), index * 20);
      const stream = meter.open();
      for (let at = 0; at < row.length; at += cut) stream.onData(row.subarray(at, at + cut));
      stream.onEnd();
      const { flows, bytes, completion } = meter.take();
      expect([flows, bytes, completion.count]).toEqual([3, 60, 3]);
      expect(Math.round(completion.max / 100) * 100).toBe(4_000);
      expect(Math.round(completion.min / 100) * 100).toBe(1_000);
    }
  });

  it('forgets what came before a measurement', () => {
    const meter = new MessageMeter();
    const stream = meter.open();
    stream.onData(messageOf(20, 0));
    stream.onEnd();
    meter.forget();
    expect(meter.take()).toMatchObject({ flows: 0, bytes: 0, completion: { count: 0 } });
  });

  it('tells what is new since it was asked', () => {
    const meter = new MessageMeter();
    const stream = meter.open();
    stream.onData(messageOf(8, sharedMs()));
    expect(meter.take()).toMatchObject({ flows: 0, bytes: 8 });
    stream.onEnd();
    expect(meter.take()).toMatchObject({ flows: 1, bytes: 0, completion: { count: 1 } });
    expect(meter.take()).toMatchObject({ flows: 0, completion: { count: 0 } });
  });

  it('counts streams that are too long, and does not time them', () => {
    const meter = new MessageMeter({ longestBytes: 10 });
    for (const bytes of [10, 11]) {
      const stream = meter.open();
      stream.onData(messageOf(bytes, sharedMs()));
      stream.onEnd();
    }
    expect(meter.take()).toMatchObject({ flows: 2, bytes: 21, completion: { count: 1 } });
  });

  it('reads what a source writes', () => {
    const beforeMs = sharedMs();
    const message = stamped(100);
    expect(message).toHaveLength(100);
    const stampMs = new DataView(message.buffer).getFloat64(0);
    expect(stampMs).toBeGreaterThanOrEqual(beforeMs);
    expect(stampMs).toBeLessThanOrEqual(sharedMs());
  });
});

/** A meter that has seen credits with these gaps, in us. */
function meterOf(idealUs: number, gapsUs: readonly number[]): GapMeter {
  const meter = new GapMeter(idealUs * 1e3);
  let nowNs = 0;
  meter.onCredit(nowNs);
  for (const gapUs of gapsUs) {
    nowNs += gapUs * 1e3;
    meter.onCredit(nowNs);
  }
  return meter;
}

describe('the meter of gaps between credits', () => {
  it('tells the deviation from their mean and the error against the ideal', () => {
    // The mean is 21.
    const { count, deviationUs, p99Us } = meterOf(20, [20, 24, 19, 21, 21]).take();
    expect(count).toBe(5);
    expect(deviationUs).toBeCloseTo(Math.sqrt((1 + 9 + 4) / 5), 6);
    expect(p99Us).toBeCloseTo(4, 2);
  });

  it('finds no deviation in even gaps that are not the ideal', () => {
    const { deviationUs, p99Us } = meterOf(20, [25, 25, 25]).take();
    expect(deviationUs).toBe(0);
    expect(p99Us).toBeCloseTo(5, 2);
  });

  it('begins anew when it was asked, with the gap after the last credit', () => {
    const meter = meterOf(20, [100]);
    meter.take();
    meter.onCredit(100e3 + 23e3);
    expect(meter.take()).toMatchObject({ count: 1, deviationUs: 0 });
    expect(meter.take().count).toBe(0);
  });

  it('forgets what came before a measurement', () => {
    const meter = meterOf(20, [100, 5]);
    meter.forget();
    meter.onCredit(105e3 + 23e3);
    expect(meter.take()).toMatchObject({ count: 1, deviationUs: 0, p99Us: expect.closeTo(3, 2) });
  });
});
