import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorRateBps } from '../../../src/core/credit/period.js';
import { CREDIT_ALGORITHMS, creditAlgorithm } from '../../../src/core/credit/registry.js';
import { holds, printSeed } from '../../harness/seeds.js';
import { creditSample, ROUND_LINK } from './sample.js';

printSeed();

/** They aim above the link by the target loss, as in the paper. */
const LISTINGS = ['expresspass', 'expresspass-literal'];

const start = (parameters = {}) => creditAlgorithm('steady', ROUND_LINK, parameters);

describe('steady, by hand', () => {
  it('climbs from a sixteenth of the link by w, which cannot grow beyond w_max', () => {
    const flow = start();
    expect(flow.rateBps).toBe(62.5e6);
    flow.update(creditSample());
    // 0.5 * 62.5 + 0.5 * 1000
    expect(flow.rateBps).toBe(531.25e6);
    flow.update(creditSample());
    expect(flow.rateBps).toBe(765.625e6);
    expect(flow.state().w).toBe(0.5);
  });

  it('takes a loss off the rate at which the lost credits were sent', () => {
    const flow = start({ initial_rate: 0.5 });
    // 20 of 40 credits in 400 us, that is, of 800 Mbit/s: more than the rate in force now.
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 400_000 }));
    // target = 0.1 * (1 - 0.5) = 0.05; loss = (20 + 20 * 0.05) / (40 + 20) = 0.35
    expect(flow.state().credit_loss).toBeCloseTo(0.35, 12);
    // min(500, 800 * 0.65 * 1.05 = 546) = 500; w = 0.4; 0.6 * 500 + 0.4 * 1000
    expect(flow.rateBps / 1e6).toBeCloseTo(700, 8);
    // 20 of 40 in 800 us, that is, of 400 Mbit/s: target = 0.1 * 0.3 = 0.03; loss = 20.6 / 60
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 800_000 }));
    // 400 * (1 - 20.6 / 60) * 1.03 = 270.546667; w = 0.32; 0.68 * 270.546667 + 320
    expect(flow.rateBps / 1e6).toBeCloseTo(503.9717333, 6);
    expect(flow.state().w).toBeCloseTo(0.32, 12);
  });

  it('raises w from the second increase in a row', () => {
    const flow = start({ w_init: 0.1 });
    const seen = [0, 0, 0, 9, 0, 0].map((dropped) => {
      flow.update(creditSample({ dropped }));
      return flow.state().w;
    });
    const expected = [0.1, 0.12, 0.14, 0.112, 0.112, 0.132];
    for (const [i, w] of seen.entries()) expect(w, `update ${i}`).toBeCloseTo(expected[i], 12);
  });

  it('bears a loss up to its target, and aims at none at the full rate', () => {
    const slow = start({ initial_rate: 0.0625 });
    slow.update(creditSample({ known: 100, dropped: 9 }));
    expect(slow.state().increasing).toBe(1);
    const full = start({ initial_rate: 1 });
    full.update(creditSample({ known: 1000, dropped: 1 }));
    expect(full.state().increasing).toBe(0);
  });

  it('is not thrown by the loss of its only credit', () => {
    const flow = start({ initial_rate: 0.0625, w_init: 0.01 });
    flow.update(creditSample({ known: 1, dropped: 1, spanNs: 128_000 }));
    // loss = (1 + 20 * 0.09375) / 21 = 0.1369; 62.5 * 0.8631 * 1.09375 = 59.0007; 0.99 * 59.0007 + 10
    expect(flow.rateBps / 1e6).toBeCloseTo(68.4106, 3);
  });

  it('takes the rate in force where it does not know the span', () => {
    const flow = start({ initial_rate: 0.5, loss_prior: 0, w_min: 0.0001, w_init: 0.0001 });
    flow.update(creditSample({ dropped: 5, spanNs: 0 }));
    // 500 * 0.5 * 1.05, and a ten-thousandth of the way to 1000
    expect(flow.rateBps / 1e6).toBeCloseTo(262.57, 2);
  });

  it('has every parameter of the 2017 paper', () => {
    const names = CREDIT_ALGORITHMS[0].parameters.map((parameter) => parameter.name);
    expect(names).toEqual(expect.arrayContaining(['w_init', 'w_min', 'w_max', 'initial_rate', 'target_loss']));
  });
});

const anySample = fc
  .record({
    known: fc.nat(200),
    lost: fc.double({ min: 0, max: 1, noNaN: true }),
    spanNs: fc.nat(10_000_000),
    rttNs: fc.integer({ min: 1, max: 1_000_000_000 }),
  })
  .map(({ known, lost, spanNs, rttNs }) => creditSample({ known, dropped: Math.round(known * lost), spanNs, rttNs }));

describe('any algorithm, after any samples', () => {
  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('%s stays between its floor and its ceiling', (name) => {
    const ceilingBps = ROUND_LINK.maxRateBps * (LISTINGS.includes(name) ? 1.1 : 1);
    holds(fc.array(anySample, { minLength: 1, maxLength: 60 }), 300, (samples) => {
      const algorithm = creditAlgorithm(name, ROUND_LINK);
      for (const sample of samples) {
        const beforeBps = algorithm.rateBps;
        algorithm.update(sample);
        expect(algorithm.rateBps).toBeLessThanOrEqual(ceilingBps * (1 + 1e-12));
        const floorBps =
          sample.known === 0 ? beforeBps : floorRateBps(ROUND_LINK, algorithm.updatePeriodNs(sample.rttNs));
        expect(algorithm.rateBps).toBeGreaterThanOrEqual(floorBps);
        const { w = 0.5 } = algorithm.state();
        expect(w).toBeGreaterThanOrEqual(0.01);
        expect(w).toBeLessThanOrEqual(0.5);
      }
    });
  });
});
