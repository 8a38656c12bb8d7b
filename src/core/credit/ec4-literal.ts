import type {
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameter,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { EC4_INITIAL_RATE, G, LOW_TARGET_LOSS, MODE_THRESHOLD, TARGET_ECN_RATIO, W_MID } from './ec4-parameters.js';
import { MarkedListing } from './marked-listing.js';
import { PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';

/**
 * Algorithm 1 of EC4 (Wei, Dong, Huang, Xiao: "ECN and Credit-Reservation Converged Congestion Control"), which shares a data queue with traffic that
 * reacts to its ECN marks, taken literally, for comparison: it takes 2 to 3 times what DCTCP gets (docs/decisions/0015-ec4.md). Once an RTT, of the data frames of the period:
 *
 *     ratio = marked / data frames
 *     if ratio <= target_ecn_ratio and mode > mode_threshold:                                          HIGH mode: nobody else is there
 *         the update of ExpressPass
 *     else:                                                                                             LOW mode
 *         alpha = (1 - g) * alpha + g * ratio
 *         if ratio <= target_ecn_ratio:  tmp = cur_rate * (1 + (target_ecn_ratio + alpha) / 2);  mode += 1
 *         else:                          tmp = cur_rate * (1 - (target_ecn_ratio + alpha) / 2);  mode = 0
 *         if loss <= low_target_loss:    w = (w + w_mid) / 2;  cur_rate = (1 - w) * tmp + w * max_rate
 *         else:                          cur_rate = tmp * (1 - loss);  w = max(w / 2, w_min)
 *
 * Whether the last lines are skipped in HIGH mode cannot be read off the listing: `high_goes_on` chooses. One w serves
 * both modes, as the listing has one; HIGH mode is `expresspass`, which counts a loss where it belongs. Ours: a rate is at least a credit an update period and at most the link's.
 */
class Ec4Literal extends MarkedListing {
  readonly name = 'ec4-literal';

  private readonly goesOn: boolean;
  private readonly lowTargetLoss: number;

  constructor(link: CreditLink, parameters: CreditParameters) {
    super(link, parameters);
    this.goesOn = parameters.high_goes_on !== 0;
    this.lowTargetLoss = parameters.low_target_loss;
  }

  protected override high(sample: CreditSample): void {
    super.high(sample);
    if (this.goesOn) this.settle(sample, this.rateBps);
  }

  protected low(sample: CreditSample, ratio: number): void {
    this.alpha += this.g * (ratio - this.alpha);
    const change = (this.targetRatio + this.alpha) / 2;
    const isIncreasing = ratio <= this.targetRatio;
    if (!isIncreasing) this.mode = 0;
    // No data is no sign that nobody marks it: all credits were lost.
    else if (sample.dataFrames > 0) this.mode++;
    this.settle(sample, this.rateBps * (isIncreasing ? 1 + change : 1 - change));
  }

  /** The second half of the listing: what the credits say. */
  private settle(sample: CreditSample, tmpBps: number): void {
    const loss = sample.dropped / sample.known;
    if (loss <= this.lowTargetLoss) {
      this.w = (this.w + this.wMid) / 2;
      this.rateBps = (1 - this.w) * tmpBps + this.w * this.link.maxRateBps;
    } else {
      this.rateBps = tmpBps * (1 - loss);
      this.w = Math.max(this.w / 2, this.wMin);
    }
    this.bound(sample);
  }
}

const HIGH_GOES_ON: CreditParameter = {
  name: 'high_goes_on',
  default: 0,
  min: 0,
  max: 1,
  unit: '0 or 1',
  meaning: 'HIGH mode goes on with the second half of the listing instead of ending with the update of ExpressPass',
  source: 'ours, docs/decisions/0015-ec4.md: the listing can be read both ways',
};

export const ec4Literal: CreditAlgorithmDefinition = {
  name: 'ec4-literal',
  summary: 'Algorithm 1 of EC4 taken literally, for comparison',
  parameters: [
    EC4_INITIAL_RATE,
    W_INIT,
    W_MIN,
    W_MID,
    W_MAX,
    G,
    TARGET_ECN_RATIO,
    MODE_THRESHOLD,
    LOW_TARGET_LOSS,
    TARGET_LOSS,
    HIGH_GOES_ON,
    PERIOD_CREDITS,
  ],
  create: (link, parameters) => new Ec4Literal(link, parameters),
};
