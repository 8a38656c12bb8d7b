import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

const start = (parameters = {}) => creditAlgorithm('expresspass-2016', ROUND_LINK, parameters);

describe('expresspass-2016, by hand from its Algorithm 1', () => {
  it('goes halfway to the maximum without a loss: over 90 % in 4 RTTs, as the paper says', () => {
    const flow = start();
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
    const flow = start({ initial_rate: 1 });
    flow.update(creditSample({ ...lost, rateBps: 321e6 }));
    expect(flow.rateBps).toBe(321e6);
  });

  it('stays between one credit an RTT and the maximum', () => {
    const flow = start();
    flow.update(creditSample({ dropped: 10, rateBps: 0 }));
    // 8,000 bits in 1 ms
    expect(flow.rateBps).toBe(8e6);
    flow.update(creditSample({ dropped: 1, rateBps: 1.2e9 }));
    expect(flow.rateBps).toBe(1e9);
  });

  it('learns nothing from a sample without credits', () => {
    const flow = start();
    flow.update(creditSample({ known: 0 }));
    expect(flow.rateBps).toBe(62.5e6);
  });
});
