// Tested by test/core/credit/ec4.test.ts

import { parameter } from '../../base/setting.js';
import type {
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameter,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { sentBps } from './algorithm.js';
import { INITIAL_RATE, Listing, PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './expresspass.js';

const EC4_INITIAL_RATE: CreditParameter = {
  ...INITIAL_RATE,
  default: 1,
  source: 'EC4 §III.C: "initially injected at the maximum link capacity", so that other traffic is found soon',
};

const W_MID = parameter('w_mid', [0.05, 0.0001, 1], '', {
  meaning:
    'what w goes to in LOW mode while no credit is lost: how far the flow leans towards the link against reactive ones',
  source: 'EC4 §III.C and Figure 5 (0.04 to 0.06)',
});

const G = parameter('g', [1 / 16, 0.0001, 1], '', {
  meaning: 'weight of a new share of marked frames in alpha',
  source: 'EC4 §III.C, below 1.386 / sqrt(2 * (C * RTT + K))',
});

const TARGET_ECN_RATIO = parameter('target_ecn_ratio', [0, 0, 1], 'share of data frames', {
  meaning: 'share of marked frames up to which the rate grows; higher ones use more of the buffer',
  source: 'EC4 §III.C',
});

const MODE_THRESHOLD = parameter('mode_threshold', [3, 0, 1000], 'updates', {
  meaning: 'updates without marks beyond which the flow takes the network for its own kind (HIGH mode)',
  source: 'EC4 §III.C',
});

const LOW_TARGET_LOSS: CreditParameter = {
  ...TARGET_LOSS,
  name: 'low_target_loss',
  default: 0,
  meaning: 'credit loss up to which the flow leans towards the link in LOW mode; target_loss is that of HIGH mode',
  source: 'EC4 §III.C',
};

/**
 * What both readings of EC4's Algorithm 1 share: two modes, told apart by the marks of the data queue. In HIGH mode nobody else seems to be there and the
 * update of `expresspass` holds. One w serves both modes, as the listing has one.
 */
abstract class MarkedListing extends Listing {
  protected readonly g: number;
  protected readonly targetRatio: number;
  protected readonly modeThreshold: number;
  protected readonly wMid: number;
  protected alpha = 0;
  /** Updates without more marks than wanted since the last that had; MODE_FLAG of the listing. */
  protected mode = 0;

  constructor(link: CreditLink, parameters: CreditParameters) {
    super(link, parameters);
    this.g = parameters.g;
    this.targetRatio = parameters.target_ecn_ratio;
    this.modeThreshold = parameters.mode_threshold;
    this.wMid = parameters.w_mid;
  }

  /** LOW mode; `ratio`: share of the data frames that were marked. */
  protected abstract low(sample: CreditSample, ratio: number): void;

  override update(sample: CreditSample): void {
    if (sample.known === 0) return;
    const ratio = sample.dataFrames > 0 ? sample.marked / sample.dataFrames : 0;
    if (ratio <= this.targetRatio && this.mode > this.modeThreshold) this.high(sample);
    else this.low(sample, ratio);
  }

  override state(): Record<string, number> {
    return { ...super.state(), alpha: this.alpha, mode: this.mode };
  }

  protected high(sample: CreditSample): void {
    super.update(sample);
  }

  protected lossyBps(sample: CreditSample): number {
    return sentBps(this.link, sample, this.rateBps);
  }

  /** At least a credit an update period, at most the link's rate. */
  protected bound(sample: CreditSample): void {
    this.rateBps = Math.min(this.link.maxRateBps, Math.max(this.rateBps, this.lowestBps(sample)));
  }
}

/** Weight of the latest RTT, once an update: 1 lowers Jain's index from 0.999 to 0.95 where hosts are late. */
const LATEST_WEIGHT = 0.75;
/** Most credits of LOW mode, in delivered ones: 2 leaves 28 flows beside 4 of DCTCP 0.57 instead of 0.67; without a bound 256 flows queue 1 MB. */
const OVERLOAD = 4;
/** Frames a round trip below which a flow starts slowly, as TCP does: least ssthresh of RFC 5681 equation 4 */
const SLOW_START_FRAMES = 2;

/**
 * EC4 (Wei, Dong, Huang, Xiao: "ECN and Credit-Reservation Converged Congestion Control") with the pace of DCTCP. Algorithm 1 taken literally (`ec4-literal`)
 * gets 2 to 3 times what DCTCP does. Here its LOW mode moves as far in a round trip as DCTCP's window of cur_rate * RTT would. Once an RTT, of the
 * data frames of the period:
 *
 *     ratio = marked / data frames
 *     if no mark was ever seen, or ratio <= target_ecn_ratio and mode > mode_threshold:               HIGH mode: nobody else is there
 *         the update of ExpressPass
 *     else:                                                                                           LOW mode
 *         alpha = (1 - g) * alpha + g * ratio;  the first period of LOW mode: at least its ratio
 *         cur_rate = cur_rate * (RTT of the update before / RTT) ^ (RTT / period), the power at most 1
 *         cur_rate = min(cur_rate, 4 * (1 - loss) * the rate at which the credits of the sample were sent)
 *         w = (w + w_mid) / 2;  step = min(w * (max_rate - cur_rate), growth frames an RTT)
 *         below 2 frames an RTT:  cur_rate += 1 frame an RTT for each frame without a mark, up to 2
 *         if ratio <= target_ecn_ratio:   cur_rate = cur_rate + step;  mode += 1
 *         else:                           mode = 0;  unless the update before did it:
 *             cur_rate = (cur_rate + (1 - ratio) * step) * (1 - (target_ecn_ratio + alpha) / 2)
 *
 * Each departure, with what it does: docs/decisions/0015-ec4.md.
 *
 * Ours as well: a rate is at least a credit an update period and, in LOW mode, at most the link's.
 */
class Ec4 extends MarkedListing {
  readonly name = 'ec4';

  private readonly growthFrames: number;
  private readonly minFrames: number;
  private isReduced = false;
  /** The latest marks left it a frame an RTT at least: the ssthresh of a window below one is that window (slow-start.ts). */
  private startsSlowly = true;
  /** That of LOW mode, and what it was at the update before; 0 before the first. */
  private rttNs = 0;
  private lastRttNs = 0;

  constructor(link: CreditLink, parameters: CreditParameters) {
    super(link, parameters);
    // A flow that never saw a mark has the network for itself.
    this.mode = this.modeThreshold + 1;
    this.growthFrames = parameters.growth;
    this.minFrames = parameters.min_frames;
  }

  /** With gaps of several round trips a rise that waited for the end of one would come too late. */
  get hastens(): boolean {
    return this.minFrames < 1;
  }

  override update(sample: CreditSample): void {
    if (sample.known === 0) return;
    this.followRtt(sample);
    super.update(sample);
  }

  private followRtt({ rttNs, latestRttNs }: CreditSample): void {
    this.lastRttNs = this.rttNs;
    // Below a frame a round trip the estimator weighs samples by their distance already.
    if (this.hastens) this.rttNs = rttNs;
    else if (this.rttNs === 0) this.rttNs = latestRttNs;
    else this.rttNs += LATEST_WEIGHT * (latestRttNs - this.rttNs);
  }

  protected low(sample: CreditSample, ratio: number): void {
    this.heed(ratio);
    this.keepWindow(sample);
    const { frameBps } = this;
    if (this.hastens && this.rateBps < frameBps) this.lowBelowOne(sample, ratio, frameBps);
    else this.lowAboveOne(sample, ratio);
    this.bound(sample);
    if (ratio > this.targetRatio) this.startsSlowly = !this.hastens || this.rateBps >= frameBps;
  }

  /** A frame a round trip; the link's rate before a round trip is known, where a peer echoes credits that it never got. */
  private get frameBps(): number {
    if (this.rttNs === 0) return this.link.maxRateBps;
    return (this.link.bytesPerCredit * 8e9) / this.rttNs;
  }

  private keepWindow({ elapsedNs }: CreditSample): void {
    if (this.lastRttNs > 0) this.rateBps *= (this.lastRttNs / this.rttNs) ** Math.min(1, this.rttNs / elapsedNs);
  }

  /** As a window of DCTCP below one frame: a frame more for each without a mark, and alpha / 2 less for one with. */
  private lowBelowOne({ known, dropped, dataFrames, marked }: CreditSample, ratio: number, frameBps: number): void {
    this.rateBps = this.rateBps * (1 - dropped / known) + (dataFrames - marked) * frameBps;
    this.isReduced = false;
    if (ratio > this.targetRatio) {
      this.mode = 0;
      this.rateBps *= 1 - (this.targetRatio + this.alpha) / 2;
    } else if (dataFrames > 0) this.mode++;
  }

  private lowAboveOne(sample: CreditSample, ratio: number): void {
    const loss = sample.dropped / sample.known;
    const stepBps = this.hastens && loss > 0 ? this.lose(loss) : this.step(sample);
    if (ratio > this.targetRatio) this.onMarks(ratio, stepBps);
    else this.onQuiet(sample, stepBps);
  }

  /** Many flows below a frame a round trip: the marks of each are too rare to slow it down by themselves. */
  private lose(loss: number): number {
    this.rateBps *= 1 - loss;
    this.w = Math.max(this.w / 2, this.wMin);
    return 0;
  }

  protected override lowestBps(sample: CreditSample): number {
    return this.minFrames * super.lowestBps(sample);
  }

  private heed(ratio: number): void {
    // The first value of an average is that value: with the listing's 0 it would take 1 / g round trips to give way.
    if (this.mode > this.modeThreshold) this.alpha = Math.max(this.alpha, ratio);
    this.alpha += this.g * (ratio - this.alpha);
  }

  /** How much faster the flow becomes without marks, bit/s; below two frames a round trip it does so at once. */
  private step(sample: CreditSample): number {
    const { elapsedNs, known, dropped, dataFrames, marked } = sample;
    const arrivedBps = (1 - dropped / known) * this.lossyBps(sample);
    if (dropped > 0) this.rateBps = Math.min(this.rateBps, OVERLOAD * arrivedBps);
    this.w = (this.w + this.wMid) / 2;
    const { frameBps } = this;
    const growthBps = (this.growthFrames * frameBps * elapsedNs) / this.rttNs;
    const stepBps = Math.min(this.w * Math.max(0, this.link.maxRateBps - this.rateBps), growthBps);
    const slowBps = SLOW_START_FRAMES * frameBps;
    if (this.startsSlowly && this.rateBps < slowBps)
      this.rateBps = Math.min(slowBps, this.rateBps + (dataFrames - marked) * frameBps);
    return stepBps;
  }

  private onMarks(ratio: number, stepBps: number): void {
    this.mode = 0;
    if (!this.isReduced) {
      this.rateBps += (1 - ratio) * stepBps;
      this.rateBps *= 1 - (this.targetRatio + this.alpha) / 2;
    }
    this.isReduced = !this.isReduced;
  }

  private onQuiet({ dataFrames }: CreditSample, stepBps: number): void {
    this.rateBps += stepBps;
    // No data is no sign that nobody marks it: all credits were lost.
    if (dataFrames > 0) this.mode++;
    this.isReduced = false;
  }
}

export const ec4: CreditAlgorithmDefinition = {
  name: 'ec4',
  summary: 'EC4: shares a queue with traffic that reacts to ECN marks, such as DCTCP',
  parameters: [
    EC4_INITIAL_RATE,
    W_INIT,
    W_MIN,
    W_MID,
    W_MAX,
    G,
    TARGET_ECN_RATIO,
    {
      ...MODE_THRESHOLD,
      default: 50,
      source: 'ours, docs/decisions/0015-ec4.md (EC4 §III.C: 3, which the time between two marks of DCTCP exceeds)',
    },
    parameter('growth', [1, 0.01, 1000], 'frames an RTT', {
      meaning: 'how much the rate rises in an RTT of LOW mode at most',
      source: 'RFC 8257 section 3.5, that of DCTCP; the listing has no bound',
    }),
    parameter('min_frames', [1, 0.01, 1], 'credits an update period', {
      meaning: 'lowest rate; below 1 beside DCTCP whose min_window is below 1 too, and starves beside any other',
      source: 'ours, docs/decisions/0015-ec4.md (the authors of ExpressPass: 1)',
    }),
    TARGET_LOSS,
    PERIOD_CREDITS,
  ],
  create: (link, parameters) => new Ec4(link, parameters),
};

/**
 * Algorithm 1 of EC4 (Wei, Dong, Huang, Xiao: "ECN and Credit-Reservation Converged Congestion Control"), which shares a data queue with traffic that
 * reacts to its ECN marks, taken literally, for comparison: it takes 2 to 3 times what DCTCP gets (docs/decisions/0015-ec4.md). Once an RTT, of the
 * data frames of the period:
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
 * both modes, as the listing has one; HIGH mode is `expresspass`, which counts a loss where it belongs. Ours: a rate is at least a credit an update
 * period and at most the link's, and a period holds 32 credits at the link's rate (period_credits): 41.6 us at 10 Gbit/s, where the RTT is shorter.
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
    parameter('high_goes_on', [0, 0, 1], '0 or 1', {
      meaning: 'HIGH mode goes on with the second half of the listing instead of ending with the update of ExpressPass',
      source: 'ours, docs/decisions/0015-ec4.md: the listing can be read both ways',
    }),
    PERIOD_CREDITS,
  ],
  create: (link, parameters) => new Ec4Literal(link, parameters),
};
