import type { FlowPlan } from '../../sim/traffic/plan-flows.js';

/** For each host that sends in a rehearsal: the hosts that it sends to. */
export type Rehearsal = ReadonlyMap<number, readonly number[]>;

/** As few flows as it takes for every host to do what it will do: who sends in the plan sends to one host at least, who receives gets something. */
export function planRehearsal(flows: readonly FlowPlan[]): Rehearsal {
  const sending = new Map<number, number[]>();
  const receiving = new Set<number>();
  for (const { from, to } of flows) {
    if (sending.has(from) && receiving.has(to)) continue;
    sending.set(from, [...(sending.get(from) ?? []), to]);
    receiving.add(to);
  }
  return sending;
}
