import { assert } from '../base/assert.js';
import type { Topology, TopologyLink } from '../switch/topology.js';

/**
 * A shortest path between two hosts as a list of links, sender first. Among equal ones the first in the topology's order: only length and settings matter,
 * which equal-cost paths share.
 */
export class Paths {
  private readonly links: readonly TopologyLink[];
  /** By node: the links at it. */
  private readonly around = new Map<string, TopologyLink[]>();
  private readonly nameOf: ReadonlyMap<number, string>;
  /** By the node that it starts at: for every node the link that leads to it from the one before. */
  private readonly trees = new Map<string, ReadonlyMap<string, TopologyLink>>();

  constructor(topology: Topology) {
    this.links = topology.links;
    this.nameOf = new Map(topology.hosts.map(({ id, name }) => [id, name]));
    for (const link of this.links) {
      for (const end of [link.a, link.b]) this.around.set(end, [...(this.around.get(end) ?? []), link]);
    }
  }

  /** The links between hosts `from` and `to`, which differ. */
  between(from: number, to: number): TopologyLink[] {
    const first = this.hostLink(from);
    const last = this.hostLink(to);
    const start = this.switchOf(first, from);
    const tree = this.treeFrom(start);
    const path = [last];
    for (let at = this.switchOf(last, to); at !== start; ) {
      const link = tree.get(at);
      assert(link !== undefined, 'every switch can be reached');
      path.unshift(link);
      at = link.a === at ? link.b : link.a;
    }
    return [first, ...path];
  }

  private hostLink(host: number): TopologyLink {
    const name = this.nameOf.get(host) as string;
    return (this.around.get(name) as TopologyLink[])[0];
  }

  private switchOf({ a, b }: TopologyLink, host: number): string {
    return a === this.nameOf.get(host) ? b : a;
  }

  /** Breadth first, so that each node is met on a shortest path. */
  private treeFrom(start: string): ReadonlyMap<string, TopologyLink> {
    const known = this.trees.get(start);
    if (known !== undefined) return known;
    const tree = new Map<string, TopologyLink>();
    const met = new Set([start]);
    for (const node of met) {
      for (const link of this.around.get(node) ?? []) {
        const next = link.a === node ? link.b : link.a;
        if (met.has(next)) continue;
        met.add(next);
        tree.set(next, link);
      }
    }
    this.trees.set(start, tree);
    return tree;
  }
}
