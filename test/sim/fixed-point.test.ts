import { describe, expect, it, vi } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { sumCredits } from '../../src/sim/measure/credits.js';
import { simulate } from '../../src/sim/simulate.js';
import { checkTopology, type Topology } from '../../src/switch/topology.js';
import { table } from '../core/credit/scenarios.js';
import { flow, scenarioWith } from '../harness/simulations.js';

/** Where `steady` settles, by the formulas of docs/decisions/0020-explicit-rate.md and in the simulator. */

/** Seconds of work on an idle core; this is for busy ones. */
vi.setConfig({ testTimeout: 300_000 });

const LINK_BPS = 10e9;
const BITS_PER_CREDIT = 8 * 1626;

interface Case {
  flowCount: number;
  lossRate: number;
  /** Links of the second half of the receivers, as a part of the fair share; all others are as fast as the bottleneck. */
  slow: number;
}

/** What the port of the bottleneck offers too much. */
function overload(flowCount: number): number {
  return 0.1 * Math.max(0, 1 - 32 / flowCount);
}

/** Of the bottleneck, in the order of the flows: credits that pass the meter, by max-min fairness, and come back with data. */
function predict({ flowCount, lossRate, slow }: Case): { shares: number[]; dropped: number; utilisation: number } {
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

function topologyOf({ flowCount, lossRate, slow }: Case): Topology {
  const ids = Array.from({ length: flowCount }, (_, i) => i + 1);
  const receiverBps = (id: number) => (slow < 1 && id > flowCount / 2 ? (slow / flowCount) * LINK_BPS : LINK_BPS);
  return checkTopology({
    hosts: [...ids.map((id) => ({ id })), ...ids.map((id) => ({ id: flowCount + id }))],
    switches: [{ name: 'left' }, { name: 'right' }],
    defaults: { rateBps: LINK_BPS, delayNs: 10e3 },
    links: [
      { a: 'left', b: 'right', delayNs: 30e3, lossRate },
      ...ids.map((id) => ({ a: `h${id}`, b: 'left' })),
      ...ids.map((id) => ({ a: 'right', b: `h${flowCount + id}`, rateBps: receiverBps(id) })),
    ],
  });
}

function measure(settings: Case): { shares: number[]; dropped: number; utilisation: number } {
  const [warmUpNs, durationNs] = [20 * MILLISECOND_NS, 60 * MILLISECOND_NS];
  const { flowCount } = settings;
  const traffic = Array.from({ length: flowCount }, (_, i) => flow(i + 1, flowCount + i + 1));
  const scenario = { topology: topologyOf(settings), traffic, warmUpNs, durationNs, bottlenecks: ['left->right'] };
  const usedBefore = new Float64Array(flowCount);
  const usedAfter = new Float64Array(flowCount);
  let isWarm = false;
  const { result } = simulate(scenarioWith(scenario), {
    slowdowns: false,
    onStep: ({ network }, { runs }) => {
      if (isWarm || network.nowNs < warmUpNs) return;
      isWarm = true;
      for (const [index, run] of runs.entries()) usedBefore[index] = run.credits.used;
    },
  });
  for (const [index, { credits }] of result.flows.entries()) usedAfter[index] = credits.used;
  const shareOfOne = BITS_PER_CREDIT / (LINK_BPS * ((durationNs - warmUpNs) / 1e9));
  const shares = Array.from(usedAfter, (used, index) => (used - usedBefore[index]) * shareOfOne);
  return { shares, dropped: result.creditDropShare, utilisation: result.utilisation };
}

describe('the fixed point of steady', () => {
  it('is the one that its equations have', async () => {
    void sumCredits;
    const rows = [['flows', 'loss', 'own links', 'utilisation', 'lowest and highest share / predicted', 'dropped', 'predicted']];
    for (const slow of [1, 0.5]) {
      for (const lossRate of [0, 0.01, 0.1]) {
        for (const flowCount of slow < 1 ? [2, 16, 64] : [1, 2, 16, 32, 64, 256]) {
          const settings = { flowCount, lossRate, slow };
          const [found, predicted] = [measure(settings), predict(settings)];
          const ratios = found.shares.map((share, index) => share / predicted.shares[index]);
          const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
          rows.push([
            `${flowCount}`,
            `${lossRate}`,
            slow === 1 ? 'alike' : `half ${slow} of a share`,
            found.utilisation.toFixed(3),
            `${lowest.toFixed(3)} ${highest.toFixed(3)}`,
            found.dropped.toFixed(3),
            predicted.dropped.toFixed(3),
          ]);
        }
      }
    }
    await expect(table('x', rows)).toMatchFileSnapshot('fixed-point.table.txt');
  });
});
