import { describe, expect, it } from 'vitest';
import { withEndpoints } from '../../../src/sim/judge/network-scenario.js';
import { Group, randomNetwork } from '../../../src/sim/judge/random-network.js';
import { Paths } from '../../../src/sim/paths.js';

const SEEDS = Array.from({ length: 500 }, (_, at) => at + 1);
const NETWORKS = SEEDS.map((seed) => randomNetwork(seed));

function count(of: (network: (typeof NETWORKS)[number]) => boolean): number {
  return NETWORKS.filter(of).length;
}

describe('random networks', () => {
  it('are the same for the same seed, and differ', () => {
    expect(randomNetwork(7)).toEqual(NETWORKS[6]);
    expect(new Set(NETWORKS.map(({ scenario }) => JSON.stringify(scenario.topology))).size).toBe(500);
  });

  it('have every shape, and 2 to 64 flows over 1 to 8 switches', () => {
    const shapes = [...new Set(NETWORKS.map(({ shape }) => shape))].sort();
    expect(shapes).toEqual(['dumbbell', 'fat-tree', 'leaf-spine', 'parking-lot', 'star', 'tree']);
    const flows = NETWORKS.map(({ scenario }) => scenario.traffic.length);
    expect([Math.min(...flows), Math.max(...flows)]).toEqual([2, 64]);
    const hops = NETWORKS.flatMap(({ scenario }) => {
      const paths = new Paths(scenario.topology);
      return scenario.traffic.map((spec) => (spec.kind === 'flow' ? paths.between(spec.from, spec.to).length - 1 : 0));
    });
    expect([Math.min(...hops), Math.max(...hops)]).toEqual([1, 8]);
  });

  it('have links of 100 Mbit/s to 100 Gbit/s, mostly mixed, and lose up to 3 % on a third of them', () => {
    const links = NETWORKS.flatMap(({ scenario }) => scenario.topology.links);
    const rates = links.map(({ port }) => port.rateBps);
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(99e6);
    expect(Math.max(...rates)).toBeGreaterThan(90e9);
    const mixed = count(({ scenario }) => {
      const own = scenario.topology.links.map(({ port }) => port.rateBps);
      return Math.max(...own) > 3 * Math.min(...own);
    });
    expect(mixed).toBeGreaterThan(300);
    const losses = links.map(({ impairment }) => impairment.lossRate ?? 0).filter((loss) => loss > 0);
    expect(losses.length / links.length).toBeCloseTo(1 / 3, 1);
    expect(Math.max(...losses)).toBeLessThanOrEqual(0.03);
  });

  it('have round trips of 10 us to 20 ms', () => {
    const [near, far] = [count(({ rttNs }) => rttNs < 50e3), count(({ rttNs }) => rttNs > 5e6)];
    expect(near).toBeGreaterThan(40);
    expect(far).toBeGreaterThan(40);
    for (const { rttNs } of NETWORKS) expect(rttNs).toBeGreaterThanOrEqual(10e3);
  });

  it('run for 40 round trips at least, and measure the second half, in which no flow starts', () => {
    NETWORKS.forEach(({ scenario, rttNs }, at) => {
      const { durationNs, warmUpNs, traffic } = scenario;
      expect(durationNs, `seed ${at + 1}`).toBeGreaterThanOrEqual(40 * rttNs);
      expect(warmUpNs).toBe(durationNs / 2);
      for (const { startNs } of traffic) expect(startNs).toBeLessThan(durationNs / 4);
    });
  });

  it('have flows that stay, that come and that leave, and at least one that stays', () => {
    const groups = NETWORKS.flatMap(({ scenario }) => scenario.traffic.map(({ group }) => group));
    const share = (wanted: string) => groups.filter((group) => group === wanted).length / groups.length;
    expect(share(Group.comes)).toBeCloseTo(0.25, 1);
    expect(share(Group.leaves)).toBeCloseTo(0.25, 1);
    expect(count(({ scenario }) => scenario.traffic.some(({ group }) => group === Group.stays))).toBe(500);
  });

  it('take an algorithm for all their hosts', () => {
    const { scenario } = NETWORKS[0];
    const { hosts } = withEndpoints(scenario, { creditAlgorithm: 'naive' });
    for (const { endpoint } of hosts) {
      expect(endpoint).toEqual({ ...scenario.hosts[0].endpoint, creditAlgorithm: 'naive' });
    }
  });
});
