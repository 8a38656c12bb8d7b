import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

/** 10 credits of 8,000 bits sent within 160 us: 500 Mbit/s of 1 Gbit/s. */
const SENT_BPS = 0.5e9;

describe('sequence-free feedback', () => {
  it('follows Algorithm 1: hand-computed', () => {
    const flow = creditAlgorithm('spraypass', ROUND_LINK, { initial_rate: 0.0625, w_init: 0.0625 });
    // No mark: increasing, w as it begins. 0.9375 * 62.5 + 0.0625 * 1100
    flow.update(creditSample({ known: 10, dataFrames: 10, creditMarked: 0 }));
    expect(flow.rateBps).toBeCloseTo(127.34375e6, 3);
    // A mark in ten is within aim_ratio 0.1: increasing again, w = (0.0625 + 0.5) / 2. 0.71875 * 127.34375 + 0.28125 * 1100
    flow.update(creditSample({ known: 10, dataFrames: 10, creditMarked: 1 }));
    expect(flow.rateBps).toBeCloseTo(400.9033203125e6, 3);
    // Three in ten: decreasing. 0.7 of what was sent, times 1.1; w halves.
    flow.update(creditSample({ known: 10, dataFrames: 10, creditMarked: 3 }));
    expect(flow.rateBps).toBeCloseTo(SENT_BPS * 0.7 * 1.1, 3);
    expect(flow.state()).toMatchObject({ w: 0.140625, increasing: 0 });
  });

  it('takes a decrease off the rate in force where it is told so', () => {
    const flow = creditAlgorithm('spraypass', ROUND_LINK, { initial_rate: 0.25, sent_rate: 0 });
    flow.update(creditSample({ known: 10, dataFrames: 10, creditMarked: 3 }));
    expect(flow.rateBps).toBeCloseTo(250e6 * 0.7 * 1.1, 3);
  });

  it('sees no loss in credits that are missing', () => {
    const flow = creditAlgorithm('spraypass-2', ROUND_LINK);
    flow.update(creditSample({ known: 10, dropped: 5, dataFrames: 5, creditMarked: 0 }));
    expect(flow.state()).toMatchObject({ increasing: 1 });
  });

  it('learns nothing from a period without data', () => {
    const flow = creditAlgorithm('spraypass', ROUND_LINK);
    const before = flow.rateBps;
    flow.update(creditSample({ known: 10, dropped: 10, dataFrames: 0 }));
    expect(flow.rateBps).toBe(before);
  });

  it('is not what spraypass-1 has: that reads gaps, and no marks', () => {
    const flow = creditAlgorithm('spraypass-1', ROUND_LINK);
    flow.update(creditSample({ known: 10, dropped: 0, dataFrames: 10, creditMarked: 10 }));
    expect(flow.state()).toMatchObject({ increasing: 1 });
    flow.update(creditSample({ known: 10, dropped: 5, dataFrames: 5, creditMarked: 0 }));
    expect(flow.rateBps).toBeCloseTo(SENT_BPS * 0.5 * 1.1, 3);
  });

  it('sees loss in disorder in spraypass-1 where credits that come late count as lost, as in the paper', () => {
    const sample = creditSample({ known: 10, dropped: 2, takenBack: 3, dataFrames: 8 });
    const [forgiving, strict] = [0, 1].map((late_lost) => creditAlgorithm('spraypass-1', ROUND_LINK, { late_lost }));
    forgiving.update(sample);
    strict.update(sample);
    expect(forgiving.rateBps).toBeCloseTo(SENT_BPS * 0.8 * 1.1, 3);
    expect(strict.rateBps).toBeCloseTo(SENT_BPS * 0.5 * 1.1, 3);
  });
});

it('the three are configured as Table II has them, and as one asks', () => {
  const sprays = ['spraypass-1', 'spraypass-2', 'spraypass'].map((name) => creditAlgorithm(name, ROUND_LINK).spray);
  expect(sprays.map((spray) => [spray?.uniform, spray?.probing])).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
  const asked = creditAlgorithm('spraypass-2', ROUND_LINK, { paths: 8, uniform: 1, theta: 0.3, n_b: 1.626e6 }).spray;
  // N_b is for four paths and 1626 B a credit; here are eight and 1000 B.
  expect(asked).toMatchObject({ paths: 8, uniform: true, probing: false, slowest: 0.3, boardBits: 2e6 });
});
