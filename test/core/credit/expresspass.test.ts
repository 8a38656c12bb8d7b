import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

const start = (parameters = {}) => creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 0.5, ...parameters });

describe('expresspass, by hand', () => {
  it('takes a loss off the rate at which the lost credits were sent', () => {
    const flow = start();
    // 20 of 40 credits in 400 us, that is, of 800 Mbit/s: 800 * 0.5 * 1.1
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 400_000 }));
    expect(flow.rateBps / 1e6).toBeCloseTo(440, 8);
    // The same overload again: the listing taken literally would go to 440 * 0.5 * 1.1 = 242.
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 400_000 }));
    expect(flow.rateBps / 1e6).toBeCloseTo(440, 8);
    expect(flow.state().w).toBe(0.125);
  });

  it('goes no higher after a burst than increases do', () => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 4_000 }));
    expect(flow.rateBps / 1e6).toBeCloseTo(1100, 8);
  });

  it('takes the rate in force where it does not know the span', () => {
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 0 }));
    expect(flow.rateBps / 1e6).toBeCloseTo(500 * 0.5 * 1.1, 8);
  });

  it('increases as the listing does', () => {
    const [flow, literal] = [start(), creditAlgorithm('expresspass-literal', ROUND_LINK, { initial_rate: 0.5 })];
    for (const algorithm of [flow, literal]) for (let i = 0; i < 3; i++) algorithm.update(creditSample({ dropped: 1 }));
    // 0.5 * 500 + 0.5 * 1100 = 800, 950, 1025
    expect(flow.rateBps / 1e6).toBeCloseTo(1025, 8);
    expect(flow.rateBps).toBe(literal.rateBps);
  });
});

const literal = (parameters = {}) =>
  creditAlgorithm('expresspass-literal', ROUND_LINK, { initial_rate: 0.25, ...parameters });

describe('expresspass-literal, by hand from Algorithm 1', () => {
  it('takes these steps at 1 Gbit/s, in Mbit/s', () => {
    const listing = literal();
    const steps = [250];
    const aggressiveness = [listing.state().w];
    for (const dropped of [0, 0, 5, 1, 0, 10]) {
      listing.update(creditSample({ dropped }));
      steps.push(listing.rateBps / 1e6);
      aggressiveness.push(listing.state().w);
    }
    const expected = [
      250,
      // No loss, first increase: 0.5 * 250 + 0.5 * 1000 * 1.1
      675,
      // No loss again, w = (0.5 + 0.5) / 2: 0.5 * 675 + 0.5 * 1100
      887.5,
      // Half lost: 887.5 * (1 - 0.5) * 1.1
      488.125,
      // A tenth lost, which is the target; w stays after a decrease: 0.75 * 488.125 + 0.25 * 1100
      641.09375,
      // No loss, w = (0.25 + 0.5) / 2: 0.625 * 641.09375 + 0.375 * 1100
      813.18359375,
      // All lost: 0, so one credit in the RTT of 1 ms
      8,
    ];
    for (const [i, step] of steps.entries()) expect(step, `step ${i}`).toBeCloseTo(expected[i], 8);
    expect(aggressiveness).toEqual([0.5, 0.5, 0.5, 0.25, 0.25, 0.375, 0.1875]);
  });

  it('goes above the link up to the target, as C = max_rate * (1 + target_loss) in the paper', () => {
    const listing = literal({ initial_rate: 1 });
    for (let i = 0; i < 50; i++) listing.update(creditSample());
    expect(listing.rateBps / 1e9).toBeCloseTo(1.1, 6);
  });

  it('halves w no further than w_min, and starts with no more than w_max', () => {
    const listing = literal({ w_min: 0.1, w_max: 0.4 });
    expect(listing.state().w).toBe(0.4);
    for (let i = 0; i < 9; i++) listing.update(creditSample({ dropped: 9 }));
    expect(listing.state().w).toBe(0.1);
  });

  it('does not take credits for lost that found no data', () => {
    const listing = literal();
    listing.update(creditSample({ unused: 10 }));
    expect(listing.rateBps).toBeCloseTo(675e6, 0);
  });
});

const start2016 = (parameters = {}) => creditAlgorithm('expresspass-2016', ROUND_LINK, parameters);

