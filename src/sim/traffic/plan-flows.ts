// Tested by test/sim/traffic/plan-flows.test.ts
import { assert } from '../../base/assert.js';
import { type Random, SeededRandom } from '../../base/random.js';
import { transmissionNs } from '../../base/time.js';
import type { OpenOptions } from '../../core/flow-factory.js';
import type { ShareOptions } from '../../core/flow-terms.js';
import { Data, DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import type {
  FlowTraffic,
  IncastTraffic,
  PermutationTraffic,
  PoissonTraffic,
  ShuffleTraffic,
  TrafficSpec,
} from '../scenario.js';
import { meanBytes, sampleBytes } from './size-distribution.js';

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
 * All flows of a checked scenario by start, then id. Each entry of `traffic` draws from its own generator, so that entries do not shift each other.
 * `maxFrameBytes`: UDP payload of a full data frame, for wire bytes of a Poisson load.
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

/** What a pattern says of one flow. */
interface PatternFlow {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** After the start of the traffic. */
  readonly afterNs: number;
  /** It starts when the flow before it in the pattern is over. */
  readonly follows?: boolean;
}

/** The flows of one entry of traffic, in their order. */
function patternOf(spec: TrafficSpec, random: Random, maxFrameBytes: number): Iterable<PatternFlow> {
  switch (spec.kind) {
    case 'flow':
      return equalFlows(spec);
    case 'permutation':
      return permutation(spec, random);
    case 'incast':
      return incast(spec);
    case 'shuffle':
      return shuffle(spec);
    case 'poisson':
      return poisson(spec, random, meanGapNs(spec, maxFrameBytes));
  }
}

function* equalFlows({ from, to, bytes, count }: FlowTraffic): Iterable<PatternFlow> {
  for (let index = 0; index < count; index++) yield { from, to, bytes, afterNs: 0 };
}

function* permutation({ hosts, bytes }: PermutationTraffic, random: Random): Iterable<PatternFlow> {
  const targets = derangement(hosts.length, random);
  for (const [index, from] of hosts.entries()) yield { from, to: hosts[targets[index]], bytes, afterNs: 0 };
}

/** Round by round, in the order of the senders. */
function* incast({ from, to, bytes, rounds, everyNs }: IncastTraffic): Iterable<PatternFlow> {
  for (let round = 0; round < rounds; round++) {
    for (const sender of from) yield { from: sender, to, bytes, afterNs: round * everyNs };
  }
}

/** Of two hosts, every task of the one sends to every task of the other: `tasks` squared flows each way and round. */
function* shuffle({ hosts, tasks, bytes, rounds }: ShuffleTraffic): Iterable<PatternFlow> {
  for (const from of hosts) {
    for (const to of hosts) {
      if (from === to) continue;
      for (let pair = 0; pair < tasks * tasks; pair++) {
        yield { from, to, bytes, afterNs: 0 };
        for (let round = 1; round < rounds; round++) yield { from, to, bytes, afterNs: 0, follows: true };
      }
    }
  }
}

/** Exponential gaps, the first one before the first flow; each flow draws its gap, its pair and its size, in this order. */
function* poisson(spec: PoissonTraffic, random: Random, gapNs: number): Iterable<PatternFlow> {
  let afterNs = 0;
  for (let index = 0; index < spec.flows; index++) {
    afterNs -= Math.log(1 - random.next()) * gapNs;
    yield { ...pick(spec, random), bytes: sampleBytes(spec.sizes, random), afterNs };
  }
}

/**
 * Mean time between flows. The load counts wire bytes in full frames, as the authors' ns-2 scripts do (kaist-ina/ns2-xpass, large-scale-fattree.tcl: size /
 * 1460 * 1538), but by the mean of the table: 0.6 of `loadRateBps` is 0.634 of its data share.
 */
function meanGapNs({ sizes, load, loadRateBps }: PoissonTraffic, maxFrameBytes: number): number {
  const wirePerPayload = wireBytes(maxFrameBytes) / (maxFrameBytes - Data.overheadBytes);
  return transmissionNs(meanBytes(sizes) * wirePerPayload, load * loadRateBps);
}

/** Uniform over the pairs of different hosts. */
function pick({ from, to }: PoissonTraffic, random: Random): { from: number; to: number } {
  assert(
    from.some((host) => to.some((other) => other !== host)),
    'random pairs are of different hosts',
  );
  for (;;) {
    const pair = { from: from[below(from.length, random)], to: to[below(to.length, random)] };
    if (pair.from !== pair.to) return pair;
  }
}

/**
 * A uniform permutation of 0 to `count` - 1 without fixed points: shuffles (Fisher and Yates) until one has none, one in e. A cyclic shuffle would leave out
 * most.
 */
function derangement(count: number, random: Random): number[] {
  assert(count !== 1, 'a permutation of one host leaves it in its place');
  for (;;) {
    const places = shuffled(count, random);
    if (places.every((place, index) => place !== index)) return places;
  }
}

function shuffled(count: number, random: Random): number[] {
  const places = Array.from({ length: count }, (_, index) => index);
  for (let index = count - 1; index > 0; index--) {
    const other = below(index + 1, random);
    [places[index], places[other]] = [places[other], places[index]];
  }
  return places;
}

function below(bound: number, random: Random): number {
  return Math.floor(random.next() * bound);
}
