import { assert } from '../../base/assert.js';
import type { SimulationResult } from '../result.js';
import type { Scenario } from '../scenario.js';
import { type Crossing, FlowPaths } from './flow-paths.js';
import { Group } from './random-network.js';
import { lossyShares } from './shares.js';

/** A flow that was there in all of the measured half. */
export interface JudgedFlow {
  /** Of the scenario. */
  readonly seed: number;
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly group: string;
  readonly path: readonly Crossing[];
  readonly shareBps: number;
  readonly rateBps: number;
  /** What it had as a part of its share. */
  readonly part: number;
}

/**
 * Flows of a random network that stayed, each with its measured payload rate as a part of its max-min share (`lossyShares`). Flows that should have left do not
 * count.
 */
export function judge(scenario: Scenario, { flows }: SimulationResult): JudgedFlow[] {
  const paths = new FlowPaths(scenario.topology);
  const staying = flows.filter(({ group }) => group !== Group.leaves);
  const ends = staying.map(({ id }) => endsOf(scenario, id));
  const ways = staying.map(({ wireId }, at) => {
    assert(wireId !== undefined, 'a flow that stays has started');
    return paths.of(ends[at].from, ends[at].to, wireId);
  });
  const shares = lossyShares(scenario.topology, ways);
  return staying.map(({ id, group, arrivalBps = 0 }, at) => ({
    seed: scenario.seed,
    id,
    ...ends[at],
    group,
    path: ways[at],
    shareBps: shares[at],
    rateBps: arrivalBps,
    part: arrivalBps / shares[at],
  }));
}

/** How many flows that should have left were there in the measured half. */
export function lateLeavers({ warmUpNs }: Scenario, { flows }: SimulationResult): number {
  const isLate = (fctNs: number | null, startNs: number): boolean => fctNs === null || startNs + fctNs > warmUpNs;
  return flows.filter(({ group, fctNs, startNs }) => group === Group.leaves && isLate(fctNs, startNs)).length;
}

/** Each flow of a random network is an entry of its traffic. */
function endsOf({ traffic }: Scenario, flow: number): { from: number; to: number } {
  const spec = traffic[flow];
  assert(spec.kind === 'flow', 'a random network has single flows');
  return { from: spec.from, to: spec.to };
}
