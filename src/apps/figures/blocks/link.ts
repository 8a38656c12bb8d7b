// Tested by test/apps/figures/golden.test.ts
import { assert } from '../../../base/assert.js';
import type { LinkResult, SimulationRun } from '../../../sim/result.js';

/** One direction of a link, by its name. */
export function linkOf({ result }: SimulationRun, name: string): LinkResult {
  const found = result.links.find((link) => link.name === name);
  assert(found !== undefined, `there is a direction ${name}`);
  return found;
}

/** Frames that found a data queue full anywhere. */
export function dataDrops({ result }: SimulationRun): number {
  return result.links.reduce((sum, link) => sum + link.dataDrops, 0);
}

/** Jain's index over windows of this length, averaged; NaN where no two flows ran at a time. */
export function jainOver({ result }: SimulationRun, windowNs: number): number {
  const found = result.jainByWindow.find((each) => each.windowNs === windowNs);
  assert(found !== undefined, `Jain's index is taken over ${windowNs} ns`);
  return found.jain ?? Number.NaN;
}
