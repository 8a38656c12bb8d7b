import type { CreditAlgorithm, CreditLink, CreditParameters, CreditSample } from './algorithm.js';
import { floorRateBps, updatePeriodNs } from './period.js';

/**
 * Algorithm 1 of ExpressPass (SIGCOMM 2017), which leaves open what rate the credits that were lost had been sent at. The listing says nothing of a
 * lowest rate, and a flow that lost every credit of a period would be silent for ever: here it keeps one credit an update period. Nor does
 * it say of a highest one: a decrease goes no higher than increases do. The phase before the first update counts as not increasing.
 * Tested by test/core/credit/expresspass-literal.test.ts and test/core/credit/expresspass.test.ts.
 */
export abstract class Listing implements CreditAlgorithm {
  abstract readonly name: string;
  rateBps: number;

  protected readonly link: CreditLink;
  protected readonly wMin: number;
  private readonly wMax: number;
  private readonly targetLoss: number;
  private readonly periodCredits: number;
  protected w: number;
  private wasIncreasing = false;

  constructor(link: CreditLink, parameters: CreditParameters) {
    this.link = link;
    this.wMin = parameters.w_min;
    this.wMax = parameters.w_max;
    this.targetLoss = parameters.target_loss;
    this.periodCredits = parameters.period_credits;
    this.w = Math.min(parameters.w_init, this.wMax);
    this.rateBps = parameters.initial_rate * link.maxRateBps;
  }

  /** The loss that a sample shows, 0 to 1; -1: it shows nothing. */
  protected lossOf({ known, dropped }: CreditSample): number {
    return known === 0 ? -1 : dropped / known;
  }

  /** The rate that a loss in the sample is taken off, bit/s. */
  protected abstract lossyBps(sample: CreditSample): number;

  updatePeriodNs(rttNs: number): number {
    return updatePeriodNs(this.link, rttNs, this.periodCredits);
  }

  update(sample: CreditSample): void {
    const loss = this.lossOf(sample);
    if (loss < 0) return;
    if (loss <= this.targetLoss) this.increase();
    else this.decrease(this.lossyBps(sample) * (1 - loss));
    this.rateBps = Math.max(this.rateBps, this.lowestBps(sample));
  }

  state(): Record<string, number> {
    return { cur_rate: this.rateBps, w: this.w, increasing: Number(this.wasIncreasing) };
  }

  /** C of the paper's section 4: what increases converge to. */
  private get ceilingBps(): number {
    return this.link.maxRateBps * (1 + this.targetLoss);
  }

  protected lowestBps({ rttNs }: CreditSample): number {
    return floorRateBps(this.link, this.updatePeriodNs(rttNs));
  }

  private increase(): void {
    if (this.wasIncreasing) this.w = (this.w + this.wMax) / 2;
    this.rateBps = (1 - this.w) * this.rateBps + this.w * this.ceilingBps;
    this.wasIncreasing = true;
  }

  private decrease(arrivedBps: number): void {
    this.rateBps = Math.min(this.ceilingBps, arrivedBps * (1 + this.targetLoss));
    this.w = Math.max(this.w / 2, this.wMin);
    this.wasIncreasing = false;
  }
}

/** The rate at which the credits of a sample were sent, bit/s; the rate in force where that is not known. */
export function sentBps(link: CreditLink, { known, spanNs }: CreditSample, rateBps: number): number {
  return spanNs > 0 ? (known * link.bytesPerCredit * 8e9) / spanNs : rateBps;
}
