import type { CreditLink } from './algorithm.js';

/**
 * Credits at the maximum rate that an update period holds at least, so that a loss is a number. The papers update every RTT, which holds 77 credits at
 * 10 Gbit/s and 100 us, but 0.8 at 100 Mbit/s: there a loss is 0 or 1, and one credit an RTT, the floor, is more than the link. Ours: with 8 flows at
 * 100 Mbit/s, updates every RTT waste 45 % of the credits, 32 credits 29 %, and 64 only 23 % but a joining flow takes twice as long
 * (docs/decisions/0003-credit-feedback.md).
 */
export const PERIOD_CREDITS = 32;

/** Time from one credit of a flow to the next at a rate, ns. PROTOCOL §4.4 */
export function creditGapNs(link: CreditLink, rateBps: number): number {
  return (link.bytesPerCredit * 8e9) / rateBps;
}

/** How often a flow updates its rate, ns: every smoothed RTT, but no sooner than `PERIOD_CREDITS` fit on the link. PROTOCOL §4.7 */
export function updatePeriodNs(link: CreditLink, rttNs: number, periodCredits = PERIOD_CREDITS): number {
  return Math.max(rttNs, periodCredits * creditGapNs(link, link.maxRateBps));
}

/**
 * The lowest rate of a flow, bit/s: one credit an update period, since a flow that hears of no credit learns nothing. (The authors' code has one an RTT,
 * which is the same where the period is an RTT.)
 */
export function floorRateBps(link: CreditLink, rttNs: number): number {
  return (link.bytesPerCredit * 8e9) / updatePeriodNs(link, rttNs);
}