describe('expresspass-2016, by hand from its Algorithm 1', () => {
  it('goes halfway to the maximum without a loss: over 90 % in 4 RTTs, as the paper says', () => {
    const flow = start2016();
    const steps = [1, 2, 3, 4].map(() => {
      flow.update(creditSample());
      return flow.rateBps / 1e6;
    });
    // From 1000 / 16.
    expect(steps).toEqual([531.25, 765.625, 882.8125, 941.40625]);
  });

  it.each([
    ['dropped', { dropped: 1 }],
    ['unused, which the paper counts as lost', { unused: 1 }],
  ])('goes to the data rate of the period after a credit was %s', (_, lost) => {
    const flow = start2016({ initial_rate: 1 });
    flow.update(creditSample({ ...lost, rateBps: 321e6 }));
    expect(flow.rateBps).toBe(321e6);
  });

  it('stays between one credit an RTT and the maximum', () => {
    const flow = start2016();
    flow.update(creditSample({ dropped: 10, rateBps: 0 }));
    // 8,000 bits in 1 ms
    expect(flow.rateBps).toBe(8e6);
    flow.update(creditSample({ dropped: 1, rateBps: 1.2e9 }));
    expect(flow.rateBps).toBe(1e9);
  });
});

const startNs2 = (parameters = {}) => creditAlgorithm('expresspass-ns2', ROUND_LINK, parameters);

describe('expresspass-ns2, by hand', () => {
  it('takes these steps at 1 Gbit/s, in Mbit/s', () => {
    const flow = startNs2({ w_init: 0.2 });
    const seen = [[flow.rateBps / 1e6, flow.state().w]];
    for (const dropped of [0, 0, 2, 1, 2]) {
      flow.update(creditSample({ known: 40, dropped, elapsedNs: 400_000 }));
      seen.push([flow.rateBps / 1e6, flow.state().w]);
    }
    const expected = [
      [500, 0.2],
      // 0.8 * 500 + 0.2 * 1000
      [600, 0.2],
      // w = 0.2 + 0.05: 0.75 * 600 + 250
      [700, 0.25],
      // Target 0.125 * 0.3 = 0.0375 < 2 / 40: 38 credits of 8,000 bits in 400 us are 760, times 1.0375, but no more than before.
      [700, 0.125],
      // 1 / 40 is borne: 0.875 * 700 + 125; the first increase leaves w
      [737.5, 0.125],
      // Target 0.0328125: 760 * 1.0328 is above 737.5
      [737.5, 0.0625],
    ];
    for (const [i, [rate, w]] of expected.entries()) {
      expect(seen[i][0], `rate of step ${i}`).toBeCloseTo(rate, 8);
      expect(seen[i][1], `w of step ${i}`).toBeCloseTo(w, 12);
    }
  });

  it('decreases to what was delivered in the time that passed, and a little more', () => {
    const flow = startNs2();
    flow.update(creditSample({ known: 40, dropped: 20, elapsedNs: 800_000 }));
    // 20 credits of 8,000 bits in 800 us are 200; target 0.125 * 0.5
    expect(flow.rateBps / 1e6).toBeCloseTo(200 * 1.0625, 8);
    expect(flow.state().w).toBe(0.25);
  });

  it('keeps one credit an RTT when all were lost', () => {
    const flow = startNs2();
    flow.update(creditSample({ dropped: 10 }));
    expect(flow.rateBps).toBe(8e6);
  });

  it('bears no loss at the full rate', () => {
    const flow = startNs2({ initial_rate: 1 });
    flow.update(creditSample({ known: 1000, dropped: 1, elapsedNs: 8e6 }));
    expect(flow.state().increasing).toBe(0);
    expect(flow.rateBps / 1e6).toBeCloseTo(999, 8);
  });

  it('keeps w between its bounds', () => {
    const flow = startNs2({ w_min: 0.1, w_max: 0.4 });
    expect(flow.state().w).toBe(0.4);
    for (let i = 0; i < 9; i++) flow.update(creditSample({ dropped: 9 }));
    expect(flow.state().w).toBe(0.1);
    for (let i = 0; i < 9; i++) flow.update(creditSample());
    expect(flow.state().w).toBe(0.4);
  });
});

describe('naive', () => {
  it('credits at the full rate from the start, whatever is lost', () => {
    const naive = creditAlgorithm('naive', ROUND_LINK);
    expect(naive.rateBps).toBe(1e9);
    naive.update(creditSample({ known: 100, dropped: 100 }));
    expect(naive.rateBps).toBe(1e9);
    expect(naive.state()).toEqual({});
  });
});
