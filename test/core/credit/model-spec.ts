import type { CreditAlgorithm, CreditLink } from '../../../src/core/credit/algorithm.js';

/** Wire bytes of credits (uniform) and of full data frames. PROTOCOL §4.4 */
export const CREDIT_BYTES = { min: 84, max: 92, mean: 88 } as const;
const DATA_BYTES = 1538;

export function creditLink(maxRateBps: number): CreditLink {
  return { maxRateBps, bytesPerCredit: CREDIT_BYTES.mean + DATA_BYTES };
}

export interface FlowSpec {
  makeAlgorithm(link: CreditLink): CreditAlgorithm;
  /** Links that the flow's credits cross, each `hopNs` after the one before it; the first is the receiver's own. */
  path: readonly number[];
  hopNs: number;
  /** From the last queue to the sender and, as data, back to the receiver. */
  returnNs: number;
  startNs: number;
}

/** A link with a queue in front of it that is served at the link's rate. */
export interface LinkSpec {
  rateBps: number;
  /**
   * Credits that the queue holds; 8 by default, as before a meter. A path without meters queues data: to flows that is the same as a queue of as many
   * credits as frames fit, since each is released by a credit.
   */
  queueCredits?: number;
  /** It offers no explicit rate. */
  isSilent?: boolean;
  /** Probability that a credit is lost behind it, and the data that it released as well. */
  lossRate?: number;
}

export interface ModelSpec {
  links: readonly LinkSpec[];
  flows: readonly FlowSpec[];
  /** Of the inter-credit gap; 0.02 by default. */
  jitter?: number;
  /** Receivers notice the time and arrivals only once in this time, at a random moment of it; 0, at once, by default. */
  wakeNs?: number;
  /** What a late receiver delays: its credits on their way into the NIC, or only out of it, where the NIC is metered in virtual time (the default). */
  lateInto?: 'nic' | 'network';
  /** Width of the bins in which deliveries are counted, ns. */
  binNs: number;
  onUpdate?(flow: number, nowNs: number, algorithm: CreditAlgorithm): void;
}
