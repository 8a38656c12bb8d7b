import { describe, expect, it } from 'vitest';
import { DATA_SHARE } from '../../../src/apps/demo/link-rate.js';
import { WarmUp } from '../../../src/apps/demo/warm-up.js';

const RATE = 50e6;
const FRAME = 1538;

/** Samples every 100 ms of a link that is as full, with a queue of so many frames, as these say of each time; returns when it was over. */
function play(fullAt: (timeS: number) => number, framesAt: (timeS: number) => number = () => 6) {
  const warmUp = new WarmUp(RATE);
  let wireBytes = 0;
  for (let tick = 0; tick <= 200; tick++) {
    const timeS = tick / 10;
    if (tick > 0) wireBytes += (fullAt(timeS) * RATE * DATA_SHARE) / 80;
    warmUp.add({ timeS, wireBytes, queueBytesPeak: framesAt(timeS) * FRAME });
    if (warmUp.isOver) return { timeS, outcome: warmUp.outcome };
  }
  throw new Error('the warm-up never ends');
}

describe('a warm-up', () => {
  it('ends with the first second in which the link was full and the queue short', () => {
    const { timeS, outcome } = play((at) => (at <= 1 ? 0.4 : 0.98));
    expect(timeS).toBeGreaterThanOrEqual(1.9);
    expect(timeS).toBeLessThanOrEqual(2.1);
    expect(outcome).toMatchObject({ rateBps: RATE, isCarried: true, queueFrames: 6 });
  });

  it('does not count the queue of its beginning, when nothing was compiled', () => {
    const { timeS, outcome } = play(
      () => 0.98,
      (at) => (at <= 0.5 ? 30 : 7),
    );
    expect(timeS).toBeCloseTo(1.5, 1);
    expect(outcome).toMatchObject({ isCarried: true, queueFrames: 7 });
  });

  it('goes on for as long as it gets better', () => {
    const { timeS, outcome } = play((at) => Math.min(0.97, 0.2 + 0.15 * at));
    expect(timeS).toBeGreaterThan(5);
    expect(outcome.isCarried).toBe(true);
  });

  it('ends when nothing gets better, and the rate is too much', () => {
    const { timeS, outcome } = play(() => 0.8);
    expect(timeS).toBeCloseTo(3, 1);
    expect(outcome.isCarried).toBe(false);
    expect(outcome.utilisation).toBeCloseTo(0.8, 3);
  });

  it('holds a rate that fills the link with a long queue for too much', () => {
    expect(
      play(
        () => 0.99,
        () => 14,
      ).outcome.isCarried,
    ).toBe(false);
  });

  it('has a longest time', () => {
    expect(play((at) => 0.9 * (at / 20)).timeS).toBeLessThanOrEqual(8);
  });
});
