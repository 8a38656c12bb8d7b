import { describe, expect, it } from 'vitest';
import { RecordArena } from '../../../src/base/record-arena.js';
import { ALGORITHM_NUMBERS, floorRateBps } from '../../../src/core/credit/algorithm.js';
import { creditAlgorithmMaker } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

/** Round numbers for calculating by hand. Samples were sent at 500 of the link's 1000 Mbit/s. */
const start = (parameters = {}, weight = 1) =>
  creditAlgorithmMaker(
    'steady',
    ROUND_LINK,
    { ...PARAMETERS, ...parameters },
    new RecordArena(ALGORITHM_NUMBERS),
  )(weight);
const PARAMETERS = { initial_rate: 0.5, tolerated_loss: 0.5, queued_loss: 0.02, memory: 10, lean: 0.02 };

/** Frames wait in a queue of the path: the RTT is 30 % above its shortest. */
const QUEUED = { rttNs: 2.1e6, minRttNs: 1e6, elapsedNs: 2.1e6 };
/** Three quarters of 40 credits are lost; with the 10 that are remembered as without loss, 0.6 of 500 Mbit/s. A half would be tolerated. */
const OVERLOADED = { known: 40, dropped: 30 };
const FOUND_BPS = (500e6 * (1 - 0.6)) / 0.5;

describe('steady where ports offer a rate', () => {
  it('begins at a part of its link', () => {
    expect(start({ initial_rate: 1 / 16 }).rateBps).toBe(62.5e6);
  });

  it('takes what is offered at once, up or down, and says which hop limits it', () => {
    const flow = start();
    expect(flow.hop).toBe(15);
    for (const [explicitBps, hop] of [
      [300e6, 2],
      [900e6, 0],
      [1e3, 7],
    ]) {
      flow.update(creditSample({ explicitBps, hop }));
      expect([flow.rateBps, flow.hop]).toEqual([explicitBps, hop]);
    }
  });

  it('goes no faster than its own link', () => {
    const flow = start();
    flow.update(creditSample({ explicitBps: 4e9, hop: 1 }));
    expect(flow.rateBps).toBe(1e9);
  });

  it('counts as one flow', () => {
    expect(start().weight).toBe(1);
  });

  it('takes as many times the offer as it weighs, and counts as as many flows', () => {
    const flow = start({}, 3);
    expect(flow.weight).toBe(3);
    flow.update(creditSample({ explicitBps: 300e6, hop: 1 }));
    expect(flow.rateBps).toBe(900e6);
    flow.update(creditSample({ explicitBps: 400e6, hop: 1 }));
    expect(flow.rateBps).toBe(1e9);
  });

  it.each([0.001, 0.03, 0.2, 0.5])('does not mind a random loss of %d', (loss) => {
    const flow = start();
    for (let update = 0; update < 50; update++)
      flow.update(creditSample({ known: 1000, dropped: loss * 1000, explicitBps: 700e6, hop: 1 }));
    expect(flow.rateBps).toBe(700e6);
  });

  it('keeps to the last offer through a period whose data is all lost', () => {
    const flow = start();
    flow.update(creditSample({ explicitBps: 300e6, hop: 2 }));
    flow.update(creditSample({ known: 4, dropped: 4, explicitBps: 0, hop: 15 }));
    expect([flow.rateBps, flow.hop]).toEqual([300e6, 2]);
  });
});

