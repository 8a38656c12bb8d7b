import { describe, expect, it } from 'vitest';
import { ExplicitRate } from '../../src/switch/explicit-rate.js';
import { codeOfRate } from '../../src/wire/rate-code.js';
import { creditFrame } from './frames.js';

const LINK_BPS = 10e9;
const CREDIT_BITS = 13_008;

describe('a flood of forged credits that name the lowest rate', () => {
  it.each([
    ['and this hop', 0],
    ['and another hop', 5],
  ])('%s is forgotten within 100 ms at 10 Gbit/s', (_, hop) => {
    const offers = new ExplicitRate(LINK_BPS, CREDIT_BITS, 8);
    const forged = creditFrame({ rateCode: 1, hop });
    forged.hopLimit = 63;
    // Twice as many credits as the link has data for, for 50 ms.
    let nowNs = 0;
    for (; nowNs < 50e6; nowNs += (CREDIT_BITS * 1e9) / LINK_BPS / 2) offers.count(forged, nowNs);
    // A flow that takes what is offered has a credit under way within this time.
    expect((CREDIT_BITS * 1e9) / offers.rateBps).toBeLessThan(100e6);
    const honest = creditFrame({ rateCode: codeOfRate(LINK_BPS), hop: 0 });
    honest.hopLimit = 63;
    for (const endNs = nowNs + 100e6; nowNs < endNs; nowNs += 1e6) offers.count(honest, nowNs);
    expect(offers.rateBps).toBeGreaterThan(0.9 * LINK_BPS);
  });
});
