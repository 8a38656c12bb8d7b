// Tested by test/loopback/lab.test.ts and test/apps/sim/sim.test.ts
/** What is sampled of a run for its figures, where its scenario does not say. */
import { bothDirections, directionNames } from '../../scenario/link-names.js';
import type { SimulationResult } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import type { Topology } from '../../switch/topology.js';
import { needsChoice, probesAtBusiest } from './busiest.js';

/** Samples over the length of a run where the scenario does not say how many: as many as a plot has pixels (ours). */
const DEFAULT_SAMPLES = 500;
/** Directions that are sampled where nobody says which (ours): the links of a small topology. */
const MAX_SAMPLED_LINKS = 64;

/** Whether a first run has to tell how long one lasts that ends with its flows, or where a large one is busy. */
export function needsFirstRun(scenario: Scenario): boolean {
  return needsChoice(scenario) || (scenario.endsWithFlows && scenario.probes.intervalNs === 0);
}

/** The scenario with the samples for figures; `first` is the result of the first run where it needs one. */
export function sampled(scenario: Scenario, first?: SimulationResult): Scenario {
  if (first === undefined) return sampledFor(scenario);
  const lastsNs = scenario.probes.intervalNs > 0 ? scenario.durationNs : first.durationNs;
  return sampledFor(needsChoice(scenario) ? probesAtBusiest(scenario, first) : scenario, lastsNs);
}

/** The scenario with samples of its own or of ours. `lastsNs`: how long it is known to last. */
function sampledFor(scenario: Scenario, lastsNs = scenario.durationNs): Scenario {
  const { probes, bottlenecks, topology } = scenario;
  const intervalNs = probes.intervalNs === 0 ? Math.ceil(lastsNs / DEFAULT_SAMPLES) : probes.intervalNs;
  const links = probes.links.length > 0 ? probes.links : sampledLinks(topology, bottlenecks);
  return { ...scenario, durationNs: lastsNs, probes: { ...probes, intervalNs, links } };
}

/** The bottlenecks, and their other directions, in which the credits for them queue; without any, the links of a small topology. */
function sampledLinks(topology: Topology, bottlenecks: readonly string[]): string[] {
  const links = bottlenecks.length > 0 ? bothDirections(topology, bottlenecks) : directionNames(topology);
  return links.slice(0, MAX_SAMPLED_LINKS);
}
