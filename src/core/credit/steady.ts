import type {
  CreditAlgorithm,
  CreditAlgorithmDefinition,
  CreditLink,
  CreditParameters,
  CreditSample,
} from './algorithm.js';
import { floorRateBps, updatePeriodNs } from './period.js';
import { STEADY_PARAMETERS } from './steady-parameters.js';

/** No hop of the path has limited the flow yet. PROTOCOL §9.7 */
const NO_HOP = 15;

/** A path has a queue when its smoothed RTT exceeds the shortest by this part of it and by this many variations. Ours; RFC 6298 allows for 4 variations. */
const QUEUED_PART = 1;
const QUEUED_VARIATIONS = 8;

/** Part of `unheard_credits`: each time that a flow without an echo has sent as many credits more, its rate halves. Ours. */
const HALVING_PART = 1 / 10;
/** Lowest rate of such a flow, as a part of the maximum. Ours: it still has to send the credit whose echo it waits for. */
const UNHEARD_PART = 1 / 100;
/** A flow with a limit sends at least one credit in this many update periods. Ours. */
const FLOOR_PERIODS = 4;

/**
 * Our rate law. Ports count the flows that pass and offer each its max-min share of their link (switch/explicit-rate.ts, PROTOCOL §9.7). A flow takes the least
 * offer of its path, whatever is lost. Four times an RTT, with the fate of the `known` credits that were sent at the rate `sent`:
 *
 *     offered   = mean explicit rate that the data of the period brought, times the flow's weight
 *     loss      = loss + (dropped / known - loss) * known / (known + memory)          but for a period without data
 *     tolerated = queued ? queued_loss : tolerated_loss
 *     if loss > tolerated:  limit = min(rate, sent * (1 - loss) / (1 - tolerated))
 *     limit     = limit + lean * (max - limit)                                        an RTT
 *     rate      = min(offered, limit, max)
 *
 * The limit is for links whose switches offer nothing: what these do not carry is lost, mostly with a queue before them. It is infinite until more is lost than
 * is tolerated, and again once it has reached what is offered. docs/decisions/0020-explicit-rate.md
 */
class Steady implements CreditAlgorithm {
  rateBps: number;
  hop = NO_HOP;
  readonly weight: number;
  private readonly link: CreditLink;
  private readonly parameters: CreditParameters;
  private offeredBps = Number.POSITIVE_INFINITY;
  private limitBps = Number.POSITIVE_INFINITY;
  /** Credits without data, of those that brought some lately: remembered over `memory` credits. */
  private loss = 0;

  constructor(link: CreditLink, parameters: CreditParameters, weight: number) {
    this.link = link;
    this.parameters = parameters;
    this.weight = weight;
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  get name(): string {
    return steady.name;
  }

  unheardRateBps(sent: number): number {
    const { unheard_credits: credits, initial_rate: initialRate } = this.parameters;
    // As long a time at every rate from a half on; at a lower one as many credits, for few say nothing.
    const unheard = credits * Math.max(0.5, initialRate);
    if (sent <= unheard) return this.rateBps;
    const halvings = Math.ceil((sent - unheard) / (unheard * HALVING_PART));
    return Math.min(this.rateBps, Math.max(this.rateBps / 2 ** halvings, UNHEARD_PART * this.link.maxRateBps));
  }

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, this.parameters.period_rtts * rttNs, this.parameters.period_credits);
  }

  update(sample: CreditSample): void {
    if (sample.known === 0) return;
    if (sample.explicitBps > 0) {
      this.offeredBps = this.weight * sample.explicitBps;
      this.hop = sample.hop;
    }
    this.findLimit(sample);
    const { maxRateBps } = this.link;
    const lowestBps = floorRateBps(
      this.link,
      FLOOR_PERIODS * Math.max(sample.rttNs, this.updatePeriodNs(sample.rttNs)),
    );
    this.rateBps = Math.min(this.offeredBps, Math.max(this.limitBps, lowestBps), maxRateBps);
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, offered: this.offeredBps, limit: this.limitBps, hop: this.hop };
  }

  private findLimit(sample: CreditSample): void {
    const { tolerated_loss: byItself, queued_loss: queued, memory, lean } = this.parameters;
    const { known, dropped, used, elapsedNs, rttNs } = sample;
    // What brings nothing at all is an outage, or the flood of a thousand flows that start, and no share.
    if (used > 0) this.loss += ((dropped / known - this.loss) * known) / (known + memory);
    const tolerated = isQueued(sample) ? queued : byItself;
    if (this.loss > tolerated)
      this.limitBps = Math.min(this.rateBps, (this.sentBps(sample) * (1 - this.loss)) / (1 - tolerated));
    if (this.limitBps === Number.POSITIVE_INFINITY) return;
    const { maxRateBps } = this.link;
    this.limitBps += lean * Math.min(1, elapsedNs / rttNs) * Math.max(0, maxRateBps - this.limitBps);
    if (this.limitBps >= Math.min(this.offeredBps, maxRateBps)) this.limitBps = Number.POSITIVE_INFINITY;
  }

  /** The rate at which the credits of the sample were sent; the rate in force where a window held them back, or it is not known. */
  private sentBps({ known, spanNs, heldBack }: CreditSample): number {
    const sentBps = spanNs > 0 ? (known * this.link.bytesPerCredit * 8e9) / spanNs : this.rateBps;
    return heldBack ? Math.max(sentBps, this.rateBps) : sentBps;
  }
}

/** Data or credits wait in a queue of the path. */
function isQueued({ rttNs, minRttNs, rttVariationNs }: CreditSample): boolean {
  return rttNs - minRttNs > Math.max(QUEUED_PART * minRttNs, QUEUED_VARIATIONS * rttVariationNs);
}

export const steady: CreditAlgorithmDefinition = {
  name: 'steady',
  summary: 'our own law: the max-min share that the ports of the path offer, whatever the path loses (default)',
  parameters: STEADY_PARAMETERS,
  takesWeights: true,
  create: (link, parameters, _records, weight) => new Steady(link, parameters, weight),
};
