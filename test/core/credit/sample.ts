import type { CreditLink, CreditSample } from '../../../src/core/credit/algorithm.js';

/** Round numbers: 1 Gbit/s and 8,000 bits a credit, so one credit takes 8 us at the full rate. */
export const ROUND_LINK: CreditLink = { maxRateBps: 1e9, bytesPerCredit: 1000 };

/** A sample of 10 credits without loss, sent at half of ROUND_LINK, at an RTT of 1 ms, unless told otherwise. */
export function creditSample(changes: Partial<CreditSample> = {}): CreditSample {
  const { known = 10, dropped = 0, unused = 0, rttNs = 1e6 } = changes;
  return {
    nowNs: 0,
    elapsedNs: 1e6,
    heldBack: false,
    rttNs,
    minRttNs: rttNs,
    rttVariationNs: 0,
    latestRttNs: rttNs,
    spanNs: known * 16_000,
    known,
    used: known - dropped - unused,
    unused,
    dropped,
    takenBack: 0,
    dataFrames: known - dropped - unused,
    marked: 0,
    creditMarked: 0,
    explicitBps: 0,
    hop: 15,
    rateBps: 0,
    ...changes,
  };
}
