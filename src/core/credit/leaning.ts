// Tested by test/core/credit/leaning.test.ts
import type { NumberRecord } from '../../base/record-arena.js';
import { parameter } from '../../base/setting.js';
import {
  type CreditAlgorithm,
  type CreditAlgorithmDefinition,
  type CreditLink,
  type CreditParameter,
  type CreditParameters,
  type CreditSample,
  chosenBps,
  floorRateBps,
  UNHEARD_CREDITS,
  unheardBps,
  updatePeriodNs,
} from './algorithm.js';
import { INITIAL_RATE, PERIOD_CREDITS, TARGET_LOSS, W_INIT, W_MAX, W_MIN } from './expresspass.js';

/** Places of a flow's memory in its record. As fields, ten fractions were 160 of the 290 bytes of an idle flow. */
const RATE = 0;
const W = 1;
const SHARE = 2;
const RECENT = 3;
const DELIVERED_PART = 4;
const LONG_CREDITS = 5;
const LONG_LINK_CREDITS = 6;
const LOWEST_W = 7;
const QUIET_CREDITS = 8;
const STEPPED = 9;

/** What our rate law remembers of one flow. */
abstract class LeaningMemory {
  private readonly numbers: Float64Array;
  private readonly at: number;

  /** The first ALGORITHM_NUMBERS of the record are its own. */
  constructor({ numbers, at }: NumberRecord) {
    this.numbers = numbers;
    this.at = at;
  }

  get rateBps(): number {
    return this.numbers[this.at + RATE];
  }

  protected set rateBps(rateBps: number) {
    this.numbers[this.at + RATE] = rateBps;
  }

  protected get w(): number {
    return this.numbers[this.at + W];
  }

  protected set w(w: number) {
    this.numbers[this.at + W] = w;
  }

  /** What the path gives the flow, by the credits that it delivered, bit/s; 0 before the first sample. */
  protected get shareBps(): number {
    return this.numbers[this.at + SHARE];
  }

  protected set shareBps(shareBps: number) {
    this.numbers[this.at + SHARE] = shareBps;
  }

  /** The same over fewer credits. */
  protected get recentBps(): number {
    return this.numbers[this.at + RECENT];
  }

  protected set recentBps(recentBps: number) {
    this.numbers[this.at + RECENT] = recentBps;
  }

  /** Of the credits of the last sample, remembered like the share. */
  protected get deliveredPart(): number {
    return this.numbers[this.at + DELIVERED_PART];
  }

  protected set deliveredPart(part: number) {
    this.numbers[this.at + DELIVERED_PART] = part;
  }

  /** Credits delivered while the flow was settled, and the time in which they were, in credits of a link; both are scaled down at long_memory. */
  protected get longCredits(): number {
    return this.numbers[this.at + LONG_CREDITS];
  }

  protected set longCredits(credits: number) {
    this.numbers[this.at + LONG_CREDITS] = credits;
  }

  protected get longLinkCredits(): number {
    return this.numbers[this.at + LONG_LINK_CREDITS];
  }

  protected set longLinkCredits(credits: number) {
    this.numbers[this.at + LONG_LINK_CREDITS] = credits;
  }

  protected get lowestW(): number {
    return this.numbers[this.at + LOWEST_W];
  }

  protected set lowestW(w: number) {
    this.numbers[this.at + LOWEST_W] = w;
  }

  /** Credits delivered since the last one that was lost. */
  protected get quietCredits(): number {
    return this.numbers[this.at + QUIET_CREDITS];
  }

  protected set quietCredits(credits: number) {
    this.numbers[this.at + QUIET_CREDITS] = credits;
  }

  /** When w last rose or a credit was last lost. */
  protected get steppedNs(): number {
    return this.numbers[this.at + STEPPED];
  }

  protected set steppedNs(nowNs: number) {
    this.numbers[this.at + STEPPED] = nowNs;
  }
}

const DECISION = 'docs/decisions/0008-leaning.md';