describe('steady where a link offers nothing', () => {
  it('finds no limit while no more is lost than is tolerated', () => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 20 }));
    expect(flow.state().limit).toBe(Number.POSITIVE_INFINITY);
    expect(flow.rateBps).toBe(1e9);
  });

  it('takes what came through beyond that for its limit, and leans from there', () => {
    const flow = start();
    flow.update(creditSample(OVERLOADED));
    expect(flow.rateBps).toBeCloseTo(FOUND_BPS + 0.02 * (1e9 - FOUND_BPS), 0);
    const limitBps = flow.rateBps;
    flow.update(creditSample());
    expect(flow.rateBps).toBeCloseTo(limitBps + 0.02 * (1e9 - limitBps), 0);
  });

  it('remembers what was lost over as many credits as it is told', () => {
    const flow = start();
    // 10 credits a sample count as much as the 10 before: 0.4, 0.2, 0.45 and 0.575 are lost.
    const limited = [0.8, 0, 0.7, 0.7].map((loss) => {
      flow.update(creditSample({ dropped: 10 * loss }));
      return flow.state().limit < Number.POSITIVE_INFINITY;
    });
    expect(limited).toEqual([false, false, false, true]);
  });

  it('learns nothing from a sample without data: an outage is no share', () => {
    const flow = start();
    for (let update = 0; update < 50; update++) flow.update(creditSample({ known: 40, dropped: 40 }));
    expect(flow.state().limit).toBe(Number.POSITIVE_INFINITY);
    flow.update(creditSample({ known: 40, dropped: 24 }));
    expect(flow.state().limit).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    ['the part of an RTT that passed', 0.25e6, 0.005],
    ['one RTT where more have passed', 3e6, 0.02],
  ])('leans by %s', (_, elapsedNs, part) => {
    const flow = start();
    flow.update(creditSample(OVERLOADED));
    const limitBps = flow.rateBps;
    flow.update(creditSample({ elapsedNs }));
    expect(flow.rateBps).toBeCloseTo(limitBps + part * (1e9 - limitBps), 0);
  });

  it('tolerates little where frames wait in a queue', () => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 10, ...QUEUED }));
    // 10 of 50: those 40, and the 10 that are remembered
    const limitBps = (500e6 * (1 - 10 / 50)) / 0.98;
    expect(flow.rateBps).toBeCloseTo(limitBps + 0.02 * (1e9 - limitBps), 0);
  });

  it.each([
    ['by less than it is at the shortest', { ...QUEUED, rttNs: 1.9e6 }],
    ['by no more than it varies', { ...QUEUED, rttVariationNs: 0.14e6 }],
    ['by nothing, since none is known', { ...QUEUED, minRttNs: Number.POSITIVE_INFINITY }],
  ])('takes no queue for granted where the RTT is longer %s', (_, rtt) => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 10, ...rtt }));
    expect(flow.rateBps).toBe(1e9);
  });

  it('never rises by what it finds', () => {
    const flow = start({ initial_rate: 0.1 });
    flow.update(creditSample({ ...OVERLOADED, spanNs: 40 * 8000 }));
    expect(flow.rateBps).toBeCloseTo(100e6 + 0.02 * 900e6, 0);
  });

  it('does not take for its limit what a window let it send', () => {
    const flow = start();
    flow.update(creditSample({ ...OVERLOADED, spanNs: 40 * 160_000, heldBack: true }));
    expect(flow.state().limit).toBeCloseTo(FOUND_BPS + 0.02 * (1e9 - FOUND_BPS), 0);
  });

  it('takes the rate in force where it does not know the span', () => {
    const flow = start();
    flow.update(creditSample({ ...OVERLOADED, spanNs: 0 }));
    expect(flow.state().limit).toBeCloseTo(FOUND_BPS + 0.02 * (1e9 - FOUND_BPS), 0);
  });

  it('forgets its limit once that has reached what is offered', () => {
    const flow = start();
    const offer = { explicitBps: 510e6, hop: 1 };
    flow.update(creditSample({ ...OVERLOADED, ...offer }));
    // 412 Mbit/s, and 1 - 0.588 * 0.98 ** 10 = 0.52 of the link after ten updates more.
    for (let update = 0; update < 9; update++) {
      expect(flow.rateBps).toBeLessThan(510e6);
      flow.update(creditSample(offer));
    }
    flow.update(creditSample(offer));
    expect([flow.state().limit, flow.rateBps]).toEqual([Number.POSITIVE_INFINITY, 510e6]);
    flow.update(creditSample({ explicitBps: 900e6, hop: 1 }));
    expect(flow.rateBps).toBe(900e6);
  });

  it('sends one credit in four periods, whatever is lost, unless less is offered', () => {
    const lowestBps = floorRateBps(ROUND_LINK, 4e6);
    const flow = start();
    for (let update = 0; update < 100; update++) flow.update(creditSample({ known: 1000, dropped: 999 }));
    expect(flow.rateBps).toBeGreaterThanOrEqual(lowestBps);
    expect(flow.rateBps).toBeLessThan(30e6);
    flow.update(creditSample({ known: 1000, dropped: 999, explicitBps: lowestBps / 2, hop: 1 }));
    expect(flow.rateBps).toBe(lowestBps / 2);
  });
});

describe('steady before the first echo', () => {
  it('halves with every tenth that goes out beyond those that are no news, down to a hundredth of the link', () => {
    // Half of them, as at every initial rate below 1/2.
    const flow = start({ unheard_credits: 160 });
    const rates = [1, 80, 88, 96, 104, 1000].map((sent) => (flow.unheardRateBps?.(sent) ?? 0) / 1e6);
    expect(rates).toEqual([500, 500, 250, 125, 62.5, 10]);
    expect(flow.rateBps).toBe(500e6);
  });

  it('rises by nothing where it began below that', () => {
    const flow = start({ unheard_credits: 80, initial_rate: 1 / 200 });
    expect(flow.unheardRateBps?.(1000)).toBe(flow.rateBps);
  });
});
