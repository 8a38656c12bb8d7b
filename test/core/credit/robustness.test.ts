import { describe, expect, it, vi } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS } from '../../../src/base/time.js';
import { registered } from './alternatives.js';
import { FAST, measureSharing, SLOW } from './measures.js';
import { jain, runDumbbell, seeds, table, utilisation } from './scenarios.js';

/** What the rate law meets outside the papers' scenarios. */

/** Seconds of work on an idle core; this is for busy ones. */
vi.setConfig({ testTimeout: 300_000 });

const steady = registered('steady');
const authors = registered('expresspass-ns2', { period_credits: 32 });
const naive = registered('naive');

describe('receivers that wake late', () => {
  it('cost a lone flow what its bursts lose, and many flows nothing', async () => {
    const rows = [['rule', 'wakes every', 'late into', 'flows', 'utilisation', 'Jain 100 ms', 'Jain 1 s', 'dropped']];
    for (const [rule, make] of Object.entries({ steady, "authors' code": authors, naive })) {
      for (const [wakeNs, lateInto] of [
        [200 * MICROSECOND_NS, 'network'],
        [MILLISECOND_NS, 'network'],
        [MILLISECOND_NS, 'nic'],
      ] as const) {
        for (const flowCount of [1, 2, 4, 8]) {
          const options = { link: SLOW, flowCount, seeds: seeds(1), windows: 45, wakeNs, lateInto };
          const got = measureSharing(make, options);
          const figures = [got.utilisation, got.jain, got.jainLong].map((figure) => figure.toFixed(3));
          rows.push([rule, `${wakeNs / 1e6} ms`, lateInto, `${flowCount}`, ...figures, got.dropped.toFixed(2)]);
          if (make !== steady || wakeNs === MILLISECOND_NS) continue;
          expect(got.utilisation, `${flowCount} flows`).toBeGreaterThanOrEqual(0.97);
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
  it('share by RTT as far as they update at different times', async () => {
    const rows = [['RTTs', 'flows', 'utilisation', 'far / near', 'Jain 10 ms']];
    const span = { fromNs: 100 * MILLISECOND_NS, toNs: 300 * MILLISECOND_NS };
    for (const farNs of [300 * MICROSECOND_NS, MILLISECOND_NS, 10 * MILLISECOND_NS]) {
      for (const flowCount of [2, 8]) {
        const flows = Array.from({ length: flowCount }, (_, i) => ({
          makeAlgorithm: steady,
          path: [1 + i, 0],
          hopNs: 10 * MICROSECOND_NS,
          returnNs: (i % 2 === 0 ? FAST.rttNs : farNs) - 10 * MICROSECOND_NS,
          startNs: 0,
        }));
        const run = { ...FAST, makeAlgorithm: steady, flowCount, flows, binNs: MILLISECOND_NS, seed: 1 };
        const got = runDumbbell({ ...run, durationNs: span.toNs }).flows;
        const [near, far] = [0, 1].map((odd) =>
          utilisation(
            got.filter((_, i) => i % 2 === odd),
            FAST.rateBps,
            span,
          ),
        );
        const figures = [
          (near + far).toFixed(3),
          (far / near).toFixed(2),
          jain(got, 10 * MILLISECOND_NS, span).toFixed(3),
        ];
        rows.push([`100 us, ${farNs / MICROSECOND_NS} us`, `${flowCount}`, ...figures]);
        expect(near + far, `RTT ${farNs} ns, ${flowCount} flows`).toBeGreaterThanOrEqual(0.97);
      }
    }
    const title =
      'One bottleneck of 10 Gbit/s; half of the flows are near (100 us), half far. (Just over 1: far data arrives long after its credit passed)';
    await expect(table(title, rows)).toMatchFileSnapshot('mixed-rtts.table.txt');
  });

  it('share by the rate of their own links, since each leans towards its own maximum', async () => {
    const rows = [['rule', 'fast links', 'flows', 'utilisation', 'fast / slow']];
    const span = { fromNs: 100 * MILLISECOND_NS, toNs: 400 * MILLISECOND_NS };
    for (const [rule, make] of Object.entries({
      steady,
      'steady, lean_bps 1e9': registered('steady', { lean_bps: 1e9 }),
      "authors' code": authors,
    })) {
      for (const ratio of [4, 10]) {
        for (const flowCount of [2, 8]) {
          const own = Array.from({ length: flowCount }, (_, i) => (i % 2 === 0 ? 1e9 : ratio * 1e9));
          const run = {
            makeAlgorithm: make,
            rateBps: 1e9,
            rttNs: FAST.rttNs,
            flowCount,
            links: [1e9, ...own],
            seed: 1,
          };
          const got = runDumbbell({ ...run, binNs: MILLISECOND_NS, durationNs: span.toNs }).flows;
          const [slow, fast] = [0, 1].map((odd) =>
            utilisation(
              got.filter((_, i) => i % 2 === odd),
              1e9,
              span,
            ),
          );
          rows.push([rule, `${ratio} Gbit/s`, `${flowCount}`, (slow + fast).toFixed(3), (fast / slow).toFixed(1)]);
        }
      }
    }
    const title =
      'One bottleneck of 1 Gbit/s, RTT 100 us; half of the receivers have a link of 1 Gbit/s, half a faster one';
    await expect(table(title, rows)).toMatchFileSnapshot('mixed-rates.table.txt');
  });
});
