import type { CreditTotals } from '../result.js';

/** Of many flows together. */
export function sumCredits(flows: readonly Readonly<CreditTotals>[]): CreditTotals {
  const total = { sent: 0, used: 0, wasted: 0, dropped: 0 };
  for (const { sent, used, wasted, dropped } of flows) {
    total.sent += sent;
    total.used += used;
    total.wasted += wasted;
    total.dropped += dropped;
  }
  return total;
}

/** Credits whose fate is not known yet. */
export function creditsOut({ sent, used, wasted, dropped }: Readonly<CreditTotals>): number {
  return sent - used - wasted - dropped;
}

/** The dropped part of the credits whose fate became known between two counts; 0 where there were none. */
export function creditDropShare(before: Readonly<CreditTotals>, after: Readonly<CreditTotals>): number {
  const dropped = after.dropped - before.dropped;
  const known = after.used - before.used + after.wasted - before.wasted + dropped;
  return known > 0 ? dropped / known : 0;
}
