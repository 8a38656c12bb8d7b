import { assert } from '../../base/assert.js';
import { type Random, SeededRandom } from '../../base/random.js';
import type { OpenOptions } from '../../core/endpoint.js';
import type { ShareOptions } from '../../core/flow-terms.js';
import { DEFAULT_FRAME_BYTES } from '../../wire/layout.js';
import type { TrafficSpec } from '../scenario.js';
import { type PatternFlow, patternOf } from './patterns.js';

/** One flow that a run will have. */
export interface FlowPlan {
  /** From 0, in the order of the traffic and of its patterns: the first flow of a scenario is flow 0, as in the papers' figures. */
  readonly id: number;
  readonly group: string;
  /** Host ids, never the same. */
  readonly from: number;
  readonly to: number;
  /** Whole and at least 1; Infinity: it never ends. */
  readonly bytes: number;
  /** When it starts; not before, where `afterId` is given. */
  readonly startNs: number;
  /** When its sender gives it no more data; Infinity for never. */
  readonly stopNs: number;
  /** Id of the flow that has to be over first. */
  readonly afterId?: number | undefined;
  /** Name of a window algorithm, or '' for credits; the sending host's if absent. */
  readonly windowAlgorithm?: string | undefined;
  readonly share?: ShareOptions | undefined;
}

/**
 * Every flow of a run, sorted by start and then by id. All chance comes from `random`; each entry of `traffic` draws from a generator of its own, so
 * that more flows in one entry do not change the others. `maxFrameBytes` is the UDP payload of a full data frame, by which a Poisson load counts wire bytes.
 * The scenario has been checked: hosts exist, and flows go to another host than they come from.
 */
export function planFlows(
  traffic: readonly TrafficSpec[],
  random: Random,
  maxFrameBytes = DEFAULT_FRAME_BYTES,
): FlowPlan[] {
  const plans: FlowPlan[] = [];
  for (const spec of traffic) {
    const own = new SeededRandom(random.uint32());
    for (const flow of patternOf(spec, own, maxFrameBytes)) plans.push(planFlow(plans.length, spec, flow, own));
  }
  return plans.sort((one, other) => one.startNs - other.startNs || one.id - other.id);
}

function planFlow(id: number, spec: TrafficSpec, flow: PatternFlow, random: Random): FlowPlan {
  const { from, to, bytes, afterNs, follows } = flow;
  assert(from !== to, 'a flow goes from one host to another');
  assert(bytes >= 1, 'a flow has bytes');
  const jitterNs = spec.startJitterNs > 0 ? random.next() * spec.startJitterNs : 0;
  const stopNs = spec.kind === 'flow' ? spec.stopNs : Number.POSITIVE_INFINITY;
  const startNs = spec.startNs + afterNs + jitterNs;
  const { group, windowAlgorithm, share } = spec;
  const afterId = follows === true ? id - 1 : undefined;
  return { id, group, from, to, bytes, startNs, stopNs, afterId, windowAlgorithm, share };
}

/** How the flow is opened. */
export function openOptions({ windowAlgorithm, share }: FlowPlan): OpenOptions {
  return { ...(windowAlgorithm !== undefined && { windowAlgorithm }), ...share };
}
