import { describe, expect, it } from 'vitest';
import { SIMULATOR_WORKS } from '../../../src/apps/bench/sim.js';
import { SeededRandom } from '../../../src/base/random.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { planFlows } from '../../../src/sim/traffic/plan-flows.js';

function scenarioOf(name: string): ReturnType<typeof parseScenario> {
  const work = SIMULATOR_WORKS.find((each) => each.name === name);
  return parseScenario(work?.document);
}

describe('the scenarios that show how fast the simulator is', () => {
  it.each([
    ['sim/dumbbell/2/1s', 1e9, 4, 2],
    ['sim/dumbbell/64/1s', 1e9, 128, 64],
    ['sim/dumbbell/1024/60ms', 60e6, 2048, 1024],
    ['sim/fat-tree/10000', 10e9, 192, 10_000],
    ['sim/shuffle/99840', 1e6, 192, 99_840],
  ])('%s lasts %d ns and has %d hosts and %d flows', (name, durationNs, hosts, flows) => {
    const scenario = scenarioOf(name);
    expect([scenario.durationNs, scenario.topology.hosts.length]).toEqual([durationNs, hosts]);
    expect(planFlows(scenario.traffic, new SeededRandom(1))).toHaveLength(flows);
  });

  it('has the authors dumbbell: 10 Gbit/s, and 100 us there and back', () => {
    const { links } = scenarioOf('sim/dumbbell/2/1s').topology;
    expect(new Set(links.map(({ port }) => port.rateBps))).toEqual(new Set([10e9]));
    const delays = links.map(({ port }) => port.delayNs).sort((a, b) => a - b);
    expect(delays).toEqual([10e3, 10e3, 10e3, 10e3, 30e3]);
  });
});
