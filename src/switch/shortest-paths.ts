// Tested by test/switch/forwarding.test.ts
import type { Topology } from './topology.js';

/** The number of a link's direction: a link of index i has 2i from `a` to `b` and 2i + 1 back; trunks follow the links. */
export function directionOf(linkIndex: number, forward: boolean): number {
  return 2 * linkIndex + (forward ? 0 : 1);
}

/** The index of the link, or trunk, that a direction is of. */
export function linkOf(direction: number): number {
  return direction >> 1;
}

export interface Neighbour {
  readonly node: number;
  readonly direction: number;
}

/** By switch: the links to other switches, ordered by neighbour and then as the topology lists them. */
export function findNeighbours({ switches, links }: Topology, indexOf: ReadonlyMap<string, number>): Neighbour[][] {
  const neighbours: Neighbour[][] = switches.map(() => []);
  links.forEach(({ a, b }, index) => {
    const from = indexOf.get(a);
    const to = indexOf.get(b);
    if (from === undefined || to === undefined) return;
    neighbours[from].push({ node: to, direction: directionOf(index, true) });
    neighbours[to].push({ node: from, direction: directionOf(index, false) });
  });
  for (const list of neighbours) list.sort((x, y) => x.node - y.node || x.direction - y.direction);
  return neighbours;
}

/** Every shortest path, at most `most`, as directions; depth first over the links that come nearer. None where `to` cannot be reached. */
export function shortestPaths(
  neighbours: readonly (readonly Neighbour[])[],
  { from, to, most }: { from: number; to: number; most: number },
): number[][] {
  const distances = distancesTo(neighbours, to);
  const paths: number[][] = [];
  const path: number[] = [];
  const visit = (node: number): void => {
    if (node === to) paths.push([...path]);
    for (const next of neighbours[node]) {
      if (distances[next.node] !== distances[node] - 1 || paths.length === most) continue;
      path.push(next.direction);
      visit(next.node);
      path.pop();
    }
  };
  if (distances[from] < neighbours.length) visit(from);
  return paths;
}

/** Breadth first: how many links each switch is from `to`; the number of switches where it cannot be reached. */
function distancesTo(neighbours: readonly (readonly Neighbour[])[], to: number): Int32Array {
  const distances = new Int32Array(neighbours.length).fill(neighbours.length);
  distances[to] = 0;
  const queue = [to];
  for (const node of queue) {
    for (const next of neighbours[node]) {
      if (distances[next.node] <= distances[node] + 1) continue;
      distances[next.node] = distances[node] + 1;
      queue.push(next.node);
    }
  }
  return distances;
}
