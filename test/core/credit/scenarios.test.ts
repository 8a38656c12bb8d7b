import { describe, expect, it, vi } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import {
  FAST,
  joiningMs,
  joiningRtts,
  type Link,
  measureLeaving,
  measureParkingLot,
  measureSharing,
  type Sharing,
  SLOW,
  SLOW_AND_FAR,
} from './measures.js';
import { type MakeAlgorithm, registered, runDumbbell, seeds, spread, table, utilisation } from './scenarios.js';

/**
 * Result tables of the credit algorithms in the model, committed so that a change of a rule shows what it does. Regenerate them with
 * `npx vitest run --config .config/vitest.config.ts test/core/credit -u` and read the difference. The limits that stand in the tests
 * themselves hold whatever the tables say.
 */

/** Seconds of work on an idle core; this is for busy ones. */
vi.setConfig({ testTimeout: 300_000 });

const steady = registered('steady');
const leaning = registered('leaning');
const authors = registered('expresspass-ns2', { period_credits: 32 });
const naive = registered('naive');

function figures({ utilisation, jain, jainLong, dropped }: Sharing): string[] {
  return [...[utilisation, jain, jainLong].map((figure) => figure.toFixed(3)), dropped.toFixed(2)];
}

describe('on one bottleneck', () => {
  it('steady fills the link and shares it, by one flow and by a thousand', async () => {
    const rows = [['link', 'rule', 'flows', 'utilisation', 'Jain', 'Jain 10 times as long', 'credits dropped']];
    const runs: [string, Link, string, MakeAlgorithm, number[]][] = [
      ['10 Gbit/s, 100 us', FAST, 'steady', steady, [1, 2, 32, 256, 1024]],
      ['10 Gbit/s, 100 us', FAST, 'leaning', leaning, [8, 64]],
      ['10 Gbit/s, 100 us', FAST, "authors' code", authors, [64]],
      ['10 Gbit/s, 100 us', FAST, 'naive', naive, [8]],
      ['100 Mbit/s, 300 us', SLOW, 'steady', steady, [1, 8, 32]],
      ['100 Mbit/s, 3 ms', SLOW_AND_FAR, 'steady', steady, [2, 32]],
    ];
    for (const [name, link, rule, make, counts] of runs) {
      for (const flowCount of counts) {
        const sharing = measureSharing(make, { link, flowCount, seeds: seeds(1) });
        rows.push([name, rule, `${flowCount}`, ...figures(sharing)]);
        if (make !== steady) continue;
        const what = `${flowCount} flows at ${name}`;
        // A thousand flows that open together keep bunched phases: some 60 of their credits pass before the jitter of 2 % has spread them, and the
        // link is idle between bunches.
        expect(sharing.utilisation, `utilisation: ${what}`).toBeGreaterThanOrEqual(flowCount > 512 ? 0.9 : 0.98);
        if (flowCount > 32) continue;
        expect(sharing.jain, `Jain: ${what}`).toBeGreaterThanOrEqual(0.98);
        expect(sharing.dropped, `dropped: ${what}`).toBeLessThanOrEqual(0.05);
      }
    }
    const title =
      'Endless flows that start together; Jain over 1 ms at 10 Gbit/s (20 to 60 ms) and 100 ms at 100 Mbit/s (2 to 6 s)';
    await expect(table(title, rows)).toMatchFileSnapshot('bottleneck.table.txt');
  });

  it('steady bears random loss, where leaning takes it for congestion', async () => {
    const rows = [['rule', 'loss', 'flows', 'of what loss leaves', 'Jain 1 ms', 'Jain 10 ms', 'credits dropped']];
    for (const [rule, make, counts] of [
      ['steady', steady, [1, 16, 64]],
      ['leaning', leaning, [16]],
    ] as const) {
      for (const lossRate of [0.001, 0.01, 0.1]) {
        for (const flowCount of counts) {
          const sharing = measureSharing(make, { link: FAST, flowCount, seeds: seeds(1), shared: { lossRate } });
          const part = sharing.utilisation / (1 - lossRate) ** 2;
          rows.push([rule, `${lossRate * 100} %`, `${flowCount}`, ...figures({ ...sharing, utilisation: part })]);
          if (make === steady) expect(part, `${flowCount} flows, loss ${lossRate}`).toBeGreaterThanOrEqual(0.95);
        }
      }
    }
    const title = '10 Gbit/s, RTT 100 us; credits and data are lost behind the bottleneck, each with this probability';
    await expect(table(title, rows)).toMatchFileSnapshot('loss.table.txt');
  });

  it('steady finds by its losses what a link carries that offers no rate', async () => {
    const rows = [['bottleneck', 'flows', 'utilisation', 'Jain 1 ms', 'Jain 10 ms', 'credits dropped']];
    for (const [name, shared] of [
      ['meter', { isSilent: true, queueCredits: 8 }],
      ['queue of 100 frames', { isSilent: true, queueCredits: 100 }],
    ] as const) {
      for (const flowCount of [1, 8, 32]) {
        const sharing = measureSharing(steady, { link: FAST, flowCount, seeds: seeds(1), shared });
        rows.push([name, `${flowCount}`, ...figures(sharing)]);
        // No fairness behind a meter: a flow at its very rate finds a free place more often than others do, and loses less than it tolerates.
        expect(sharing.utilisation, `${flowCount} flows, ${name}`).toBeGreaterThanOrEqual(0.95);
        // 32 flows: a limit climbs until it finds the next loss, each at its own time.
        if (shared.queueCredits === 100) expect(sharing.jain, `Jain: ${flowCount} flows`).toBeGreaterThanOrEqual(0.85);
      }
    }
    const title = '10 Gbit/s, RTT 100 us; NICs offer their rate, the bottleneck nothing';
    await expect(table(title, rows)).toMatchFileSnapshot('silent.table.txt');
  });

  it('steady keeps the link while its receivers wake late', async () => {
    const rows = [['rule', 'wakes every', 'late into', 'flows', 'utilisation', 'Jain 100 ms', 'Jain 1 s', 'dropped']];
    for (const [rule, make] of Object.entries({ steady, leaning })) {
      for (const [wakeNs, lateInto] of [
        [200 * MICROSECOND_NS, 'network'],
        [MILLISECOND_NS, 'network'],
        [MILLISECOND_NS, 'nic'],
      ] as const) {
        for (const flowCount of [1, 2, 8]) {
          const sharing = measureSharing(make, {
            link: SLOW,
            flowCount,
            seeds: seeds(1),
            windows: 45,
            wakeNs,
            lateInto,
          });
          rows.push([rule, `${wakeNs / 1e6} ms`, lateInto, `${flowCount}`, ...figures(sharing)]);
        }
      }
    }
    const title =
      '100 Mbit/s, RTT 300 us. Each receiver wakes once in every such time, at a random moment of it: up to twice as late. Credits that\n' +
      'were due meanwhile enter the NIC together, or pass it in virtual time and enter the network together';
    await expect(table(title, rows)).toMatchFileSnapshot('late-wakes.table.txt');
  });
});

