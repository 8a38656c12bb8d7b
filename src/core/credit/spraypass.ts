import type {
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameter,
  CreditParameters,
  CreditSample,
  CreditSpray,
} from './algorithm.js';
import { Listing } from './listing.js';
import { INITIAL_RATE, PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';
import { RANDOM_SPRAY_PARAMETERS, SPRAY_PARAMETERS, sprayOf } from './spray-parameters.js';

/** Wire rate of the credits in a sample, credits and their data together: what a loss is taken off, for the reason that expresspass.ts gives. */
function sentBps({ known, spanNs }: CreditSample, { bytesPerCredit }: CreditLink): number {
  return (known * bytesPerCredit * 8e9) / spanNs;
}

/** SprayPass-1 of Table II: credits are sprayed, and their loss is read from gaps in their sequence, which disorder looks like too. */
class SequenceBased extends Listing {
  readonly name = 'spraypass-1';
  readonly spray: CreditSpray;
  private readonly lateIsLost: boolean;

  constructor(link: CreditLink, parameters: CreditParameters) {
    super(link, parameters);
    this.lateIsLost = parameters.late_lost >= 0.5;
    this.spray = sprayOf(link, parameters);
  }

  protected override lossOf(sample: CreditSample): number {
    if (!this.lateIsLost || sample.known === 0) return super.lossOf(sample);
    return Math.min(1, (sample.dropped + sample.takenBack) / sample.known);
  }

  protected lossyBps(sample: CreditSample): number {
    return sample.spanNs > 0 ? sentBps(sample, this.link) : this.rateBps;
  }
}

/**
 * Algorithm 1 of SprayPass: the update of ExpressPass 2017 by the share of marked data instead of the loss of credits, so that no order matters. Each port marks
 * credits as often as it drops them. What follows a period in which no data came is left as it was: nothing was seen.
 */
class SequenceFree extends Listing {
  readonly name: string;
  readonly spray: CreditSpray;
  private readonly isFromSent: boolean;

  constructor(name: string, link: CreditLink, parameters: CreditParameters) {
    super(link, { ...parameters, target_loss: parameters.aim_ratio });
    this.name = name;
    this.isFromSent = parameters.sent_rate >= 0.5;
    this.spray = sprayOf(link, parameters);
  }

  protected override lossOf({ dataFrames, creditMarked }: CreditSample): number {
    return dataFrames === 0 ? -1 : creditMarked / dataFrames;
  }

  protected lossyBps(sample: CreditSample): number {
    return this.isFromSent && sample.spanNs > 0 ? sentBps(sample, this.link) : this.rateBps;
  }
}

const AIM_RATIO = {
  ...TARGET_LOSS,
  name: 'aim_ratio',
  unit: 'share of data',
  meaning: 'share of data with a marked credit that a flow aims at',
  source: "SprayPass Algorithm 1, which gives no number: ExpressPass 2017 §3.3 (its authors' code: 0.125)",
};

const SENT_RATE: CreditParameter = {
  name: 'sent_rate',
  default: 1,
  min: 0,
  max: 1,
  unit: '0 or 1',
  meaning:
    'take a decrease off the rate at which the credits of the period were sent (1) or, as the listing has it, off the rate in force (0)',
  source:
    'ours: 0 is fairer (Jain 0.99 instead of 0.95 over 1 ms) and loses 9 % of full links; xpass figures spraypass convergence',
};

const LATE_LOST: CreditParameter = {
  name: 'late_lost',
  default: 0,
  min: 0,
  max: 1,
  unit: '0 or 1',
  meaning:
    'a credit that was overtaken counts as lost (1), as in the paper, or as used once its data is there after all (0), as in our other algorithms',
  source: 'ours: 1 loses a seventh of four paths; xpass figures spraypass disorder',
};

const W_SMALL = { ...W_INIT, default: 1 / 16, source: 'SprayPass Algorithm 1: the initial rate over the maximum' };
const MARKED = [AIM_RATIO, SENT_RATE];
const RATES = [INITIAL_RATE, W_SMALL, W_MIN, W_MAX, PERIOD_CREDITS];

export const spraypass1: CreditAlgorithmDefinition = {
  name: 'spraypass-1',
  summary: 'credits sprayed over equal paths at random, ExpressPass feedback by credit sequence',
  parameters: [...RATES, TARGET_LOSS, LATE_LOST, ...RANDOM_SPRAY_PARAMETERS],
  create: (link, parameters) => new SequenceBased(link, parameters),
};

export const spraypass2: CreditAlgorithmDefinition = {
  name: 'spraypass-2',
  summary: 'credits sprayed over equal paths at random, feedback by marks instead of sequence',
  parameters: [...RATES, ...MARKED, ...RANDOM_SPRAY_PARAMETERS],
  create: (link, parameters) => new SequenceFree('spraypass-2', link, parameters),
};

export const spraypass: CreditAlgorithmDefinition = {
  name: 'spraypass',
  summary: 'credits sprayed evenly over equal paths, feedback by marks, slow paths left out and probed',
  parameters: [...RATES, ...MARKED, ...SPRAY_PARAMETERS],
  create: (link, parameters) => new SequenceFree('spraypass', link, parameters),
};
