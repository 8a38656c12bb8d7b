import type { CreditLink } from './algorithm.js';

/** Time from one credit of a flow to the next at a rate, ns. PROTOCOL §4.4 */
export function creditGapNs(link: CreditLink, rateBps: number): number {
  return (link.bytesPerCredit * 8e9) / rateBps;
}

/** Every smoothed RTT, but no sooner than `periodCredits` fit on the link (the parameter `period_credits` says why), ns. PROTOCOL §4.7 */
export function updatePeriodNs(link: CreditLink, rttNs: number, periodCredits: number): number {
  return Math.max(rttNs, periodCredits * creditGapNs(link, link.maxRateBps));
}

/**
 * The lowest rate of a flow, bit/s: one credit in every `periodNs`, since a flow that hears of no credit learns nothing. (The authors' code has one an
 * RTT, which is the same where the update period is an RTT.)
 */
export function floorRateBps(link: CreditLink, periodNs: number): number {
  return (link.bytesPerCredit * 8e9) / periodNs;
}
