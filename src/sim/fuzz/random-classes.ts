// Tested by test/sim/fuzz/random-scenario.test.ts
import type { PortConfig } from '../../switch/port.js';
import type { Topology } from '../../switch/topology.js';
import type { Scenario, TrafficSpec } from '../scenario.js';
import type { Dice } from './dice.js';

type World = Omit<Scenario, 'durationNs'>;

/** In half of the worlds some flows have credits of the low class, and the ports serve the classes strictly or by weight. */
export function withClasses(dice: Dice, world: World): World {
  if (dice.chance(0.5)) return world;
  const creditClassWeight = dice.chance(0.5) ? Number.POSITIVE_INFINITY : dice.spread(0.1, 10);
  const windows = new Set(world.hosts.filter(({ endpoint }) => endpoint.windowAlgorithm).map(({ id }) => id));
  const traffic = world.traffic.map((spec) =>
    hasCredits(spec, windows) && dice.chance(0.4) ? { ...spec, share: { creditClass: 'low' } as const } : spec,
  );
  return { ...world, topology: withPorts(world.topology, { creditClassWeight }), traffic };
}

function hasCredits(spec: TrafficSpec, windows: ReadonlySet<number>): boolean {
  const senders = spec.kind === 'permutation' || spec.kind === 'shuffle' ? spec.hosts : [spec.from].flat();
  return !senders.some((id) => windows.has(id));
}

function withPorts(topology: Topology, changes: Partial<PortConfig>): Topology {
  const links = topology.links.map((link) => ({ ...link, port: { ...link.port, ...changes } }));
  return { ...topology, links };
}
