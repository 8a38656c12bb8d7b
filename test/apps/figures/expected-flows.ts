import type { FigureDocument } from '../../../src/apps/figures/figure.js';
import { SeededRandom } from '../../../src/base/random.js';
import { parseScenario } from '../../../src/scenario/parse-scenario.js';
import { planFlows } from '../../../src/sim/traffic/plan-flows.js';

/** How many flows a scenario has. */
export function expectedFlows(document: FigureDocument): number {
  const { traffic, topology } = parseScenario(document);
  return planFlows(traffic, new SeededRandom(1), topology.links[0].port.maxFrameBytes).length;
}
