// Tested by test/apps/figures/blocks/joining.test.ts

import { assert } from '../../../base/assert.js';
import type { FlowSeries, SimulationRun } from '../../../sim/result.js';
import type { FigureDocument } from '../figure.js';
import type { Quantity } from '../plan.js';
import { quantity } from '../plan.js';
import { median } from '../statistics.js';
import { dumbbell, type Start } from './dumbbell.js';
import { payloadBps } from './payload.js';
import type { Rule } from './peers.js';

/** RTT of the dumbbell without queues. */
export const RTT_NS = 100_000;
/** When the second flow starts: the first has had 50 RTTs, and a lone flow needs about 10 to the full rate. The authors' runs wait 200. */
const JOIN_NS = 50 * RTT_NS;
/** RTTs of the second flow that are simulated; what has not converged by then has not. */
export const LAST_RTT = 80;

export interface Joining {
  readonly rule: Rule;
  readonly start?: Start;
  readonly rate: '10gbit' | '100gbit';
}

/** One flow runs, a second one joins it; rates are sampled once an RTT. */
export function joiningDocument({ rule, start, rate }: Joining): FigureDocument {
  return {
    ...dumbbell({ rule, pairs: 2, rate, ...(start !== undefined && { start }) }),
    duration: `${JOIN_NS + LAST_RTT * RTT_NS}ns`,
    warmUp: `${JOIN_NS}ns`,
    flows: [
      { kind: 'flow', group: 'running', from: 1, to: 3 },
      { kind: 'flow', group: 'joining', from: 2, to: 4, start: `${JOIN_NS}ns` },
    ],
    jainWindows: ['1ms'],
    probes: { interval: `${RTT_NS}ns`, maxFlows: 2 },
  };
}

/** Payload that arrived of both flows in each RTT since the second one started, as a part of their fair share. */
export function sharesSinceJoin(run: SimulationRun): readonly (readonly [number, number])[] {
  const { series } = run;
  assert(series !== null && series.flows.length === 2, 'both flows of a joining run are sampled');
  const fairBps = payloadBps(rateOf(run)) / 2;
  const [running, joining] = series.flows.map(({ goodputBps }: FlowSeries) => goodputBps);
  const first = series.timesNs.findIndex((timeNs) => timeNs > JOIN_NS);
  return Array.from({ length: LAST_RTT }, (_, at) => {
    return [running[first + at] / fairBps, joining[first + at] / fairBps] as const;
  });
}

/**
 * RTTs from the start of the second flow, its request included, to the first in which both rates are within `part` of the fair share; LAST_RTT where
 * there is none. The authors' smallest value is 2: no data arrives in the first RTT and a half.
 */
export function rttsUntilWithin(run: SimulationRun, part: number): number {
  const isNear = (share: number): boolean => Math.abs(share - 1) <= part;
  const at = sharesSinceJoin(run).findIndex((shares) => shares.every(isNear));
  return at < 0 ? LAST_RTT : at;
}

/** The median over seeds. */
export function rttsWithin(part: number): Quantity {
  const title = `rtts_within_${part * 100}_percent`;
  return quantity(title, 1, (run) => rttsUntilWithin(run, part), median);
}

function rateOf({ result }: SimulationRun): number {
  const rateBps = result.links[0].rateBps;
  assert(rateBps !== null, 'the links of a dumbbell have a rate');
  return rateBps;
}
