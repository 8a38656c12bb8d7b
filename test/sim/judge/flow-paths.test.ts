import { expect, it } from 'vitest';
import { FlowPaths } from '../../../src/sim/judge/flow-paths.js';
import { simulate } from '../../../src/sim/simulate.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import { flow, scenarioWith } from '../../harness/simulations.js';

it('finds the links that data of a flow crosses, for every way through a fat tree', () => {
  const counts = { pods: 2, coreSwitches: 4, aggregationPerPod: 2, torsPerPod: 2, hostsPerTor: 1 };
  const topology = builtinTopology('fat-tree', { ...counts, rateBps: 10e9, delayNs: 1000, spread: 'flow' });
  const paths = new FlowPaths(topology);
  const ways = new Set<string>();
  for (let seed = 1; seed <= 24; seed++) {
    const { result } = simulate(scenarioWith({ topology, seed, traffic: [flow(1, 3)], durationNs: 200e3 }));
    const crossed = paths.of(1, 3, result.flows[0].wireId as number).map(({ link, forward }) => {
      const { a, b } = topology.links[link];
      return forward ? `${a}->${b}` : `${b}->${a}`;
    });
    const busy = result.links.filter(({ utilisation }) => utilisation > 0.1).map(({ name }) => name);
    expect(busy.sort(), `seed ${seed}`).toEqual([...crossed].sort());
    expect([crossed[0], crossed[5]], `seed ${seed}`).toEqual(['h1->tor1', 'tor3->h3']);
    ways.add(crossed.join(' '));
  }
  // Four core switches, one of which 24 flows at random miss with a probability below 0.5 %.
  expect(ways.size).toBe(4);
});
