import { describe, expect, it } from 'vitest';
import { randomScenario, withTimeBound } from '../../../src/sim/fuzz/random-scenario.js';
import { everyFaultEnds, minimise, REDUCTIONS } from '../../../src/sim/fuzz/smaller.js';
import { tryScenario } from '../../../src/sim/fuzz/trial.js';
import type { Fault, Scenario } from '../../../src/sim/scenario.js';
import type { MakeFabric } from '../../../src/sim/world.js';
import { allowLongRuns, TEST_SEED } from '../../harness/seeds.js';
import { dumbbell, flow, linkFault, scenarioWith } from '../../harness/simulations.js';
import { PLANTED_BUGS } from './planted-bugs.js';

allowLongRuns();

function planted(words: string): MakeFabric {
  const found = PLANTED_BUGS.find(([name]) => name.startsWith(words));
  return found![1];
}

/** A world of many things, one of which the bug needs: a link that changes. */
function crowded(): Scenario {
  const faults: Fault[] = [
    { kind: 'clock', atNs: 1e5, host: 2, driftPpm: 100 },
    linkFault(2e5, 'left-right', { lossRate: 0.1 }),
    linkFault(3e5, 'h2', { jitterNs: 1e3 }),
    linkFault(4e5, 'left-right', { lossRate: 0 }),
    { kind: 'clock', atNs: 5e5, host: 2, driftPpm: 0 },
    linkFault(6e5, 'h2', { jitterNs: 0 }),
  ];
  const traffic = [1, 2, 3].flatMap((host) => [
    flow(host, host + 3, { bytes: 3e4, startNs: 1 }),
    flow(host + 3, host, { bytes: 1e4, startNs: 1 }),
  ]);
  const host = { processing: { delayNs: 1e3, jitterNs: 1e3 }, clockDriftPpm: 10, endpoint: { ackFrames: 8 } };
  return withTimeBound(
    scenarioWith({ topology: dumbbell(3), faults, traffic, host, jainWindowsNs: [], payload: 'bytes' }),
  );
}

describe('a scenario that breaks', () => {
  it('is made smaller as long as it breaks in the same way', () => {
    const makeFabric = planted('forgets to wake up');
    const scenario = crowded();
    const { finding } = tryScenario(scenario, makeFabric);
    expect(finding).not.toBeNull();
    const found = minimise(scenario, finding!, makeFabric);
    expect(found.finding.check).toBe(finding!.check);
    const { traffic, faults, topology, hosts, payload } = found.scenario;
    expect(traffic.length).toBeLessThan(3);
    expect(faults.length).toBeLessThan(3);
    expect(topology.hosts.length).toBeLessThan(6);
    expect(payload).toBe('lengths');
    expect(hosts[0]).toMatchObject({ clockDriftPpm: 0, endpoint: {}, processing: { delayNs: 0 } });
    expect(tryScenario(found.scenario, makeFabric).finding?.check).toBe(finding!.check);
    expect(tryScenario(found.scenario).finding).toBeNull();
  });

  it('stays a scenario whose faults all end', () => {
    for (let seed = TEST_SEED; seed < TEST_SEED + 20; seed++) {
      for (const smaller of REDUCTIONS.flatMap((reduce) => [...reduce(randomScenario(seed))])) {
        expect(everyFaultEnds(smaller.faults)).toBe(true);
        const known = new Set(smaller.topology.hosts.map(({ id }) => id));
        expect(smaller.hosts.map(({ id }) => id)).toEqual([...known]);
        expect(smaller.traffic.length).toBeGreaterThan(0);
      }
    }
  });
});

describe('faults', () => {
  it('have ended when what they changed is set back', () => {
    const down = linkFault(1, 'l1', { down: true });
    const up = linkFault(2, 'l1', { down: false });
    expect(everyFaultEnds([down, up])).toBe(true);
    expect(everyFaultEnds([up, down])).toBe(false);
    expect(everyFaultEnds([down])).toBe(false);
    expect(everyFaultEnds([{ kind: 'reader', atNs: 1, host: 1, rateBps: 1e6 }])).toBe(false);
    const slow: Fault = { kind: 'link', atNs: 1, link: 'l1', port: { rateBps: 1e6 }, impairment: {} };
    expect(everyFaultEnds([slow])).toBe(false);
    expect(everyFaultEnds([slow, { ...slow, atNs: 2, port: { rateBps: 2e6 } }])).toBe(true);
  });
});
