import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

const start = (parameters = {}) =>
  creditAlgorithm('expresspass-literal', ROUND_LINK, { initial_rate: 0.25, ...parameters });

describe('expresspass-literal, by hand from Algorithm 1', () => {
  it('takes these steps at 1 Gbit/s, in Mbit/s', () => {
    const listing = start();
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
    const listing = start({ initial_rate: 1 });
    for (let i = 0; i < 50; i++) listing.update(creditSample());
    expect(listing.rateBps / 1e9).toBeCloseTo(1.1, 6);
  });

  it('halves w no further than w_min, and starts with no more than w_max', () => {
    const listing = start({ w_min: 0.1, w_max: 0.4 });
    expect(listing.state().w).toBe(0.4);
    for (let i = 0; i < 9; i++) listing.update(creditSample({ dropped: 9 }));
    expect(listing.state().w).toBe(0.1);
  });

  it('learns nothing from a sample without credits', () => {
    const listing = start();
    listing.update(creditSample({ known: 0 }));
    expect(listing.rateBps).toBe(250e6);
  });

  it('does not take credits for lost that found no data', () => {
    const listing = start();
    listing.update(creditSample({ unused: 10 }));
    expect(listing.rateBps).toBeCloseTo(675e6, 0);
  });
});
