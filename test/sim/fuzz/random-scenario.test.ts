import { describe, expect, it } from 'vitest';
import { endpointConfig } from '../../../src/core/config.js';
import { SIMULATION_CONFIG } from '../../../src/sim/endpoint-defaults.js';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';
import { everyFaultEnds } from '../../../src/sim/fuzz/smaller.js';
import { faultsEndNs } from '../../../src/sim/fuzz/time-bound.js';
import type { Scenario } from '../../../src/sim/scenario.js';
import { planFlows } from '../../../src/sim/traffic/plan-flows.js';
import { chancesOf } from '../../../src/sim/world.js';
import { checkTopology } from '../../../src/switch/topology.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const WORLDS: readonly Scenario[] = Array.from({ length: scaledRuns(300) }, (_, world) =>
  randomScenario(TEST_SEED + world),
);

function share(isSo: (scenario: Scenario) => boolean): number {
  return WORLDS.filter(isSo).length / WORLDS.length;
}

describe('a random scenario', () => {
  it('is the same for the same seed', () => {
    expect(randomScenario(7)).toEqual(randomScenario(7));
    expect(randomScenario(7)).not.toEqual(randomScenario(8));
  });

  it('has a topology and settings that are allowed', () => {
    for (const { topology, hosts } of WORLDS) {
      const links = topology.links.map(({ name, a, b, port, impairment }) => ({ name, a, b, ...port, ...impairment }));
      expect(checkTopology({ ...topology, links })).toEqual(topology);
      expect(hosts.map(({ id }) => id)).toEqual(topology.hosts.map(({ id }) => id));
      for (const { endpoint } of hosts) endpointConfig({ ...SIMULATION_CONFIG, ...endpoint });
    }
  });

  it('has frames of one size, and flows between its hosts', () => {
    for (const { topology, traffic, seed } of WORLDS) {
      expect(new Set(topology.links.map(({ port }) => port.maxFrameBytes)).size).toBe(1);
      const ids = new Set(topology.hosts.map(({ id }) => id));
      const plans = planFlows(traffic, chancesOf(seed).traffic);
      expect(plans.length).toBeGreaterThan(0);
      for (const { from, to } of plans) expect([ids.has(from), ids.has(to), from === to]).toEqual([true, true, false]);
    }
  });

  it('has faults that all end, long before an idle timeout', () => {
    for (const { faults, hosts, durationNs } of WORLDS) {
      expect(everyFaultEnds(faults)).toBe(true);
      const { idleTimeoutNs } = endpointConfig(hosts[0].endpoint);
      expect(faultsEndNs(faults)).toBeLessThan(durationNs - 2 * idleTimeoutNs);
    }
  });

  it('has flows with credits of the low class, under ports of both kinds, and none without credits among them', () => {
    const lows = (scenario: Scenario) => scenario.traffic.filter((spec) => spec.share?.creditClass === 'low');
    expect(share((scenario) => lows(scenario).length > 0)).toBeGreaterThan(0.2);
    const weights = WORLDS.map(({ topology }) => topology.links[0].port.creditClassWeight);
    expect(weights.some((weight) => weight < 1)).toBe(true);
    expect(weights.some((weight) => weight > 1 && Number.isFinite(weight))).toBe(true);
    for (const scenario of WORLDS) {
      const windows = new Set(scenario.hosts.filter(({ endpoint }) => endpoint.windowAlgorithm).map(({ id }) => id));
      const lowGroups = planFlows(lows(scenario), chancesOf(scenario.seed).traffic);
      expect(lowGroups.filter(({ from }) => windows.has(from))).toEqual([]);
    }
  });

  it('is of every kind now and then', () => {
    const hasFault = (kind: string) => share(({ faults }) => faults.some((fault) => fault.kind === kind));
    const hasTraffic = (kind: string) => share(({ traffic }) => traffic.some((spec) => spec.kind === kind));
    for (const kind of ['link', 'switchRestart', 'hostCrash', 'reader', 'clock'])
      expect(hasFault(kind)).toBeGreaterThan(0.03);
    for (const kind of ['flow', 'incast', 'permutation', 'shuffle', 'poisson'])
      expect(hasTraffic(kind)).toBeGreaterThan(0.03);
    const sizes = [
      share(({ faults }) => faults.length === 0),
      share(({ payload }) => payload === 'lengths'),
      share(({ topology }) => topology.switches.length === 1),
      share(({ topology }) => topology.switches.length > 4),
    ];
    for (const size of sizes) expect(size).toBeGreaterThan(0.03);
  });
});
