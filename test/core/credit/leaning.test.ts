import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

/** ROUND_LINK sends 125 credits in the RTT of 1 ms that samples have. */
const RTT_NS = 1e6;

/** Round numbers for calculating by hand. */
const start = (parameters = {}) =>
  creditAlgorithm('leaning', ROUND_LINK, {
    w_init: 0.5,
    w_min: 0.02,
    w_max: 0.5,
    w_decrease: 0.9,
    w_fall: 0.01,
    quiet_credits: 200,
    ...parameters,
  });

describe('leaning, by hand: a flow that shares', () => {
  it('goes to what was delivered, and leans towards the maximum from there', () => {
    const flow = start({ initial_rate: 0.5 });
    // 20 of 40 credits in 400 us: of 800 Mbit/s sent, 400 were delivered. w = 0.5 * 0.9
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 400_000 }));
    expect(flow.state().share / 1e6).toBeCloseTo(400, 8);
    expect(flow.rateBps / 1e6).toBeCloseTo(400 + 0.45 * 600, 8);
    expect(flow.state().w).toBeCloseTo(0.45, 12);
  });

  it('weighs a sample against the share that it remembers', () => {
    const flow = start({ initial_rate: 0.5, memory: 20 });
    flow.update(creditSample({ known: 40, dropped: 20, spanNs: 400_000 }));
    // 500 Mbit/s sent, share 400: a loss of 0.2 is expected. (30 + 20 * 0.2) / (60 + 20) = 0.425
    flow.update(creditSample({ known: 60, dropped: 30, spanNs: 960_000 }));
    expect(flow.state().share / 1e6).toBeCloseTo(500 * 0.575, 8);
    // 0.405 of the way from there to 1000
    expect(flow.rateBps / 1e6).toBeCloseTo(287.5 + 0.405 * 712.5, 8);
  });

  it('does not pay twice for one overload', () => {
    const flow = start({ initial_rate: 1, w_init: 0.02 });
    const overload = () => flow.update(creditSample({ known: 1000, dropped: 500, spanNs: 8e6 }));
    overload();
    const onceBps = flow.rateBps;
    overload();
    expect(flow.rateBps).toBe(onceBps);
    // 500 and a fiftieth of the way
    expect(onceBps / 1e6).toBeCloseTo(510, 8);
  });

  it('leans no further than the part of its credits that is delivered', () => {
    const flow = start({ initial_rate: 0.5 });
    flow.update(creditSample({ known: 40, dropped: 36, spanNs: 400_000 }));
    expect(flow.state().w).toBeCloseTo(0.1, 12);
    // 80 of 800 Mbit/s were delivered.
    expect(flow.rateBps / 1e6).toBeCloseTo(80 + 0.1 * 920, 8);
    const flooded = start({ initial_rate: 0.5 });
    flooded.update(creditSample({ known: 40, dropped: 40, spanNs: 400_000 }));
    expect(flooded.state().w).toBe(0.02);
  });

  it('does not take for its share what a window let it send', () => {
    const sample = { known: 40, dropped: 4, spanNs: 3.2e6 };
    const free = start({ initial_rate: 0.8, w_init: 0.02 });
    free.update(creditSample(sample));
    // 100 Mbit/s sent, a tenth of them lost.
    expect(free.state().share / 1e6).toBeCloseTo(90, 8);
    const held = start({ initial_rate: 0.8, w_init: 0.02 });
    held.update(creditSample({ ...sample, heldBack: true }));
    expect(held.state().share / 1e6).toBeCloseTo(720, 8);
  });

  it('leans less by the root of its long share once that is thin, and believes its share more', () => {
    const flow = start({ initial_rate: 0.1, w_init: 0.02, w_fall: 0.025, thin_share: 0.25, make_up: 0 });
    flow.update(creditSample({ known: 100, dropped: 80, spanNs: 8e6 }));
    // 100 of 1000 Mbit/s sent: 40 delivered credits of 20 * 4 + 100 * 10 link credits.
    const part = 40 / 1080 / 0.25;
    expect(flow.state().w).toBeCloseTo(0.02 * Math.sqrt(part), 12);
    expect(flow.rateBps / 1e6).toBeCloseTo(20 + 0.02 * Math.sqrt(part) * 980, 8);
    // 26 delivered credits are remembered, as 130 at a loss of 0.8; of 10 more at the same rate five come through.
    flow.update(creditSample({ known: 10, dropped: 5, spanNs: 0.8e6 }));
    expect(flow.state().share / 1e6).toBeCloseTo(100 * (1 - (5 + 130 * 0.8) / 140), 8);
  });

  it('slows down while it hears nothing, down to half of w_min', () => {
    const flow = start({ initial_rate: 0.5, unheard_credits: 80 });
    const rates = [1, 40, 41, 44, 45, 48, 49, 1000].map((sent) => (flow.unheardRateBps?.(sent) ?? 0) / 1e6);
    expect(rates).toEqual([500, 500, 250, 250, 125, 125, 62.5, 10]);
    expect(flow.rateBps).toBe(500e6);
  });

  it('makes up for its luck by the square of its loss once it has settled', () => {
    const twice = (parameters: Record<string, number>) => {
      const flow = start({ initial_rate: 0.1, recent_memory: 10, make_up: 3, ...parameters });
      flow.update(creditSample({ known: 20, dropped: 10, spanNs: 1.6e6 }));
      flow.update(creditSample({ known: 5, dropped: 0, spanNs: 400_000 }));
      return flow;
    };
    // 100 Mbit/s sent, share and recent 50. Then five of five get through: of 40 + 5 and of 10 + 5 credits 20 and 5 are lost.
    const [share, recent] = [(100 * 25) / 45, (100 * 10) / 15];
    const loss = 20 / 45;
    const leaning = share + 0.02 * (1000 - share);
    const lucky = twice({ w_init: 0.02 });
    expect(lucky.state().share / 1e6).toBeCloseTo(share, 8);
    expect(lucky.rateBps / 1e6).toBeCloseTo(leaning - 3 * loss ** 2 * (recent - share), 8);
    // Not while w is higher, nor if told not to.
    expect(twice({ w_init: 0.02, make_up: 0 }).rateBps / 1e6).toBeCloseTo(leaning, 8);
    const joining = (make_up: number) => twice({ w_init: 0.5, make_up }).rateBps;
    expect(joining(3)).toBe(joining(0));
  });
});

