// Tested by test/apps/shared/scenario/traffic.test.ts
import type { Topology } from '../../../switch/topology.js';

/** A sender and its receiver, by host id. */
export type HostPair = readonly [from: number, to: number];

/**
 * Who sends to whom where flows are `pairs`, so that a file fits every size of its topology: in a parking lot 1 to 2 along the chain, then each link's own pair;
 * with several bottlenecks 1 to each of the others; else the first half of the hosts to the second, which in a dumbbell is from left to right.
 */
export function hostPairs(name: string, { hosts }: Topology): HostPair[] {
  const ids = hosts.map(({ id }) => id);
  if (name === 'parking-lot') return Array.from({ length: ids.length / 2 }, (_, at) => [ids[2 * at], ids[2 * at + 1]]);
  if (name === 'multi-bottleneck') return ids.slice(1).map((to) => [ids[0], to]);
  const half = Math.floor(ids.length / 2);
  return Array.from({ length: half }, (_, at) => [ids[at], ids[half + at]]);
}
