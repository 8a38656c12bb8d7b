import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { Acknowledger } from '../../src/core/acknowledger.js';

const DELAY_NS = 5_000;

function acknowledger(): Acknowledger {
  return new Acknowledger({ ackFrames: 4, ackFramesWithHoles: 2, ackDelayNs: DELAY_NS });
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
