import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

const start = (parameters = {}) => creditAlgorithm('expresspass-ns2', ROUND_LINK, parameters);

describe('expresspass-ns2, by hand', () => {
  it('takes these steps at 1 Gbit/s, in Mbit/s', () => {
    const flow = start({ w_init: 0.2 });
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
    const flow = start();
    flow.update(creditSample({ known: 40, dropped: 20, elapsedNs: 800_000 }));
    // 20 credits of 8,000 bits in 800 us are 200; target 0.125 * 0.5
    expect(flow.rateBps / 1e6).toBeCloseTo(200 * 1.0625, 8);
    expect(flow.state().w).toBe(0.25);
  });

  it('keeps one credit an RTT when all were lost', () => {
    const flow = start();
    flow.update(creditSample({ dropped: 10 }));
    expect(flow.rateBps).toBe(8e6);
  });

  it('bears no loss at the full rate', () => {
    const flow = start({ initial_rate: 1 });
    flow.update(creditSample({ known: 1000, dropped: 1, elapsedNs: 8e6 }));
    expect(flow.state().increasing).toBe(0);
    expect(flow.rateBps / 1e6).toBeCloseTo(999, 8);
  });

  it('keeps w between its bounds', () => {
    const flow = start({ w_min: 0.1, w_max: 0.4 });
    expect(flow.state().w).toBe(0.4);
    for (let i = 0; i < 9; i++) flow.update(creditSample({ dropped: 9 }));
    expect(flow.state().w).toBe(0.1);
    for (let i = 0; i < 9; i++) flow.update(creditSample());
    expect(flow.state().w).toBe(0.4);
  });
});
