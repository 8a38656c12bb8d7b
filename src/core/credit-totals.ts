import { counter, initialValues, renamed, sumValues, type Values } from '../base/metric.js';
import type { ReceiverStatistics } from './receiver-statistics.js';

/** Credits by fate, of one flow or of many. docs/GLOSSARY.md, "fate" */
export const CREDIT_METRICS = {
  sent: counter('credits', 'Credits issued; those in no other count are outstanding'),
  used: counter('credits', 'Credits echoed by data'),
  unused: counter('credits', 'Credits that reached the sender and found nothing to send'),
  dropped: counter('credits', 'Credits that did not arrive'),
};

export type CreditTotals = Values<typeof CREDIT_METRICS>;

/** The names under which simulations and perf print and send them. */
export const WASTED_CREDIT_METRICS = { ...CREDIT_METRICS, unused: renamed(CREDIT_METRICS.unused, 'wasted') };

/** Of one flow. A credit whose data was lost counts as dropped: `withoutLostData` tells them apart. */
export function creditTotals(flow: Readonly<ReceiverStatistics>): CreditTotals {
  const { creditsSent: sent, creditsUsed: used, creditsUnused: unused, creditsDropped: dropped } = flow;
  return { sent, used, unused, dropped };
}

export function sumCredits(flows: readonly Readonly<CreditTotals>[]): CreditTotals {
  return flows.reduce((sum, flow) => sumValues(CREDIT_METRICS, sum, flow), initialValues(CREDIT_METRICS));
}

/** A credit whose data was lost has no answer either, and was not dropped: it is in no count but `sent`. */
export function withoutLostData(totals: Readonly<CreditTotals>, lostFrames: number): CreditTotals {
  return { ...totals, dropped: Math.max(0, totals.dropped - lostFrames) };
}

/** Credits whose fate is unknown. */
export function creditsOutstanding({ sent, used, unused, dropped }: Readonly<CreditTotals>): number {
  return sent - used - unused - dropped;
}

/** The dropped share of the credits whose fate became known between two counts; 0 without any. */
export function creditDropShare(before: Readonly<CreditTotals>, after: Readonly<CreditTotals>): number {
  const dropped = after.dropped - before.dropped;
  const known = after.used - before.used + after.unused - before.unused + dropped;
  return known > 0 ? dropped / known : 0;
}
