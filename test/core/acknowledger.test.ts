import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { Acknowledger } from '../../src/core/acknowledger.js';
import { DEFAULT_CONFIG } from '../../src/core/config.js';
import { ownRecord } from '../../src/core/flow-record.js';
import { RttEstimator } from '../../src/core/rtt.js';

const DELAY_NS = 5_000;

function acknowledger(): Acknowledger {
  return new Acknowledger({ ackFrames: 4, ackFramesWithHoles: 2, ackDelayNs: DELAY_NS, idleTimeoutNs: SECOND_NS });
}

/** One that has seen `count` frames of a flow of `frameBytes`, so far apart, each acknowledged; the last came at `lastNs`. */
function withGaps(gapNs: number, { frameBytes = 1_472, count = 20 } = {}) {
  const acks = acknowledger();
  acks.setFrameBytes(frameBytes);
  for (let frame = 0; frame < count; frame++) {
    acks.onData(false, frame * gapNs);
    acks.onSent();
  }
  return { acks, lastNs: (count - 1) * gapNs };
}

describe('an ACK is due', () => {
  it('never while nothing has arrived', () => {
    const acks = acknowledger();
    expect(acks.deadlineNs).toBe(NEVER);
    expect(acks.isDue(1e15)).toBe(false);
  });

  it('after so many frames', () => {
    const acks = acknowledger();
    for (let frame = 0; frame < 3; frame++) acks.onData(false, 0);
    expect(acks.isDue(0)).toBe(false);
    acks.onData(false, 0);
    expect(acks.isDue(0)).toBe(true);
  });

  it('the delay after the first frame that waits, not after the last', () => {
    const acks = acknowledger();
    acks.onData(false, 100);
    acks.onData(false, 900);
    expect(acks.deadlineNs).toBe(100 + DELAY_NS);
    expect(acks.isDue(100 + DELAY_NS - 1)).toBe(false);
    expect(acks.isDue(100 + DELAY_NS)).toBe(true);
  });

  it('while there are holes a quarter of an RTT after the first frame that waits, where that is shorter', () => {
    const record = ownRecord();
    const acks = new Acknowledger({ ...DEFAULT_CONFIG, ackDelayNs: DELAY_NS }, record);
    for (const [rttNs, delayNs] of [
      [4_000, 1_000],
      [400_000, DELAY_NS],
    ]) {
      new RttEstimator(DEFAULT_CONFIG, record).sample(rttNs);
      acks.onData(true, 0);
      acks.onSent();
      acks.onData(true, 100);
      expect(acks.deadlineNs).toBe(100 + delayNs);
      acks.onSent();
      record.numbers.fill(0, record.at);
    }
  });

  it('at once when the first hole opens and when the last one closes, and sooner between', () => {
    const acks = acknowledger();
    acks.onData(true, 0);
    expect(acks.isDue(0)).toBe(true);
    acks.onSent();
    acks.onData(true, 0);
    expect(acks.isDue(0)).toBe(false);
    acks.onData(true, 0);
    expect(acks.isDue(0)).toBe(true);
    acks.onSent();
    acks.onData(false, 0);
    expect(acks.isDue(0)).toBe(true);
    acks.onSent();
    acks.onData(false, 0);
    expect(acks.isDue(0)).toBe(false);
  });

  it('at once when it is demanded', () => {
    const acks = acknowledger();
    acks.demand();
    expect(acks.isDue(0)).toBe(true);
  });

  it('no more once it has been sent', () => {
    const acks = acknowledger();
    for (let frame = 0; frame < 4; frame++) acks.onData(false, 0);
    acks.onSent();
    expect(acks.isDue(1e15)).toBe(false);
    expect(acks.deadlineNs).toBe(NEVER);
  });
});

describe('where the frames of a flow are far apart, an ACK', () => {
  const GAP_NS = 10 * MILLISECOND_NS;

  it('waits for four of their gaps', () => {
    const { acks, lastNs } = withGaps(GAP_NS);
    const nowNs = lastNs + GAP_NS;
    acks.onData(false, nowNs);
    expect(acks.deadlineNs).toBeCloseTo(nowNs + 4 * GAP_NS, 0);
  });

  it('waits for no longer than a quarter of the idle timeout', () => {
    const { acks, lastNs } = withGaps(SECOND_NS / 8);
    acks.onData(false, lastNs + SECOND_NS / 8);
    expect(acks.deadlineNs).toBe(lastNs + SECOND_NS / 8 + SECOND_NS / 4);
  });

  it('lets no more wait than half of the least send buffer holds', () => {
    const { acks, lastNs } = withGaps(GAP_NS, { frameBytes: 10_000 });
    acks.onData(false, lastNs + GAP_NS);
    expect(acks.deadlineNs).toBeCloseTo(lastNs + GAP_NS + 3 * GAP_NS, 0);
    const large = withGaps(GAP_NS, { frameBytes: 60_000 });
    large.acks.onData(false, large.lastNs + GAP_NS);
    expect(large.acks.deadlineNs).toBe(large.lastNs + GAP_NS + DELAY_NS);
  });

  it('comes soon while there are holes', () => {
    const { acks, lastNs } = withGaps(GAP_NS);
    acks.onData(true, lastNs);
    expect(acks.isDue(lastNs)).toBe(true);
    acks.onSent();
    acks.onData(true, lastNs + GAP_NS);
    expect(acks.deadlineNs).toBe(lastNs + GAP_NS + DELAY_NS);
  });

  it('does not count a pause as a gap', () => {
    const { acks, lastNs } = withGaps(100);
    acks.onPause();
    acks.onData(false, lastNs + SECOND_NS);
    expect(acks.deadlineNs).toBe(lastNs + SECOND_NS + DELAY_NS);
    acks.onSent();
    acks.onData(false, lastNs + SECOND_NS + 100);
    expect(acks.deadlineNs).toBe(lastNs + SECOND_NS + 100 + DELAY_NS);
  });

  it('comes sooner again once they are close together', () => {
    const { acks, lastNs } = withGaps(GAP_NS);
    let nowNs = lastNs;
    for (let frame = 0; frame < 100; frame++) {
      nowNs += 100;
      acks.onData(false, nowNs);
      acks.onSent();
    }
    nowNs += 100;
    acks.onData(false, nowNs);
    expect(acks.deadlineNs).toBe(nowNs + DELAY_NS);
  });
});