const LEANING_PARAMETERS: readonly CreditParameter[] = [
  INITIAL_RATE,
  {
    ...W_INIT,
    default: 0.6,
    source: `ours: ${DECISION} (0.5 in ExpressPass 2017)`,
  },
  {
    ...W_MIN,
    default: 0.02,
    source: `ours: ${DECISION} (0.01 in ExpressPass 2017)`,
  },
  {
    ...W_MAX,
    default: 0.6,
    source: `ours: ${DECISION} (0.5 in ExpressPass 2017)`,
  },
  parameter('w_decrease', [0.92, 0.1, 1], '', {
    meaning: 'what w is multiplied by at each update of a flow that shares, or has climbed to the top',
    source: `ours: ${DECISION} (0.5 an RTT in ExpressPass 2017)`,
  }),
  parameter('w_fall', [0.025, 0.001, 0.6], '', {
    meaning: 'what w loses at the least at each such update',
    source: `ours: ${DECISION}`,
  }),
  parameter('w_step', [0.02, 0, 0.5], '', {
    meaning: 'what is added to w in each RTT of a climb',
    source: `ours: ${DECISION} (halfway to w_max in ExpressPass 2017; 0.05 in its authors' code)`,
  }),
  {
    ...TARGET_LOSS,
    default: 0,
    meaning: 'credit loss that a flow bears without yielding: what a path loses by itself, not for congestion',
    source: `ours: ${DECISION} (0.1 in ExpressPass 2017)`,
  },
  parameter('memory', [20, 0, 1000], 'credits', {
    meaning:
      'how many credits the share that is remembered weighs against those of a new sample; of a settled flow, how many delivered ones',
    source: `ours: ${DECISION}`,
  }),
  parameter('recent_memory', [10, 0, 1000], 'credits', {
    meaning: 'the same for what a flow got lately, which a settled flow makes up for',
    source: `ours: ${DECISION}`,
  }),
  parameter('make_up', [3, 0, 10], '', {
    meaning: 'how far a settled flow makes up for getting more or less than its share, times the square of its loss',
    source: `ours: ${DECISION}`,
  }),
  parameter('thin_share', [1 / 256, 0.0001, 1], 'share of max rate', {
    meaning:
      'what a settled flow gets in the long run below which its w_min shrinks, by the root; 0.0001 for next to never',
    source: `ours: ${DECISION}`,
  }),
  parameter('long_memory', [200, 20, 100_000], 'delivered credits', {
    meaning: 'over how many that long run is',
    source: `ours: ${DECISION}`,
  }),
  UNHEARD_CREDITS,
  parameter('quiet_credits', [300, 1, 100_000], 'credits', {
    meaning: 'credits delivered in a row after which a flow climbs again',
    source: `ours: ${DECISION}`,
  }),
  parameter('climb_end', [0.9, 0.1, 1], 'share of max rate', {
    meaning: 'rate from which a climbing flow gives up its w again',
    source: `ours: ${DECISION}`,
  }),
  parameter('ceiling', [0.99, 0.5, 1], 'share of max rate', {
    meaning: 'highest rate',
    source: `ours: ${DECISION}`,
  }),
  parameter('period_rtts', [0.5, 0.25, 4], 'RTTs', {
    meaning: 'length of an update period, where period_credits do not make it longer',
    source: `ours: ${DECISION} (1 in ExpressPass 2017)`,
  }),
  PERIOD_CREDITS,
];

/** Lowest delivered part of the credits by which a flow's memory grows: bounds the memory. */
const LEAST_REMEMBERED_PART = 0.05;

/** Delivered credits of a new long share, at `thin_share`. With 10, w of 256 flows differs more; with 40, a thousand flows send more in their first 5 ms. */
const FIRST_CREDITS = 20;

/** Delivered credits that the share of a thin flow weighs when it settles: before, it saw a flood. 3 and 20 are less fair with 256 flows over 10 ms. */
const FLOOD_CREDITS = 6;

/** Factor of `memory` for a thin flow, which leans less and trusts its share more. 2 is less fair with 256 flows. */
const THIN_MEMORY = 3;

/** Factor of `make_up` for a thin flow, whose lean is less. 1, with thin_share 1/64, costs 64 and 256 flows 0.003 to 0.005 of Jain's index over 10 ms. */
const THIN_MAKE_UP = 2 / 3;

/** Lowest part to which w_min shrinks, that of 16,384 flows on a link: after an outage a flow has to find its share. */
const LEAST_LEANING = 1 / 8;

/** Update periods in which a thin flow sends at least one credit. One in each is 13 times the link with a thousand flows at 10 Gbit/s and 100 us. */
const FLOOR_PERIODS = 4;

/** Lowest rate of such a flow, in w_min times the maximum. 1 or more keeps the flood alive, less delays the first credit. */
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
 * Before the first echo: initial_rate, which halves with every tenth that goes out beyond unheard_credits (half as many to a rate of 1/2), down to
 * w_min / 2 * max.
 *
 * Why each is there, what it does and what the alternatives did: docs/decisions/0008-leaning.md.
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
    const lowestBps = UNHEARD_LEANING * this.parameters.w_min * this.link.maxRateBps;
    return unheardBps(this.rateBps, lowestBps, this.parameters, sent);
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
    const sentBps = chosenBps(this.link, sample, this.rateBps);
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
