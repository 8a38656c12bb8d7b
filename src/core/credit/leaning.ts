import type { NumberRecord } from '../../base/record-arena.js';
import type {
  CreditAlgorithm,
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { LeaningMemory } from './leaning-memory.js';
import { LEANING_PARAMETERS } from './leaning-parameters.js';
import { floorRateBps, updatePeriodNs } from './period.js';

/** Of the credits sent: a flow that gets less of them through remembers its share no longer than one that gets this part through. Ours: bounds the memory. */
const LEAST_REMEMBERED_PART = 0.05;

/**
 * Delivered credits that a flow's long share is taken to rest on at first, at `thin_share`: the few that a flow gets after many have started together say little.
 * Ours; with 10 the w of 256 flows differ more, with 40 a thousand flows send more credits in their first 5 ms.
 */
const FIRST_CREDITS = 20;

/** Delivered credits that the share of a thin flow weighs when it settles, since what it saw before was a flood. Ours; of 3 and 20 the Jain over 10 ms of 256 flows is lower. */
const FLOOD_CREDITS = 6;

/** A thin flow remembers its share over so many times the credits of others: it leans less and so believes its share more. Ours; of 2 it is less fair with 256 flows. */
const THIN_MEMORY = 3;

/** And it makes up for so much less of its luck than others do, since its own lean is less. Ours: with thin_share 1/64 all of it took 0.003 to 0.005 of the Jain over 10 ms of 64 and 256 flows. */
const THIN_MAKE_UP = 2 / 3;

/** w_min shrinks to this part at the least, which would take 16,384 flows of one link: one that is heard of again after an outage has to find its share. Ours. */
const LEAST_LEANING = 1 / 8;

/** Update periods in which a thin flow sends at least one credit: one in each would be 13 links' worth with a thousand flows at 10 Gbit/s and 100 us. Ours. */
const FLOOR_PERIODS = 4;

/** Of `unheard_credits`: the rate of a flow that has heard nothing halves with each such part more. Ours; an eighth is some thousand credits more of a thousand flows. */
const HALVING_PART = 1 / 10;

/** Of w_min, as a part of the maximum rate: such a flow goes no slower. Ours; once or more it would still be the flood's tail, and less has it wait for its first credit. */
const UNHEARD_LEANING = 1 / 2;

/**
 * Our rate law, with the aggressiveness w of ExpressPass (SIGCOMM 2017), which says how far the rate leans towards the maximum at each update. A flow is
 * settled when its w is at its lowest, and thin when that is below w_min. Twice an RTT:
 *
 *     sent     = known / span                                     the rate at which the credits of the sample were sent; held back, at least rate
 *     memory'  = settled ? memory / (1 - loss) : memory           with the loss of the update before; of a thin flow thrice that, and no more than it has seen
 *     expected = 1 - share / sent                                 their loss, if the flow's share of the path is what it was
 *     loss     = (dropped + memory' * expected) / (known + memory')
 *     share    = sent * (1 - loss)                                and recent likewise, with recent_memory for memory'
 *     long     = delivered / time, in links                       over long_memory delivered credits while settled
 *     lowest   = w_min * min(1, sqrt(long / thin_share))
 *     fallen   = min(w_decrease * w, w - w_fall)
 *     if the last quiet_credits credits were all delivered, or no credit was ever lost:                                        climbing
 *         below climb_end * max:  w = min(w + w_step, w_max), once an RTT;  else w = max(fallen, lowest)
 *         rate = (1 - w) * rate + w * max
 *     else:                                                                                                                    sharing
 *         w = max(min(fallen, 1 - loss), lowest)
 *         rate = (1 - w) * min(rate, share * (1 + target_loss)) + w * max
 *         if settled:  rate += make_up * loss^2 * (share - recent)      of a thin flow two thirds of that
 *     rate = at least one credit an update period, of a thin flow one in four, at most ceiling * max
 *
 * Before the first echo: initial_rate, which halves with every tenth that goes out beyond unheard_credits (half as many to a rate of 1/2), down to w_min / 2 * max.
 *
 * Why each is there, with what it does and what the alternatives did: docs/decisions/0008-leaning.md. In short:
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
 * - Most of those thousand wait for that echo for tens of RTTs. Who has sent many credits and heard of none goes on like a flow that has nothing.
 * - With n flows the leaning is n * w links too much, and each link of that is a link's worth of credits dropped. So w_min shrinks with the share of a thin flow, by the
 *   root: whoever has less than another still leans further for its size, and that makes them equal. The loss would say the same with all its noise in w.
 * - Which credits are dropped is chance, and with hundreds of flows most are. A settled flow that was lucky of late asks for less and one that was not for more. The
 *   square of the loss keeps that away from few flows, where a difference between share and recent is news and not luck.
 * - A flow that a window or the host's budget holds back does not take its slowness for its share: one lost credit would leave it behind those that lost none.
 * - A ceiling just under the link's rate leaves the jitter of the credits to them, which the meter of a NIC that is busy all the time takes out.
 */
class Leaning extends LeaningMemory implements CreditAlgorithm {
  private readonly link: CreditLink;
  private readonly parameters: CreditParameters;

  constructor(link: CreditLink, parameters: CreditParameters, record: NumberRecord) {
    super(record);
    this.link = link;
    this.parameters = parameters;
    this.w = Math.min(parameters.w_init, parameters.w_max);
    this.rateBps = parameters.initial_rate * link.maxRateBps;
    this.lowestW = parameters.w_min;
    this.deliveredPart = 1;
    this.longCredits = FIRST_CREDITS;
    this.longLinkCredits = FIRST_CREDITS / parameters.thin_share;
    this.quietCredits = Number.POSITIVE_INFINITY;
    this.steppedNs = Number.NEGATIVE_INFINITY;
  }

  get name(): string {
    return leaning.name;
  }

  unheardRateBps(sent: number): number {
    const { unheard_credits: unheard, initial_rate: initialRate, w_min: wMin } = this.parameters;
    // As long a time at every rate from a half on; at a lower one as many credits, for few say nothing.
    const patience = unheard * Math.max(0.5, initialRate);
    if (sent <= patience) return this.rateBps;
    const halvings = Math.ceil((sent - patience) / (patience * HALVING_PART));
    return Math.min(
      this.rateBps,
      Math.max(this.rateBps / 2 ** halvings, UNHEARD_LEANING * wMin * this.link.maxRateBps),
    );
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, this.parameters.period_rtts * rttNs, this.parameters.period_credits);
  }

  update(sample: CreditSample): void {
    if (sample.known === 0) return;
    this.learn(sample);
    if (this.quietCredits >= this.parameters.quiet_credits) this.climb(sample);
    else this.yield(sample);
    const periodNs = Math.max(sample.rttNs, this.updatePeriodNs(sample.rttNs));
    const lowestBps = floorRateBps(this.link, this.isThin ? FLOOR_PERIODS * periodNs : periodNs);
    const highestBps = this.parameters.ceiling * this.link.maxRateBps;
    this.rateBps = Math.min(highestBps, Math.max(this.rateBps, lowestBps));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, w: this.w, share: this.shareBps, quiet: this.quietCredits };
  }

  private learn(sample: CreditSample): void {
    const sentBps = this.sentBps(sample);
    this.shareBps = remembered(this.shareBps, this.memory, sentBps, sample);
    this.recentBps = remembered(this.recentBps, this.parameters.recent_memory, sentBps, sample);
    this.deliveredPart = this.shareBps / sentBps;
    this.quietCredits = sample.dropped > 0 ? 0 : this.quietCredits + sample.known;
    if (this.isSettled) this.learnLongShare(sample, sentBps);
  }

  /** Credits that the remembered share weighs. */
  private get memory(): number {
    const { memory } = this.parameters;
    if (!this.isSettled) return memory;
    const seen = this.longCredits - FIRST_CREDITS + FLOOD_CREDITS;
    const delivered = this.isThin ? Math.min(THIN_MEMORY * memory, seen) : memory;
    return delivered / Math.max(this.deliveredPart, LEAST_REMEMBERED_PART);
  }

  private learnLongShare({ known, dropped }: CreditSample, sentBps: number): void {
    const { long_memory: memory, thin_share: thinShare, w_min: wMin } = this.parameters;
    this.longCredits += known - dropped;
    this.longLinkCredits += (known * this.link.maxRateBps) / sentBps;
    if (this.longCredits > memory) {
      this.longLinkCredits *= memory / this.longCredits;
      this.longCredits = memory;
    }
    const part = this.longCredits / (this.longLinkCredits * thinShare);
    this.lowestW = wMin * Math.min(1, Math.max(LEAST_LEANING, Math.sqrt(part)));
  }

  private get isThin(): boolean {
    return this.lowestW < this.parameters.w_min;
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
    this.w = Math.max(Math.min(this.w, this.deliveredPart), this.lowestW);
    this.steppedNs = nowNs;
    const baseBps = Math.min(this.rateBps, this.shareBps * (1 + this.parameters.target_loss));
    this.rateBps = baseBps + this.w * Math.max(0, this.link.maxRateBps - baseBps);
    if (this.isSettled) this.makeUp();
  }

  private makeUp(): void {
    const loss = 1 - this.deliveredPart;
    const makeUp = this.isThin ? THIN_MAKE_UP * this.parameters.make_up : this.parameters.make_up;
    this.rateBps += makeUp * loss * loss * (this.shareBps - this.recentBps);
  }

  private calm(): void {
    const { w_decrease: decrease, w_fall: fall } = this.parameters;
    this.w = Math.max(Math.min(this.w * decrease, this.w - fall), this.lowestW);
  }
}

/** What the path gives a flow, bit/s, as a sample of its credits changes what `memory` credits had said; 0 is that nothing was remembered. */
function remembered(shareBps: number, memory: number, sentBps: number, { known, dropped }: CreditSample): number {
  if (shareBps === 0) return (sentBps * (known - dropped)) / known;
  const expectedLoss = Math.max(0, 1 - shareBps / sentBps);
  return sentBps * (1 - (dropped + memory * expectedLoss) / (known + memory));
}

export const leaning: CreditAlgorithmDefinition = {
  name: 'leaning',
  summary: 'our own law: full links, fair within milliseconds, few credits wasted ',
  parameters: LEANING_PARAMETERS,
  create: (link, parameters, records) => new Leaning(link, parameters, records.take()),
};
