import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { SECOND_NS } from '../../../src/base/time.js';
import type { PoissonTraffic, TrafficSpec } from '../../../src/sim/scenario.js';
import { type FlowPlan, planFlows } from '../../../src/sim/traffic/plan-flows.js';
import { meanBytes } from '../../../src/sim/traffic/size-distribution.js';
import { workload } from '../../../src/sim/traffic/workloads.js';
import { allowLongRuns, holds, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const BASE = { group: 'all', startNs: 1000, startJitterNs: 0 };
const NEVER = Number.POSITIVE_INFINITY;
const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

function plan(seed: number, ...traffic: TrafficSpec[]): FlowPlan[] {
  return planFlows(traffic, new SeededRandom(seed));
}

function poisson(changes: Partial<PoissonTraffic> = {}): PoissonTraffic {
  const sizes = workload('web-server');
  return {
    ...BASE,
    kind: 'poisson',
    from: EIGHT,
    to: EIGHT,
    sizes,
    load: 0.6,
    loadRateBps: 8e10,
    flows: 20_000,
    ...changes,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function gaps(flows: readonly FlowPlan[]): number[] {
  return flows.map(({ startNs }, index) => startNs - (index === 0 ? BASE.startNs : flows[index - 1].startNs));
}

describe('a plan of flows', () => {
  it('has explicit flows, as often as they say', () => {
    const flow: TrafficSpec = { ...BASE, kind: 'flow', from: 3, to: 4, bytes: NEVER, count: 2, stopNs: 9000 };
    const one = { group: 'all', from: 3, to: 4, bytes: NEVER, startNs: 1000, stopNs: 9000 };
    expect(plan(1, flow)).toEqual([
      { id: 0, ...one },
      { id: 1, ...one },
    ]);
  });

  it('is sorted by start, and numbered in the order of the traffic', () => {
    const late: TrafficSpec = { ...BASE, kind: 'flow', from: 1, to: 2, bytes: 10, count: 2, stopNs: NEVER };
    const early: TrafficSpec = { ...late, group: 'early', startNs: 0, count: 1 };
    const also: TrafficSpec = { ...late, group: 'also', count: 1 };
    expect(plan(1, late, early, also).map(({ id, group }) => [id, group])).toEqual([
      [2, 'early'],
      [0, 'all'],
      [1, 'all'],
      [3, 'also'],
    ]);
  });

  it('starts each flow up to the jitter later, evenly', () => {
    const flows = plan(2, {
      ...BASE,
      startJitterNs: 400,
      kind: 'shuffle',
      hosts: EIGHT,
      tasks: 6,
      bytes: 5,
      rounds: 1,
    });
    const late = flows.map(({ startNs }) => startNs - BASE.startNs);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(400);
    // Five standard deviations of the mean of 2,016 values that are even over 400.
    expect(Math.abs(mean(late) - 200)).toBeLessThan((5 * 400) / Math.sqrt(12 * 2016));
    // The same of the share of those that are in the first quarter.
    expect(Math.abs(late.filter((ns) => ns < 100).length / 2016 - 0.25)).toBeLessThan(5 * Math.sqrt(0.1875 / 2016));
    expect(flows.map(({ startNs }) => startNs)).toEqual(late.map((ns) => ns + 1000).sort((a, b) => a - b));
  });

  it('is the same for the same seed and another for another', () => {
    const some = (seed: number) => plan(seed, poisson({ flows: 500 }));
    expect(some(5)).toEqual(some(5));
    expect(some(5)).not.toEqual(some(6));
  });

  it('does not change an entry when another one has more flows', () => {
    const other = (flows: number) => plan(5, poisson({ flows }), poisson({ group: 'other', flows: 50 }));
    const strip = (flows: FlowPlan[]) =>
      flows.filter(({ group }) => group === 'other').map(({ from, to, bytes, startNs }) => [from, to, bytes, startNs]);
    expect(strip(other(10))).toEqual(strip(other(300)));
  });

  /** Committed values: chance has to come out alike on every machine and in every version. */
  it('is known for a seed', () => {
    const flows = plan(42, poisson({ flows: 3 }), { ...BASE, kind: 'permutation', hosts: [1, 2, 3, 4, 5], bytes: 10 });
    expect(flows.map(({ id, from, to, bytes, startNs }) => `${id}: ${from}->${to} ${bytes} B ${startNs}`)).toEqual([
      '3: 1->2 10 B 1000',
      '4: 2->3 10 B 1000',
      '5: 3->1 10 B 1000',
      '6: 4->5 10 B 1000',
      '7: 5->4 10 B 1000',
      '0: 1->6 259 B 1468.5272992042',
      '1: 4->6 300 B 7843.866440069672',
      '2: 7->4 424653 B 17934.56948269093',
    ]);
  });

  it('of a flow to its own host is our bug', () => {
    expect(() => plan(1, { ...BASE, kind: 'incast', from: [1, 2], to: 2, bytes: 5, rounds: 1, everyNs: 0 })).toThrow(
      /from one host to another/,
    );
  });
});

describe('a permutation', () => {
  it('has every host send once and receive once, and none to itself', () => {
    holds(fc.tuple(fc.integer({ min: 2, max: 40 }), fc.nat()), 200, ([count, seed]) => {
      const hosts = Array.from({ length: count }, (_, index) => 100 + 3 * index);
      const flows = plan(seed, { ...BASE, kind: 'permutation', hosts, bytes: 7 });
      expect(flows.map(({ from }) => from)).toEqual(hosts);
      expect(flows.map(({ to }) => to).sort((a, b) => a - b)).toEqual(hosts);
      expect(flows.every(({ from, to, bytes }) => from !== to && bytes === 7)).toBe(true);
    });
  });

  it('is each of the nine of four hosts equally often', () => {
    const counts = new Map<string, number>();
    for (let run = 0; run < 4500; run++) {
      const flows = plan(TEST_SEED + run, { ...BASE, kind: 'permutation', hosts: [1, 2, 3, 4], bytes: 7 });
      const key = flows.map(({ to }) => to).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(9);
    // Five standard deviations of a binomial with mean 500.
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(106);
  });

  it('of one host is our bug', () => {
    expect(() => plan(1, { ...BASE, kind: 'permutation', hosts: [1], bytes: 7 })).toThrow(/leaves it in its place/);
  });
});

describe('an incast', () => {
  it('comes round after round', () => {
    const flows = plan(1, { ...BASE, kind: 'incast', from: [2, 3], to: 1, bytes: 64, rounds: 3, everyNs: 500 });
    expect(flows.map(({ id, from, to, startNs }) => [id, from, to, startNs])).toEqual([
      [0, 2, 1, 1000],
      [1, 3, 1, 1000],
      [2, 2, 1, 1500],
      [3, 3, 1, 1500],
      [4, 2, 1, 2000],
      [5, 3, 1, 2000],
    ]);
  });
});

describe('a shuffle', () => {
  it('has a flow between every two tasks of different hosts', () => {
    const flows = plan(1, { ...BASE, kind: 'shuffle', hosts: [1, 2, 3], tasks: 4, bytes: 1e6, rounds: 1 });
    expect(flows).toHaveLength(3 * 2 * 16);
    const pairs = new Map<string, number>();
    for (const { from, to } of flows) pairs.set(`${from}-${to}`, (pairs.get(`${from}-${to}`) ?? 0) + 1);
    expect([...pairs].sort()).toEqual(['1-2', '1-3', '2-1', '2-3', '3-1', '3-2'].map((pair) => [pair, 16]));
  });

  it("of the paper's size is planned whole", () => {
    const hosts = Array.from({ length: 40 }, (_, index) => index + 1);
    expect(plan(1, { ...BASE, kind: 'shuffle', hosts, tasks: 8, bytes: 1e6, rounds: 1 })).toHaveLength(40 * 39 * 64);
  });

  it('sends each round of a shuffle after the one before, by the algorithm that it names', () => {
    const shuffle = { ...BASE, kind: 'shuffle', hosts: [1, 2], tasks: 1, bytes: 5, rounds: 3 } as const;
    const flows = plan(1, { ...shuffle, windowAlgorithm: 'dctcp' }, { ...shuffle, rounds: 1 });
    expect(flows.map(({ id, from, afterId, windowAlgorithm }) => [id, from, afterId, windowAlgorithm])).toEqual([
      [0, 1, undefined, 'dctcp'],
      [1, 1, 0, 'dctcp'],
      [2, 1, 1, 'dctcp'],
      [3, 2, undefined, 'dctcp'],
      [4, 2, 3, 'dctcp'],
      [5, 2, 4, 'dctcp'],
      [6, 1, undefined, undefined],
      [7, 2, undefined, undefined],
    ]);
  });
});

describe('Poisson arrivals', () => {
  const spec = poisson();
  const flows = plan(TEST_SEED, spec);

  it('come at the rate that gives the load in wire bytes, by the mean of the table', () => {
    // 63,735 B are declared for the workload, its table has 66,121; a full frame has 1446 B of payload and 1538 on the wire.
    const gapNs = (66_121 * (1538 / 1446) * 8 * SECOND_NS) / (0.6 * 8e10);
    expect(meanBytes(spec.sizes)).toBeCloseTo(66_121, 6);
    // Five standard deviations of the mean of 20,000 exponential gaps.
    expect(Math.abs(mean(gaps(flows)) / gapNs - 1)).toBeLessThan(5 / Math.sqrt(20_000));
  });

  it('come at a higher rate where larger frames have less overhead', () => {
    const at = (maxFrameBytes?: number) => planFlows([spec], new SeededRandom(3), maxFrameBytes)[0].startNs - 1000;
    expect(at(8972) / at()).toBeCloseTo(9038 / 8946 / (1538 / 1446), 9);
    expect(at(1472)).toBe(at());
  });

  it('have exponential gaps', () => {
    const all = gaps(flows);
    const average = mean(all);
    for (const factor of [0.1, 0.5, 1, 2, 4]) {
      const longer = all.filter((gap) => gap > factor * average).length / all.length;
      // Six standard deviations of a share of half of 20,000, and the spread of the average itself.
      expect(Math.abs(longer - Math.exp(-factor))).toBeLessThan(0.025);
    }
  });

  it('go between all pairs of different hosts alike', () => {
    const counts = new Map<string, number>();
    for (const { from, to } of flows) counts.set(`${from}-${to}`, (counts.get(`${from}-${to}`) ?? 0) + 1);
    expect(counts.size).toBe(56);
    // Six standard deviations of a binomial with mean 20,000 / 56.
    for (const count of counts.values()) expect(Math.abs(count - 20_000 / 56)).toBeLessThan(6 * Math.sqrt(20_000 / 56));
    expect(flows.some(({ from, to }) => from === to)).toBe(false);
  });

  it('go from one group to another where they differ', () => {
    const across = plan(1, poisson({ from: [1, 2], to: [2, 3], flows: 300 }));
    const pairs = new Set(across.map(({ from, to }) => `${from}-${to}`));
    expect([...pairs].sort()).toEqual(['1-2', '1-3', '2-3']);
  });

  it('have the sizes of the table', () => {
    const small = flows.filter(({ bytes }) => bytes <= 1000).length / flows.length;
    // Six standard deviations of a share of 0.3 of 20,000.
    expect(Math.abs(small - 0.3)).toBeLessThan(0.02);
    expect(flows.every(({ bytes }) => Number.isInteger(bytes) && bytes >= 1 && bytes <= 500_000)).toBe(true);
  });

  it('between one host and itself are our bug', () => {
    expect(() => plan(1, poisson({ from: [1], to: [1, 1] }))).toThrow(/different hosts/);
  });

  it('of 100,000 flows end when the load has been offered', () => {
    const many = plan(7, poisson({ flows: 100_000 }));
    const offered = many.reduce((sum, { bytes }) => sum + bytes, 0) * (1538 / 1446) * 8;
    const lastedS = (many[many.length - 1].startNs - 1000) / SECOND_NS;
    // Five standard deviations: of the sum of the sizes, whose deviation is 1.95 times their mean, and of the time.
    expect(Math.abs(offered / lastedS / 8e10 / 0.6 - 1)).toBeLessThan((5 * Math.hypot(1.95, 1)) / Math.sqrt(100_000));
  });
});
