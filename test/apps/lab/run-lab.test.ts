import { describe, expect, it } from 'vitest';
import { planRehearsal } from '../../../src/apps/lab/run-lab.js';
import type { FlowPlan } from '../../../src/sim/traffic/plan-flows.js';

function plans(...pairs: readonly (readonly [from: number, to: number])[]): FlowPlan[] {
  return pairs.map(([from, to], id) => {
    return { id, group: 'flow', from, to, bytes: 1, startNs: 0, stopNs: Number.POSITIVE_INFINITY };
  });
}

describe('planRehearsal', () => {
  it('has every sender of an incast send to the receiver, once', () => {
    expect([...planRehearsal(plans([2, 1], [3, 1], [2, 1], [3, 1]))]).toEqual([
      [2, [1]],
      [3, [1]],
    ]);
  });

  it('has every receiver of one sender get something', () => {
    expect([...planRehearsal(plans([1, 2], [1, 3], [1, 2]))]).toEqual([[1, [2, 3]]]);
  });

  it('stays small where everybody sends to everybody', () => {
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    const all = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to] as const));
    const rehearsal = planRehearsal(plans(...all));
    expect([...rehearsal.keys()].sort((a, b) => a - b)).toEqual(ids);
    const received = [...rehearsal.values()].flat();
    expect(new Set(received).size).toBe(20);
    expect(received.length).toBeLessThanOrEqual(40);
  });
});
