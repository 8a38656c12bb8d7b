import type {
  CreditAlgorithm,
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { floorRateBps, updatePeriodNs } from './period.js';
import { STEADY_PARAMETERS } from './steady-parameters.js';

/** Of the credits sent: a flow that gets less of them through remembers its share no longer than one that gets this part through. Ours: bounds the memory. */
const LEAST_REMEMBERED_PART = 0.05;

/**
 * Our rate law, with the aggressiveness w of ExpressPass (SIGCOMM 2017), which says how far the rate leans towards the maximum at each update. A flow is
 * settled when its w is w_min. Twice an RTT:
 *
 *     sent     = known / span                                     the rate at which the credits of the sample were sent; held back, at least rate
 *     memory'  = settled ? memory / (1 - loss) : memory           with the loss of the update before
 *     expected = 1 - share / sent                                 their loss, if the flow's share of the path is what it was
 *     loss     = (dropped + memory' * expected) / (known + memory')
 *     share    = sent * (1 - loss)                                and recent likewise, with recent_memory for memory'
 *     fallen   = min(w_decrease * w, w - w_fall)
 *     if the last quiet_credits credits were all delivered, or no credit was ever lost:                                        climbing
 *         below climb_end * max:  w = min(w + w_step, w_max), once an RTT;  else w = max(fallen, w_min)
 *         rate = (1 - w) * rate + w * max
 *     else:                                                                                                                    sharing
 *         w = max(min(fallen, 1 - loss), w_min)
 *         rate = (1 - w) * min(rate, share * (1 + target_loss)) + w * max
 *         if settled:  rate += make_up * loss^2 * (share - recent)
 *     rate = at least one credit an update period, at most ceiling * max
 *
 * Why each is there, with what it does and what the alternatives did: docs/decisions/0008-steady.md. In short:
 *
 * - Flows are in balance where they lose what their leaning is too much: 1 / (1 - loss) = 1 - w + n * w for n flows. So no target loss is needed
 *   (it is 0, and there for paths that lose frames by themselves); w_min alone says how many credits are spent on fairness, and a flow that crosses
 *   several links is not pushed out by the tolerance of others.
 * - The share is remembered over `memory` credits, for a flow with one or two credits a period reads its loss as 0 or 1. What is remembered is the share and not
 *   the loss: a rate that has been lowered for a loss is not lowered for it again. Of a flow that loses most of them, 20 credits say little, so a settled flow counts
 *   those that were delivered.
 * - Only a climbing flow gains w, and it gives it up at the top. A flow that was alone then meets one that joins with little w, and yields to it.
 * - w falls by a part and at least by a step: slowly at first, since a flow that joins one other needs it for five RTTs; and soon to its end, since one that joins many
 *   is past its share after the first pushes and gives the rest back only once w is low.
 * - Who loses most of his credits does not lean far: w is at most the part that is delivered. A thousand flows that start together so stop flooding the path
 *   at their first echo, and one whose first credits are all lost does not push the others away.
 * - Which credits are dropped is chance, and with hundreds of flows most are. A settled flow that was lucky of late asks for less and one that was not for more. The
 *   square of the loss keeps that away from few flows, where a difference between share and recent is news and not luck.
 * - A flow that a window or the host's budget holds back does not take its slowness for its share: one lost credit would leave it behind those that lost none.
 * - A ceiling just under the link's rate leaves the jitter of the credits to them, which the meter of a NIC that is busy all the time takes out.
 */
class Steady implements CreditAlgorithm {
  readonly name = 'steady';
  rateBps: number;

  private readonly link: CreditLink;
  private readonly parameters: CreditParameters;
  private w: number;
  /** What the path gives the flow, by the credits that it delivered, bit/s; 0 before the first sample. */
  private shareBps = 0;
  /** The same over fewer credits. */
  private recentBps = 0;
  /** Of the credits of the last sample, remembered like the share. */
  private deliveredPart = 1;
  /** Credits delivered since the last one that was lost. */
  private quietCredits = Number.POSITIVE_INFINITY;
  /** When w last rose or a credit was last lost. */
  private steppedNs = Number.NEGATIVE_INFINITY;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.parameters = parameters;
    this.w = Math.min(parameters.w_init, parameters.w_max);
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, this.parameters.period_rtts * rttNs, this.parameters.period_credits);
  }

  update(sample: CreditSample): void {
    if (sample.known === 0) return;
    this.learn(sample);
    if (this.quietCredits >= this.parameters.quiet_credits) this.climb(sample);
    else this.yield(sample);
    const lowestBps = floorRateBps(this.link, Math.max(sample.rttNs, this.updatePeriodNs(sample.rttNs)));
    const highestBps = this.parameters.ceiling * this.link.maxRateBps;
    this.rateBps = Math.min(highestBps, Math.max(this.rateBps, lowestBps));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, w: this.w, share: this.shareBps, quiet: this.quietCredits };
  }

  private learn(sample: CreditSample): void {
    const { memory, recent_memory: recentMemory } = this.parameters;
    const sentBps = this.sentBps(sample);
    const counted = this.isSettled ? memory / Math.max(this.deliveredPart, LEAST_REMEMBERED_PART) : memory;
    this.shareBps = remembered(this.shareBps, counted, sentBps, sample);
    this.recentBps = remembered(this.recentBps, recentMemory, sentBps, sample);
    this.deliveredPart = this.shareBps / sentBps;
    this.quietCredits = sample.dropped > 0 ? 0 : this.quietCredits + sample.known;
  }

  private get isSettled(): boolean {
    return this.w <= this.parameters.w_min;
  }

  /** The rate at which the credits of the sample were sent, or would have been but for a window; the rate in force where it is not known. */
  private sentBps({ known, spanNs, heldBack }: CreditSample): number {
    const sentBps = spanNs > 0 ? (known * this.link.bytesPerCredit * 8e9) / spanNs : this.rateBps;
    return heldBack ? Math.max(sentBps, this.rateBps) : sentBps;
  }

  private climb({ nowNs, rttNs }: CreditSample): void {
    const { climb_end: end, w_step: step, w_max: wMax } = this.parameters;
    const { maxRateBps } = this.link;
    if (this.rateBps >= end * maxRateBps) this.calm();
    else {
      // What the last step did is not known before an RTT is over.
      if (nowNs - this.steppedNs < rttNs) return;
      this.w = Math.min(this.w + step, wMax);
      this.steppedNs = nowNs;
    }
    this.rateBps += this.w * (maxRateBps - this.rateBps);
  }

  private yield({ nowNs }: CreditSample): void {
    this.calm();
    this.w = Math.max(Math.min(this.w, this.deliveredPart), this.parameters.w_min);
    this.steppedNs = nowNs;
    const { lean_bps: leanBps, target_loss: targetLoss } = this.parameters;
    const { maxRateBps } = this.link;
    const towardsBps = leanBps === 0 ? maxRateBps : Math.min(leanBps, maxRateBps);
    const baseBps = Math.min(this.rateBps, this.shareBps * (1 + targetLoss));
    this.rateBps = baseBps + this.w * Math.max(0, towardsBps - baseBps);
    if (this.isSettled) this.makeUp();
  }

  private makeUp(): void {
    const loss = 1 - this.deliveredPart;
    this.rateBps += this.parameters.make_up * loss * loss * (this.shareBps - this.recentBps);
  }

  private calm(): void {
    const { w_decrease: decrease, w_fall: fall, w_min: wMin } = this.parameters;
    this.w = Math.max(Math.min(this.w * decrease, this.w - fall), wMin);
  }
}

/** What the path gives a flow, bit/s, as a sample of its credits changes what `memory` credits had said; 0 is that nothing was remembered. */
function remembered(shareBps: number, memory: number, sentBps: number, { known, dropped }: CreditSample): number {
  if (shareBps === 0) return (sentBps * (known - dropped)) / known;
  const expectedLoss = Math.max(0, 1 - shareBps / sentBps);
  return sentBps * (1 - (dropped + memory * expectedLoss) / (known + memory));
}

export const steady: CreditAlgorithmDefinition = {
  name: 'steady',
  summary: 'our own law: full links, fair within milliseconds, few credits wasted (default)',
  parameters: STEADY_PARAMETERS,
  create: (link, parameters) => new Steady(link, parameters),
};
