/** What of a large run is sampled: chosen by a first run, for nobody knows beforehand where it gets busy. */
import { directionNames } from '../../scenario/link-names.js';
import type { FlowResult, LinkResult, SimulationResult } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { planFlows } from '../../sim/traffic/plan-flows.js';
import { chancesOf, largestFrameBytes } from '../../sim/world.js';

/** Directions that are sampled where nobody says which (ours): more than a reader looks at, and a page of a few MB. */
const MAX_LINKS = 64;

/** Whether there are more directions or flows, of which nobody has chosen some. */
export function needsChoice(scenario: Scenario): boolean {
  const { probes, topology, traffic, seed } = scenario;
  const flows = planFlows(traffic, chancesOf(seed).traffic, largestFrameBytes(topology)).length;
  return flows > probes.maxFlows || (!hasChosenLinks(scenario) && directionNames(topology).length > MAX_LINKS);
}

function hasChosenLinks({ probes, bottlenecks }: Scenario): boolean {
  return probes.links.length > 0 || bottlenecks.length > 0;
}

/** The scenario with probes at what was busiest in a run of it: directions by their largest queue, and by their load; flows over all of the time. */
export function probesAtBusiest(scenario: Scenario, result: SimulationResult): Scenario {
  const chosen = { ...scenario.probes, flows: busiestFlows(result, scenario.probes.maxFlows) };
  return { ...scenario, probes: hasChosenLinks(scenario) ? chosen : { ...chosen, links: busiestLinks(result.links) } };
}

/** Half of them have the largest queues, the others carry most; in the order of the links. */
export function busiestLinks(links: readonly LinkResult[]): string[] {
  const byQueue = [...links].sort((a, b) => b.dataQueueBytesMax - a.dataQueueBytesMax).slice(0, MAX_LINKS / 2);
  const byLoad = [...links].sort((a, b) => b.utilisation - a.utilisation).filter((link) => !byQueue.includes(link));
  const chosen = new Set([...byQueue, ...byLoad.slice(0, MAX_LINKS - byQueue.length)]);
  return links.filter((link) => chosen.has(link)).map(({ name }) => name);
}

/** A quarter are those that failed, a quarter those that lasted longest; the others are spread over all, by their starts. By id. */
export function busiestFlows({ flows, durationNs }: SimulationResult, most: number): number[] {
  const lastedNs = ({ fctNs, startNs }: FlowResult): number => fctNs ?? durationNs - startNs;
  const failed = flows.filter(({ error }) => error !== null).slice(0, most / 4);
  const longest = [...flows].sort((a, b) => lastedNs(b) - lastedNs(a)).slice(0, most / 4);
  const chosen = new Set([...failed, ...longest]);
  const others = flows.filter((flow) => !chosen.has(flow)).sort((a, b) => a.startNs - b.startNs);
  const step = Math.max(1, others.length / (most - chosen.size));
  for (let at = 0; at < others.length && chosen.size < most; at += step) chosen.add(others[Math.floor(at)]);
  return [...chosen].map(({ id }) => id).sort((a, b) => a - b);
}
