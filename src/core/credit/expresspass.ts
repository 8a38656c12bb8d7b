import type { CreditAlgorithmDefinition, CreditSample } from './algorithm.js';
import { Listing, sentBps } from './listing.js';
import { INITIAL_RATE, PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017) with its loss counted where it belongs: a loss is taken off the rate at which the very credits of the sample
 * were sent, `known / span`, instead of the rate in force, which was lowered for the same overload already. So the same overload seen twice gives the same
 * rate twice, and links stay full: 0.998 and more with 2 to 256 flows on one bottleneck. It is less fair than the rule of the authors' code, for a flow with
 * few credits a period reads its loss as 0 or 1. A decrease that never raised the rate would be fairer and lose 7 % of the link again with 16 and 32 flows.
 */
class ExpressPass extends Listing {
  readonly name = 'expresspass';

  protected lossyBps(sample: CreditSample): number {
    return sentBps(this.link, sample, this.rateBps);
  }
}

export const expresspass: CreditAlgorithmDefinition = {
  name: 'expresspass',
  summary: 'ExpressPass 2017 with its credit loss counted where it belongs',
  parameters: [INITIAL_RATE, W_INIT, W_MIN, W_MAX, TARGET_LOSS, PERIOD_CREDITS],
  create: (link, parameters) => new ExpressPass(link, parameters),
};