describe('flows that differ', () => {
  it('share alike with steady, whatever their RTTs and the rates of their own links', async () => {
    const rows = [['rule', 'half of the flows', 'flows', 'utilisation', 'their share / that of the others']];
    const run = { rateBps: 1e9, rttNs: FAST.rttNs, binNs: MILLISECOND_NS, durationNs: 400 * MILLISECOND_NS, seed: 1 };
    const span = { fromNs: 100 * MILLISECOND_NS, toNs: run.durationNs };
    for (const [rule, makeAlgorithm, counts] of [
      ['steady', steady, [2, 16]],
      ['leaning', leaning, [2]],
    ] as const) {
      for (const [what, ratio] of [
        ['RTT', 10],
        ['RTT', 100],
        ['own link', 10],
        ['own link', 100],
      ] as const) {
        for (const flowCount of counts) {
          const other = (i: number) => (i % 2 === 0 ? 1 : ratio);
          const factors = Array.from({ length: flowCount }, (_, i) => other(i));
          const differ =
            what === 'RTT'
              ? { rttsNs: factors.map((factor) => factor * run.rttNs) }
              : { nicsBps: factors.map((factor) => factor * run.rateBps) };
          const { flows } = runDumbbell({ ...run, makeAlgorithm, flowCount, ...differ });
          const half = (odd: number) =>
            utilisation(
              flows.filter((_, i) => i % 2 === odd),
              run.rateBps,
              span,
            );
          const [usual, unusual] = [half(0), half(1)];
          const share = unusual / usual;
          rows.push([rule, `${what} * ${ratio}`, `${flowCount}`, (usual + unusual).toFixed(3), share.toFixed(2)]);
          if (rule !== 'steady') continue;
          expect(usual + unusual, `${flowCount} flows, ${what} * ${ratio}`).toBeGreaterThanOrEqual(0.98);
          expect(Math.max(share, 1 / share), `${flowCount} flows, ${what} * ${ratio}`).toBeLessThanOrEqual(1.1);
        }
      }
    }
    const title = 'One bottleneck of 1 Gbit/s; RTT 100 us and own links of 1 Gbit/s, but of half of the flows';
    await expect(table(title, rows)).toMatchFileSnapshot('mixed.table.txt');
  });
});

