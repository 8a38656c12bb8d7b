import type {
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameter,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { EC4_INITIAL_RATE, G, MODE_THRESHOLD, TARGET_ECN_RATIO, W_MID } from './ec4-parameters.js';
import { MarkedListing } from './marked-listing.js';
import { PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './paper-parameters.js';

/** Weight of the latest RTT, once an update: 1 is as fair, but Jain's index is 0.95 instead of 0.999 where hosts are late (ours). */
const LATEST_WEIGHT = 0.75;
/**
 * In LOW mode a flow sends at most this many times the credits that came through (ours). 2 leaves 0.57 instead of 0.67 to 28 flows beside 4 of DCTCP; without a
 * bound 256 flows queue 1 MB.
 */
const OVERLOAD = 4;
/** Below so many frames a round trip a flow starts slowly, as one of TCP does: its ssthresh is never less. RFC 5681 equation 4 */
const SLOW_START_FRAMES = 2;

/**
 * EC4 (Wei, Dong, Huang, Xiao: "ECN and Credit-Reservation Converged Congestion Control") with the pace of DCTCP. Algorithm 1 taken literally (`ec4-literal`)
 * gets 2 to 3 times what DCTCP does. Here its LOW mode moves as far in a round trip as DCTCP's window of cur_rate * RTT would. Once an RTT, of the data frames of the period:
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
 *         else:                           mode = 0;  unless the update before did it:  cur_rate = (cur_rate + (1 - ratio) * step) * (1 - (target_ecn_ratio + alpha) / 2)
 *
 * Each departure, with what it does: docs/decisions/0015-ec4.md. In short:
 *
 * - The listing's growth by alpha / 2 is gone, and its step towards the link bounded: DCTCP adds a frame an RTT, and none when its window has just been cut.
 * - A mark that arrives in the period after a decrease is that of a frame whose credit was sent before it: DCTCP does not cut twice in a round trip either.
 * - A window sends less when the queue makes the round trip longer. A rate that did not would gain from each queue that it builds. Where a period lasts several round trips, as with large
 *   frames on a slow link, it does so in part, or the rate would swing with the queue from one period to the next.
 * - The RTT of LOW mode is nearly the latest. DCTCP's acknowledgements follow the queue at once; by a smoothed RTT a flow would grow too slowly while the queue
 *   is short.
 * - In LOW mode the marks say how full the link is: a lost credit tells of the same overload. What came through bounds the rate, for the first round trips of
 *   many flows.
 * - Between two marks DCTCP leaves many round trips without any, which are no empty network: mode_threshold is higher than the paper's 3.
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

  /** A frame a round trip. */
  private get frameBps(): number {
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

const QUIET_UPDATES: CreditParameter = {
  ...MODE_THRESHOLD,
  default: 50,
  source: 'ours, docs/decisions/0015-ec4.md (EC4 §III.C: 3, which the time between two marks of DCTCP exceeds)',
};

const GROWTH: CreditParameter = {
  name: 'growth',
  default: 1,
  min: 0.01,
  max: 1000,
  unit: 'frames an RTT',
  meaning: 'how much the rate rises in an RTT of LOW mode at most',
  source: 'RFC 8257 section 3.5, that of DCTCP; the listing has no bound',
};

const MIN_FRAMES: CreditParameter = {
  name: 'min_frames',
  default: 1,
  min: 0.01,
  max: 1,
  unit: 'credits an update period',
  meaning: 'lowest rate; below 1 beside DCTCP whose min_window is below 1 too, and starves beside any other',
  source: 'ours, docs/decisions/0015-ec4.md (the authors of ExpressPass: 1)',
};

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
    QUIET_UPDATES,
    GROWTH,
    MIN_FRAMES,
    TARGET_LOSS,
    PERIOD_CREDITS,
  ],
  create: (link, parameters) => new Ec4(link, parameters),
};
