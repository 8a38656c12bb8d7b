import { assert } from '../../base/assert.js';

/**
 * Max-min fair shares (Bertsekas and Gallager, Data Networks, 1992, Section 6.5.2): no flow can get more without one that has no more than it getting less. By
 * progressive filling: all flows grow alike until a link is full, its flows stop there, the others go on.
 *
 * `capacities` has one number a link, in any unit, Infinity for an unlimited link; `paths` one list a flow, of the indices of the links that it crosses, each
 * once. The result has one share a flow, in the unit of the capacities; Infinity for a flow that no link limits.
 */
export function maxMinShares(capacities: readonly number[], paths: readonly (readonly number[])[]): Float64Array {
  const shares = new Float64Array(paths.length).fill(Number.POSITIVE_INFINITY);
  const links = capacities.map((left): Filling => ({ left, flows: new Set() }));
  paths.forEach((path, flow) => {
    for (const link of path) join(links, link, flow);
  });
  for (let link = tightest(links); link !== null; link = tightest(links)) {
    const share = Math.max(0, link.left / link.flows.size);
    for (const flow of [...link.flows]) {
      shares[flow] = share;
      for (const crossed of paths[flow]) leave(links[crossed], flow, share);
    }
  }
  return shares;
}

/** A link while it fills: the capacity that is left, and the flows that still grow. */
interface Filling {
  left: number;
  readonly flows: Set<number>;
}

function join(links: readonly Filling[], link: number, flow: number): void {
  assert(links[link] !== undefined, 'a flow crosses links that there are');
  assert(!links[link].flows.has(flow), 'a flow crosses a link once');
  links[link].flows.add(flow);
}

/** The limited link that gives the least to each of its flows; null when none is left with flows. */
function tightest(links: readonly Filling[]): Filling | null {
  let found: Filling | null = null;
  for (const link of links) {
    if (link.flows.size === 0 || link.left === Number.POSITIVE_INFINITY) continue;
    if (found === null || link.left / link.flows.size < found.left / found.flows.size) found = link;
  }
  return found;
}

function leave(link: Filling, flow: number, share: number): void {
  link.flows.delete(flow);
  link.left -= share;
}
