import { describe, expect, it } from 'vitest';
import { DataMarking, thresholdBytes } from '../../src/switch/data-marking.js';
import { DEFAULT_PORT } from '../../src/switch/port.js';

const marking = (changes = {}) => new DataMarking({ ...DEFAULT_PORT, rateBps: 1e9, ...changes });

describe('the threshold of a port', () => {
  it('is C * RTT / 7 where the RTT is given, at least a frame, and what is given in bytes before all', () => {
    const config = { ...DEFAULT_PORT, rateBps: 10e9, ecnRttNs: 100_000 };
    // 10 Gbit/s for 100 us are 125,000 B.
    expect(thresholdBytes(config)).toBeCloseTo(125_000 / 7, 9);
    expect(thresholdBytes({ ...config, rateBps: 100e6 })).toBe(1_538);
    expect(thresholdBytes({ ...config, ecnThresholdBytes: 7 })).toBe(7);
    expect(thresholdBytes(DEFAULT_PORT)).toBe(Number.POSITIVE_INFINITY);
    expect([marking().isOff, marking({ ecnRttNs: 1 }).isOff]).toEqual([true, false]);
  });
});

describe('marking', () => {
  it('is a step at K unless a ramp is set', () => {
    const step = marking({ ecnThresholdBytes: 3_000 });
    expect([0, 3_000, 3_001, 90_000].map((queued) => step.marks(1_538, queued, 0))).toEqual([false, false, true, true]);
  });

  it('spreads the marks of a ramp evenly: at a quarter of it every fourth frame', () => {
    const ramp = marking({ ecnThresholdBytes: 1_000, ecnRampBytes: 4_000 });
    const at = (queued: number, frames: number) => Array.from({ length: frames }, () => ramp.marks(1_538, queued, 0));
    expect(at(2_000, 8)).toEqual([false, false, false, true, false, false, false, true]);
    expect(at(1_000, 4)).toEqual([false, false, false, false]);
    expect(at(5_000, 3)).toEqual([true, true, true]);
  });

  it('goes by a queue that drains at a part of the rate, whatever really waits', () => {
    const phantom = marking({ ecnThresholdBytes: 1_500, phantomDrainShare: 0.5 });
    // 1 Gbit/s carries 1,250 B in 10 us, the phantom queue loses 625 of them: it holds 1,250, 1,875, 2,500 after each.
    const found = [0, 10_000, 20_000, 30_000].map((nowNs) => phantom.marks(1_250, 0, nowNs));
    expect(found).toEqual([false, false, false, true]);
    // Idle for 40 us: 3,125 - 2,500 are left.
    expect(phantom.marks(1_250, 99_999, 70_000)).toBe(false);
  });
});
