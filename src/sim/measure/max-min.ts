import { assert } from '../../base/assert.js';

/**
 * Max-min fair shares (Bertsekas and Gallager, Data Networks, 1992, Section 6.5.2): no flow can get more without one that has no more than it getting less. By
 * progressive filling: all flows grow alike until a link is full, its flows stop there, the others go on.
 *
 * `capacities` has one number a link, in any unit, Infinity for an unlimited link; `paths` one list a flow, of the indices of the links that it crosses, each
 * once. `costs` has for each flow, in the order of its path, what a unit of its share takes of each link; 1 without it. The result has one share a flow, in the
 * unit of the capacities; Infinity for a flow that no link limits.
 */
export function maxMinShares(
  capacities: readonly number[],
  paths: readonly (readonly number[])[],
  costs?: readonly (readonly number[])[],
): Float64Array {
  const shares = new Float64Array(paths.length).fill(Number.POSITIVE_INFINITY);
  const links = capacities.map((left): Filling => ({ left, cost: 0, flows: new Map() }));
  paths.forEach((path, flow) => {
    path.forEach((link, place) => {
      join(links[link], flow, costs?.[flow][place] ?? 1);
    });
  });
  for (let link = tightest(links); link !== null; link = tightest(links)) {
    const share = Math.max(0, link.left / link.cost);
    for (const flow of [...link.flows.keys()]) {
      shares[flow] = share;
      for (const crossed of paths[flow]) leave(links[crossed], flow, share);
    }
  }
  return shares;
}

/** A link while it fills: the capacity that is left, and what each flow that still grows takes of it for a unit of its share. */
interface Filling {
  left: number;
  /** Of all its flows. */
  cost: number;
  readonly flows: Map<number, number>;
}

function join(link: Filling | undefined, flow: number, cost: number): void {
  assert(link !== undefined, 'a flow crosses links that there are');
  assert(!link.flows.has(flow), 'a flow crosses a link once');
  link.flows.set(flow, cost);
  link.cost += cost;
}

/** The limited link that gives the least to each of its flows; null when none is left with flows. */
function tightest(links: readonly Filling[]): Filling | null {
  let found: Filling | null = null;
  for (const link of links) {
    if (link.flows.size === 0 || link.left === Number.POSITIVE_INFINITY) continue;
    if (found === null || link.left / link.cost < found.left / found.cost) found = link;
  }
  return found;
}

function leave(link: Filling, flow: number, share: number): void {
  const cost = link.flows.get(flow) as number;
  link.flows.delete(flow);
  link.cost -= cost;
  link.left -= cost * share;
}
