import { describe, expect, it, vi } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { registered } from './alternatives.js';
import { FAST, joiningMs, joiningRtts, measureParkingLot, measureSharing, SLOW, SLOW_AND_FAR } from './measures.js';
import { seeds, spread, table } from './scenarios.js';

/**
 * Result tables of the credit algorithms in the model, committed so that a change of a rule shows what it does. Regenerate them with
 * `npx vitest run --config .config/vitest.config.ts test/core/credit -u` and read the difference. The limits that stand in the tests
 * themselves hold whatever the tables say.
 */

/** Seconds of work on an idle core; this is for busy ones. */
vi.setConfig({ testTimeout: 300_000 });

const steady = registered('steady');
/** In the papers' microbenchmarks flows start at half the rate. */
const listing = registered('expresspass-literal', { initial_rate: 0.5, period_credits: 32 });
const authors = registered('expresspass-ns2', { period_credits: 32 });
const naive = registered('naive');

describe('on one bottleneck', () => {
  it('steady fills 10 Gbit/s and shares it over 1 ms, where the listing and the published code do not', async () => {
    const rules = [
      { name: 'steady', make: steady, counts: [1, 2, 4, 8, 16, 32, 64], runs: 2 },
      { name: "authors' code", make: authors, counts: [2, 8, 32, 64], runs: 1 },
      { name: 'expresspass-literal', make: listing, counts: [2, 8, 32, 64], runs: 1 },
      { name: 'naive', make: naive, counts: [2, 8], runs: 1 },
    ];
    const rows = [['rule', 'flows', 'utilisation', 'Jain 1 ms', 'Jain 10 ms', 'credits dropped']];
    for (const { name, make, counts, runs } of rules) {
      for (const flowCount of counts) {
        const { utilisation, jain, jainLong, dropped } = measureSharing(make, {
          link: FAST,
          flowCount,
          seeds: seeds(runs),
        });
        rows.push([
          name,
          `${flowCount}`,
          ...[utilisation, jain, jainLong].map((x) => x.toFixed(3)),
          dropped.toFixed(2),
        ]);
        if (make !== steady) continue;
        expect(utilisation, `utilisation with ${flowCount} flows`).toBeGreaterThanOrEqual(0.97);
        expect(jain, `Jain over 1 ms with ${flowCount} flows`).toBeGreaterThanOrEqual(0.9);
      }
    }
    const title =
      '10 Gbit/s, RTT 100 us, endless flows that start together; 20 to 60 ms; the lowest Jain of two seeds (others: one)';
    await expect(table(title, rows)).toMatchFileSnapshot('bottleneck-10g.table.txt');
  });

  it.each([
    ['300 us', SLOW, 'bottleneck-100m-300us'],
    ['3 ms', SLOW_AND_FAR, 'bottleneck-100m-3ms'],
  ])('steady fills 100 Mbit/s and shares it at an RTT of %s', async (rtt, link, name) => {
    const rows = [['rule', 'flows', 'utilisation', 'Jain 100 ms', 'Jain 1 s', 'credits dropped']];
    for (const [rule, make, counts] of [
      ['steady', steady, [1, 2, 4, 8, 16, 32]],
      ["authors' code", authors, [4, 16]],
      ['expresspass-literal', listing, [4, 16]],
    ] as const) {
      for (const flowCount of counts) {
        const { utilisation, jain, jainLong, dropped } = measureSharing(make, { link, flowCount, seeds: seeds(1) });
        rows.push([
          rule,
          `${flowCount}`,
          ...[utilisation, jain, jainLong].map((x) => x.toFixed(3)),
          dropped.toFixed(2),
        ]);
        if (make !== steady) continue;
        expect(utilisation, `utilisation with ${flowCount} flows`).toBeGreaterThanOrEqual(0.97);
        expect(jain, `Jain over 100 ms with ${flowCount} flows`).toBeGreaterThanOrEqual(0.93);
        expect(jainLong, `Jain over 1 s with ${flowCount} flows`).toBeGreaterThanOrEqual(0.98);
      }
    }
    const title = `100 Mbit/s, RTT ${rtt}, endless flows that start together; 2 to 6 s; one seed`;
    await expect(table(title, rows)).toMatchFileSnapshot(`${name}.table.txt`);
  });
});

describe('on a parking lot', () => {
  it('steady keeps the least used link full, where naive loses a fifth and more', async () => {
    const lots = [
      { name: '10 Gbit/s, 4 us', rateBps: 1e10, linkDelayNs: 4 * MICROSECOND_NS, durationNs: 40 * MILLISECOND_NS },
      { name: '100 Mbit/s, 40 us', rateBps: 1e8, linkDelayNs: 40 * MICROSECOND_NS, durationNs: 4 * SECOND_NS },
    ];
    const rows = [['links', 'rule', 'number', 'least used', 'flow 0']];
    for (const { name: lot, ...options } of lots) {
      for (const [rule, make] of Object.entries({ steady, "authors' code": authors, naive })) {
        for (const linkCount of [2, 4, 6]) {
          const { lowest, across } = measureParkingLot(make, { ...options, linkCount, seeds: seeds(1) });
          rows.push([lot, rule, `${linkCount}`, lowest.toFixed(3), across.toFixed(2)]);
          if (make !== steady) continue;
          expect(lowest, `least used of ${linkCount} links at ${lot}`).toBeGreaterThanOrEqual(0.95);
        }
      }
    }
    const title =
      'Flow 0 crosses every link of a chain, one flow more each; parts of a link; max-min would give flow 0 a half';
    await expect(table(title, rows)).toMatchFileSnapshot('parking-lot.table.txt');
  });
});

describe('a flow that joins', () => {
  it('is within 10 % of its fair share in some RTTs at 10 Gbit/s and in well under 1 s at 100 Mbit/s', async () => {
    const rows = [['rule', '10 Gbit/s: RTTs', '100 Gbit/s: RTTs']];
    for (const [rule, make] of Object.entries({ steady, "authors' code": authors })) {
      const [at10g, at100g] = [joiningRtts(make, seeds(16)), joiningRtts(make, seeds(3), 1e11)];
      rows.push([rule, spread(at10g, 1), spread(at100g, 1)]);
    }
    rows.push(['', '', ''], ['flows in all', '300 us: ms', '3 ms: ms']);
    for (const flowCount of [2, 4, 8]) {
      const times = [SLOW, SLOW_AND_FAR].map((link) => joiningMs(steady, { link, flowCount, seeds: seeds(4) }));
      rows.push([`${flowCount}`, ...times.map((ms) => spread(ms, 0))]);
      expect(Math.max(...times.flat()), `ms to the fair share of ${flowCount}`).toBeLessThan(1000);
    }
    const title =
      'Time until a joining flow is within 10 % of its fair share: median (range) over seeds.\n' +
      '10 and 100 Gbit/s, RTT 100 us: second of two flows, over 3 RTTs. 100 Mbit/s by RTT: last of some, over 100 ms (included)';
    await expect(table(title, rows)).toMatchFileSnapshot('joining.table.txt');
  });
});
