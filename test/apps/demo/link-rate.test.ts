import { describe, expect, it } from 'vitest';
import { bytesFor, firstRate, nextRate, type WarmUpOutcome } from '../../../src/apps/demo/link-rate.js';

function outcome(rateBps: number, isCarried: boolean): WarmUpOutcome {
  return { rateBps, utilisation: isCarried ? 0.97 : 0.8, queueFrames: 8, isCarried };
}

describe('the rate that the demonstration tries first', () => {
  it.each([
    [{ count: 16, idle: 15.2 }, 6, 100e6],
    [{ count: 16, idle: 15.2 }, 26, 50e6],
    [{ count: 2, idle: 2 }, 6, 50e6],
    [{ count: 2, idle: 1 }, 6, 50e6],
    [{ count: 2, idle: 0.3 }, 6, 20e6],
    [{ count: 1, idle: 1 }, 6, 50e6],
  ])('with %j and %i processes is %i bit/s', (cores, processes, rateBps) => {
    expect(firstRate(cores, processes)).toBe(rateBps);
  });
});

describe('the rate that it tries next', () => {
  it('is none when one was carried', () => {
    expect(nextRate([outcome(50e6, true)])).toBeNull();
    expect(nextRate([outcome(100e6, false), outcome(50e6, true)])).toBeNull();
  });

  it('is the next lower one, down to 20 Mbit/s', () => {
    expect(nextRate([outcome(100e6, false)])).toBe(50e6);
    expect(nextRate([outcome(100e6, false), outcome(50e6, false)])).toBe(20e6);
    expect(nextRate([outcome(20e6, false)])).toBeNull();
  });
});

describe('the length of the files', () => {
  it('takes about six seconds at any rate, with any number of senders', () => {
    expect(bytesFor(100e6, 4, 1e9)).toBe(16 * 2 ** 20);
    expect(bytesFor(50e6, 4, 1e9)).toBe(8 * 2 ** 20);
    expect(bytesFor(20e6, 4, 1e9)).toBe(3 * 2 ** 20);
    const seconds = (bytesFor(20e6, 64, 1e9) * 64 * 8) / 20e6;
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(6);
  });

  it('is no more than the file has', () => {
    expect(bytesFor(100e6, 4, 1000)).toBe(1000);
  });
});
