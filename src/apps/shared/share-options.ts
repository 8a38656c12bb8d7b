// Tested by test/apps/shared/share-options.test.ts

import { choice, integer } from '../../base/value-kind.js';
import { CREDIT_CLASSES, type CreditClass, MAX_WEIGHT, type ShareOptions } from '../../core/flow-terms.js';
import { type OptionValues, optionalOption } from './options.js';

/** What the flows of `xpass send` and `xpass perf` ask of the network; their receivers may give less. */
export const SHARE_OPTIONS = {
  weight: optionalOption(integer({ lowest: 1, highest: MAX_WEIGHT }), {
    describe: 'share of a full link against that of a flow of weight 1, as far as the receiver allows; 1 without it',
  }),
  class: optionalOption(choice(CREDIT_CLASSES), {
    describe: 'class of the credits: switches serve low only with what high leaves, or by weight; high without it',
  }),
};

/** As `Endpoint.open` takes them: what is not given is left out. */
export function shareOf({ weight, class: creditClass }: OptionValues<typeof SHARE_OPTIONS>): ShareOptions {
  return {
    ...(weight !== undefined && { weight }),
    ...(creditClass !== undefined && { creditClass: creditClass as CreditClass }),
  };
}
