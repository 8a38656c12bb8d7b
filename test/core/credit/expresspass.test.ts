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
