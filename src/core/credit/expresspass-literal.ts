import type { CreditAlgorithmDefinition } from './algorithm.js';
import { Listing } from './listing.js';
import { INITIAL_RATE, PERIOD_EVERY_RTT, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017) taken literally, for comparison: a loss is taken off the rate in force. That rate was lowered for the same
 * overload one RTT before, for the credits whose loss becomes known now were sent before that. So one overload is paid for twice, and the link runs
 * empty (docs/decisions/0003-credit-feedback.md); `expresspass` has that mended and nothing else.
 */
class ExpressPassLiteral extends Listing {
  readonly name = 'expresspass-literal';

  protected lossyBps(): number {
    return this.rateBps;
  }
}

export const expresspassLiteral: CreditAlgorithmDefinition = {
  name: 'expresspass-literal',
  summary: 'Algorithm 1 of ExpressPass 2017 taken literally, for comparison',
  parameters: [INITIAL_RATE, W_INIT, W_MIN, W_MAX, TARGET_LOSS, PERIOD_EVERY_RTT],
  create: (link, parameters) => new ExpressPassLiteral(link, parameters),
};
