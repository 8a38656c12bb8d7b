// Tested by test/sim/traffic/plan-flows.test.ts

import { assert } from '../../base/assert.js';
import type { Random } from '../../base/random.js';
import { transmissionNs } from '../../base/time.js';
import { Data, wireBytes } from '../../wire/layout.js';
import type {
  FlowTraffic,
  IncastTraffic,
  PermutationTraffic,
  PoissonTraffic,
  ShuffleTraffic,
  TrafficSpec,
} from '../scenario.js';
import { meanBytes, sampleBytes } from './size-distribution.js';

/** What a pattern says of one flow. */
export interface PatternFlow {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** After the start of the traffic. */
  readonly afterNs: number;
  /** It starts when the flow before it in the pattern is over. */
  readonly follows?: boolean;
}

/** The flows of one entry of traffic, in their order. */
export function patternOf(spec: TrafficSpec, random: Random, maxFrameBytes: number): Iterable<PatternFlow> {
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
 * Mean time between two flows of all pairs together. The load counts wire bytes of data, as the authors' ns-2 scripts do (kaist-ina/ns2-xpass,
 * large-scale-fattree.tcl: size / 1460 * 1538): a load of 0.6 fills 0.6 of `loadRateBps` with data frames, 0.634 of its data share. All frames count as full
 * ones; the last frame of each flow, which is not, adds less than one frame's overhead. They divide the declared mean of a workload, we that of its table.
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
 * A permutation of 0 to `count` - 1 that leaves nothing in its place, each with the same probability: shuffles (Fisher and Yates) are drawn until one has no
 * fixed point, which one in e has. A cyclic shuffle would need one draw but leaves out all but a few.
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
