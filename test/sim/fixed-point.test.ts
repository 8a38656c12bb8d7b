import { describe, expect, it, vi } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { simulate } from '../../src/sim/simulate.js';
import { checkTopology, type Topology } from '../../src/switch/topology.js';
import { table } from '../core/credit/scenarios.js';
import { flow, linkFault, scenarioWith } from '../harness/simulations.js';

/** Where `steady` settles, by the formulas of docs/decisions/0020-explicit-rate.md and in the simulator. */

/** Seconds of work on an idle core; this is for busy ones. */
vi.setConfig({ testTimeout: 300_000 });

const LINK_BPS = 10e9;
const BITS_PER_CREDIT = 8 * 1626;
const LOSS_FROM_NS = 5 * MILLISECOND_NS;
const WARM_UP_NS = 20 * MILLISECOND_NS;
const MEASURED_NS = 40 * MILLISECOND_NS;

interface Case {
  flowCount: number;
  lossRate: number;
  /** Links of the second half of the receivers, as a part of the fair share; all others are as fast as the bottleneck. */
  slow: number;
}

interface Figures {
  /** Credits of each flow that came back with data, as parts of the link. */
  shares: number[];
  dropped: number;
  utilisation: number;
}

/** What the port of the bottleneck offers too much. */
function overload(flowCount: number): number {
  return 0.1 * Math.max(0, Math.log2(flowCount / 32));
}

/** Every flow loses the same part of its credits at the meter, and then what is lost on the link: a credit or its data. */
function predict({ flowCount, lossRate, slow }: Case): Figures {
  const whole = 1 + overload(flowCount);
  const slowCount = slow < 1 ? flowCount / 2 : 0;
  const slowRate = slow / flowCount;
  const fastRate = (whole - slowCount * slowRate) / (flowCount - slowCount);
  const returns = (1 - lossRate) ** 2;
  const rates = Array.from({ length: flowCount }, (_, i) => (i < flowCount - slowCount ? fastRate : slowRate));
  return {
    shares: rates.map((rate) => (rate / whole) * returns),
    dropped: 1 - returns / whole,
    utilisation: 1 - lossRate,
  };
}

function topologyOf({ flowCount, slow }: Case): Topology {
  const ids = Array.from({ length: flowCount }, (_, i) => i + 1);
  const receiverBps = (id: number) => (slow < 1 && id > flowCount / 2 ? (slow / flowCount) * LINK_BPS : LINK_BPS);
  return checkTopology({
    hosts: [...ids.map((id) => ({ id })), ...ids.map((id) => ({ id: flowCount + id }))],
    switches: [{ name: 'left' }, { name: 'right' }],
    defaults: { rateBps: LINK_BPS, delayNs: 10e3 },
    links: [
      { a: 'left', b: 'right', delayNs: 30e3 },
      ...ids.map((id) => ({ a: `h${id}`, b: 'left' })),
      ...ids.map((id) => ({ a: 'right', b: `h${flowCount + id}`, rateBps: receiverBps(id) })),
    ],
  });
}

/** Loss begins when all flows have started: a request that is lost is sent again only after milliseconds, and is no matter of the law. */
function measure(settings: Case): Figures {
  const { flowCount, lossRate } = settings;
  const traffic = Array.from({ length: flowCount }, (_, i) => flow(i + 1, flowCount + i + 1));
  const faults = ['left->right', 'right->left'].map((link) => linkFault(LOSS_FROM_NS, link, { lossRate }));
  const times = { warmUpNs: WARM_UP_NS, durationNs: WARM_UP_NS + MEASURED_NS };
  const scenario = { ...times, topology: topologyOf(settings), traffic, faults, bottlenecks: ['left->right'] };
  let usedBefore: number[] = [];
  const { result } = simulate(scenarioWith(scenario), {
    slowdowns: false,
    onStep: ({ network }, { runs }) => {
      if (usedBefore.length === 0 && network.nowNs >= WARM_UP_NS) usedBefore = runs.map(({ credits }) => credits.used);
    },
  });
  const used = result.flows.map(({ credits }, index) => credits.used - usedBefore[index]);
  const shares = used.map((credits) => (credits * BITS_PER_CREDIT * 1e9) / MEASURED_NS / LINK_BPS);
  return { shares, dropped: result.creditDropShare, utilisation: result.utilisation };
}

/**
 * Which credits are lost is chance: two standard deviations of a binomial distribution as a part of its mean, of the smallest share. One would do if
 * drops were independent; a full queue drops the credits of a flow in runs, since flows keep their places among each other for a while.
 */
function chance({ shares, dropped }: Figures): number {
  const used = (Math.min(...shares) * LINK_BPS * MEASURED_NS) / 1e9 / BITS_PER_CREDIT;
  return 2 * Math.sqrt(dropped / used);
}

describe('the fixed point of steady', () => {
  it('is the one that its equations have', async () => {
    const rows = [['flows', 'loss', 'slow links', 'utilisation', 'lowest and highest share', 'dropped', 'by equation']];
    for (const [slow, lossRate, counts] of [
      [1, 0, [1, 32, 256]],
      [1, 0.01, [16]],
      [1, 0.1, [1, 64]],
      [0.5, 0, [2, 64]],
      [0.5, 0.1, [16]],
    ] as const) {
      for (const flowCount of counts) {
        const settings = { flowCount, lossRate, slow };
        const [found, predicted] = [measure(settings), predict(settings)];
        const ratios = found.shares.map((share, index) => share / predicted.shares[index]);
        rows.push([
          `${flowCount}`,
          `${100 * lossRate} %`,
          slow < 1 ? `half, ${slow}` : 'none',
          found.utilisation.toFixed(3),
          `${Math.min(...ratios).toFixed(3)} ${Math.max(...ratios).toFixed(3)}`,
          found.dropped.toFixed(3),
          predicted.dropped.toFixed(3),
        ]);
        const what = JSON.stringify(settings);
        expect.soft(Math.abs(found.utilisation / predicted.utilisation - 1), `utilisation, ${what}`).toBeLessThan(0.03);
        expect.soft(Math.abs(found.dropped - predicted.dropped), `dropped, ${what}`).toBeLessThan(0.03);
        const spread = Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - 1) ** 2, 0) / flowCount);
        expect.soft(spread, `shares, ${what}`).toBeLessThan(0.03 + chance(predicted));
      }
    }
    const title =
      'Endless flows through a dumbbell of 10 Gbit/s, RTT 100 us, which loses frames each way; 20 to 60 ms. Slow: the links of half of the receivers\n' +
      'have this part of the fair share. Shares are parts of what the equations give each flow, and dropped is what of the credits brings no data';
    await expect(table(title, rows)).toMatchFileSnapshot('fixed-point.table.txt');
  });
});
