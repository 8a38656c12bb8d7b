// Tested by test/sim/simulate.test.ts
import type { CreditTotals } from '../../core/credit-totals.js';
import type { FlowResult } from '../result.js';
import type { FlowPlan } from '../traffic/plan-flows.js';

/** What became of one flow. */
export interface FlowOutcome {
  readonly plan: FlowPlan;
  /** When it started. */
  readonly startNs: number;
  /** When its receiver had every byte; NEVER: it had not. */
  readonly doneNs: number;
  readonly deliveredBytes: number;
  /** Those of the measured time. */
  readonly measuredBytes: number;
  readonly credits: CreditTotals;
  readonly error: string | null;
  readonly wireId?: number | null;
  /** How many bytes more wait behind holes than at the beginning of the measured time. */
  readonly measuredHeldBytes?: number;
}

/** The run around it. */
export interface MeasuredRun {
  readonly measuredFromNs: number;
  readonly endNs: number;
  hostName(id: number): string;
  slowdown(plan: FlowPlan, fctNs: number): number | null;
}

export function flowResult(
  outcome: FlowOutcome,
  { measuredFromNs, endNs, hostName, slowdown }: MeasuredRun,
): FlowResult {
  const { plan, startNs, doneNs, deliveredBytes, measuredBytes, credits, error, wireId, measuredHeldBytes } = outcome;
  const fctNs = Number.isFinite(doneNs) ? doneNs - startNs : null;
  const spanNs = Math.min(doneNs, endNs) - Math.max(startNs, measuredFromNs);
  const rateBps = (bytes: number): number => (spanNs > 0 ? (bytes * 8e9) / spanNs : 0);
  return {
    id: plan.id,
    group: plan.group,
    ...(typeof wireId === 'number' && { wireId }),
    src: hostName(plan.from),
    dst: hostName(plan.to),
    bytes: Number.isFinite(plan.bytes) ? plan.bytes : null,
    startNs,
    fctNs,
    slowdown: fctNs === null ? null : slowdown(plan, fctNs),
    goodputBps: rateBps(measuredBytes),
    ...(measuredHeldBytes !== undefined && { arrivalBps: rateBps(measuredBytes + measuredHeldBytes) }),
    deliveredBytes,
    credits,
    error,
  };
}