describe('leaning, by hand: a flow that climbs', () => {
  it('climbs from a sixteenth of the link by w, once an RTT', () => {
    const flow = start();
    expect(flow.rateBps).toBe(62.5e6);
    flow.update(creditSample({ nowNs: RTT_NS }));
    // 0.5 * 62.5 + 0.5 * 1000
    expect(flow.rateBps).toBe(531.25e6);
    flow.update(creditSample({ nowNs: 1.5 * RTT_NS }));
    expect(flow.rateBps).toBe(531.25e6);
    flow.update(creditSample({ nowNs: 2 * RTT_NS }));
    expect(flow.rateBps).toBe(765.625e6);
    expect(flow.state().w).toBe(0.5);
  });

  it('gains w by steps and gives it up at the top, where it stays just below the link', () => {
    const flow = start({ initial_rate: 0.88, w_init: 0.1, w_step: 0.2 });
    flow.update(creditSample({ nowNs: RTT_NS }));
    expect(flow.state().w).toBeCloseTo(0.3, 12);
    expect(flow.rateBps / 1e6).toBeCloseTo(880 + 0.3 * 120, 8);
    flow.update(creditSample({ nowNs: 1.5 * RTT_NS }));
    // 916 is above 900
    expect(flow.state().w).toBeCloseTo(0.27, 12);
    for (let update = 4; update < 60; update++) flow.update(creditSample({ nowNs: (update / 2) * RTT_NS }));
    expect(flow.state().w).toBe(0.02);
    expect(flow.rateBps).toBe(990e6);
  });

  it('begins to climb again when it has lost none of the last 200 credits', () => {
    const flow = start({ initial_rate: 0.5, w_init: 0.02 });
    flow.update(creditSample({ known: 40, dropped: 20, nowNs: RTT_NS }));
    const climbs = [1, 2, 3, 4].map((update) => {
      const { w } = flow.state();
      flow.update(creditSample({ known: 50, nowNs: (1 + update) * RTT_NS }));
      return flow.state().w > w;
    });
    expect(climbs).toEqual([false, false, false, true]);
  });

  it('believes again in its share after an outage', () => {
    const flow = start({ initial_rate: 0.5 });
    for (let update = 1; update < 100; update++)
      flow.update(creditSample({ known: 10, dropped: 10, nowNs: update * RTT_NS }));
    // A flow that gets nothing is thin: an eighth of w_min is left, and a credit in four periods of 1 ms more than that.
    expect(flow.rateBps / 1e6).toBeGreaterThanOrEqual(2.5);
    expect(flow.rateBps / 1e6).toBeLessThan(20);
    for (let update = 100; update < 160; update++) flow.update(creditSample({ known: 10, nowNs: update * RTT_NS }));
    expect(flow.rateBps / 1e6).toBe(990);
  });
});
