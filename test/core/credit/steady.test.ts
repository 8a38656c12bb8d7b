import { describe, expect, it } from 'vitest';
import { floorRateBps } from '../../../src/core/credit/period.js';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

/** Round numbers for calculating by hand. Samples were sent at 500 of the link's 1000 Mbit/s. */
const start = (parameters = {}) =>
  creditAlgorithm('steady', ROUND_LINK, {
    initial_rate: 0.5,
    tolerated_loss: 0.5,
    queued_loss: 0.02,
    prior: 20,
    patience: 1,
    lean: 0.02,
    ...parameters,
  });

/** Frames wait in a queue of the path: the RTT is 30 % above its shortest. */
const QUEUED = { rttNs: 1.3e6, minRttNs: 1e6 };
/** 29 of 60 credits, the prior's ten among them, came through of 500 Mbit/s; a half would be tolerated. */
const OVERLOADED = { known: 40, dropped: 21 };
const FOUND_BPS = (500e6 * (29 / 60)) / 0.5;

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

  it('learns nothing from a sample without credits', () => {
    const flow = start();
    flow.update(creditSample({ known: 0, explicitBps: 300e6 }));
    expect(flow.rateBps).toBe(500e6);
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

  it('waits with that for as many updates in a row as it is told', () => {
    const flow = start({ patience: 3 });
    const limits = [OVERLOADED, OVERLOADED, {}, OVERLOADED, OVERLOADED, OVERLOADED].map((sample) => {
      flow.update(creditSample(sample));
      return flow.state().limit;
    });
    const none = Number.POSITIVE_INFINITY;
    expect(limits.map((limit) => limit === none)).toEqual([true, true, true, true, true, false]);
  });

  it('tolerates little where frames wait in a queue', () => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 2, ...QUEUED }));
    // (2 + 20 * 0.02) of 60 lost
    const limitBps = (500e6 * (1 - 2.4 / 60)) / 0.98;
    expect(flow.rateBps).toBeCloseTo(limitBps + 0.02 * (1e9 - limitBps), 0);
  });

  it.each([
    ['by less than a quarter', { ...QUEUED, rttNs: 1.25e6 }],
    ['by no more than it varies', { ...QUEUED, rttVariationNs: 0.075e6 }],
    ['by nothing, since none is known', { ...QUEUED, minRttNs: Number.POSITIVE_INFINITY }],
  ])('takes no queue for granted where the RTT is longer %s', (_, rtt) => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 2, ...rtt }));
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
    expect(flow.state().limit).toBeLessThan(510e6);
    flow.update(creditSample(offer));
    flow.update(creditSample(offer));
    expect([flow.state().limit, flow.rateBps]).toEqual([Number.POSITIVE_INFINITY, 510e6]);
    flow.update(creditSample({ explicitBps: 900e6, hop: 1 }));
    expect(flow.rateBps).toBe(900e6);
  });

  it('sends one credit in four periods, whatever is lost, unless less is offered', () => {
    const lowestBps = floorRateBps(ROUND_LINK, 4e6);
    const flow = start();
    for (let update = 0; update < 100; update++) flow.update(creditSample({ known: 1000, dropped: 1000 }));
    expect(flow.rateBps).toBeGreaterThanOrEqual(lowestBps);
    expect(flow.rateBps).toBeLessThan(30e6);
    flow.update(creditSample({ known: 1000, dropped: 999, explicitBps: lowestBps / 2, hop: 1 }));
    expect(flow.rateBps).toBe(lowestBps / 2);
  });
});

describe('steady before the first echo', () => {
  it('halves with every tenth that goes out beyond those that are no news, down to half of lean', () => {
    const flow = start({ unheard_credits: 80 });
    const rates = [1, 80, 88, 96, 104, 1000].map((sent) => (flow.unheardRateBps?.(sent) ?? 0) / 1e6);
    expect(rates).toEqual([500, 500, 250, 125, 62.5, 10]);
    expect(flow.rateBps).toBe(500e6);
  });

  it('rises by nothing where it began below that', () => {
    const flow = start({ unheard_credits: 80, initial_rate: 1 / 200 });
    expect(flow.unheardRateBps?.(1000)).toBe(flow.rateBps);
  });
});
