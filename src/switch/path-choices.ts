import { directionOf } from './shortest-paths.js';
import type { Topology } from './topology.js';

/** A direction of a link between switches, by number. */
interface Way {
  readonly direction: number;
  readonly from: string;
  readonly to: string;
}

/**
 * Ports among which a switch chooses, as lists of `directionOf` numbers, for statistics alone: links away from the hosts, parallel links, and trunks to the
 * same hosts. Towards the hosts of a tree there is one way.
 */
export function pathChoices(topology: Topology): number[][] {
  return [...linkChoices(topology), ...trunkChoices(topology)].filter((choice) => choice.length > 1);
}

function linkChoices(topology: Topology): number[][] {
  const ways = waysBetweenSwitches(topology);
  const tiers = tiersOf(topology, ways);
  const tierOf = (name: string): number => tiers.get(name) ?? 0;
  const choices = new Map<string, number[]>();
  for (const { direction, from, to } of ways) {
    const isUpward = tierOf(to) > tierOf(from);
    add(choices, JSON.stringify(isUpward ? [from] : [from, to]), direction);
  }
  return [...choices.values()];
}

function trunkChoices({ links, trunks }: Topology): number[][] {
  const choices = new Map<string, number[]>();
  trunks.forEach(({ switch: from, hosts }, index) => {
    add(choices, JSON.stringify([from, [...hosts].sort()]), directionOf(links.length + index, true));
  });
  return [...choices.values()];
}

function waysBetweenSwitches({ switches, links }: Topology): Way[] {
  const names = new Set(switches.map(({ name }) => name));
  return links.flatMap(({ a, b }, index) => {
    if (!names.has(a) || !names.has(b)) return [];
    return [
      { direction: directionOf(index, true), from: a, to: b },
      { direction: directionOf(index, false), from: b, to: a },
    ];
  });
}

/** By switch, breadth first: how many links it is from the nearest switch with hosts. */
function tiersOf({ hosts, links }: Topology, ways: readonly Way[]): Map<string, number> {
  const hostNames = new Set(hosts.map(({ name }) => name));
  const edges = links.flatMap(({ a, b }) => (hostNames.has(a) ? [b] : hostNames.has(b) ? [a] : []));
  const tiers = new Map(edges.map((name) => [name, 0]));
  // Grows while it is walked through.
  const queue = [...tiers.keys()];
  for (const node of queue) {
    for (const { from, to } of ways) {
      if (from !== node || tiers.has(to)) continue;
      tiers.set(to, (tiers.get(node) ?? 0) + 1);
      queue.push(to);
    }
  }
  return tiers;
}

function add(lists: Map<string, number[]>, key: string, value: number): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}