describe('a flow that others leave', () => {
  it('has the link again within a few RTTs', () => {
    const [soon, late] = [measureLeaving(steady), measureLeaving(leaning)];
    expect(soon).toBeLessThan(10);
    expect(late).toBeGreaterThan(30);
  });
});

describe('on a parking lot', () => {
  it('steady gives every flow its max-min share, where naive loses a fifth and more', async () => {
    const lots = [
      { name: '10 Gbit/s, 4 us', rateBps: 1e10, linkDelayNs: 4 * MICROSECOND_NS, durationNs: 40 * MILLISECOND_NS },
      { name: '100 Mbit/s, 40 us', rateBps: 1e8, linkDelayNs: 40 * MICROSECOND_NS, durationNs: 4 * SECOND_NS },
    ];
    const rows = [['links', 'rule', 'number', 'least used', 'flow 0']];
    for (const { name: lot, ...options } of lots) {
      // The slow links show whether steady waits for time or for RTTs; other rules are there to compare with.
      const others = lot === lots[0].name ? { leaning, "authors' code": authors, naive } : {};
      for (const [rule, make] of Object.entries({ steady, ...others })) {
        for (const linkCount of [2, 6]) {
          const { lowest, across } = measureParkingLot(make, { ...options, linkCount, seeds: seeds(1) });
          rows.push([lot, rule, `${linkCount}`, lowest.toFixed(3), across.toFixed(2)]);
          if (make !== steady) continue;
          expect(lowest, `least used of ${linkCount} links at ${lot}`).toBeGreaterThanOrEqual(0.98);
          expect(across, `flow 0 over ${linkCount} links at ${lot}`).toBeGreaterThanOrEqual(0.47);
        }
      }
    }
    const title =
      'Flow 0 crosses every link of a chain, one flow more each; parts of a link; max-min would give flow 0 a half';
    await expect(table(title, rows)).toMatchFileSnapshot('parking-lot.table.txt');
  });
});

describe('a flow that joins', () => {
  it('is within 10 % of its fair share in a few RTTs', async () => {
    const rows = [['rule', '10 Gbit/s: RTTs', '100 Gbit/s: RTTs']];
    for (const [rule, make] of Object.entries({ steady, leaning, "authors' code": authors })) {
      const [at10g, at100g] = [joiningRtts(make, seeds(4)), make === steady ? joiningRtts(make, seeds(2), 1e11) : []];
      rows.push([rule, spread(at10g, 1), at100g.length === 0 ? '' : spread(at100g, 1)]);
      if (make === steady) expect(Math.max(...at10g, ...at100g), 'RTTs to the fair share').toBeLessThan(10);
    }
    rows.push(['', '', ''], ['flows in all', '300 us: ms', '3 ms: ms']);
    for (const flowCount of [2, 4, 8]) {
      const times = [SLOW, SLOW_AND_FAR].map((link) => joiningMs(steady, { link, flowCount, seeds: seeds(4) }));
      rows.push([`${flowCount}`, ...times.map((ms) => spread(ms, 0))]);
      expect(Math.max(...times.flat()), `ms to the fair share of ${flowCount}`).toBeLessThan(150);
    }
    const title =
      'Time until a joining flow is within 10 % of its fair share: median (range) over seeds.\n' +
      '10 and 100 Gbit/s, RTT 100 us: second of two flows, over 3 RTTs. 100 Mbit/s by RTT: last of some, over 100 ms (included)';
    await expect(table(title, rows)).toMatchFileSnapshot('joining.table.txt');
  });
});
