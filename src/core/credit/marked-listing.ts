// Tested by test/core/credit/ec4.test.ts and test/core/credit/ec4-literal.test.ts
import type { CreditLink, CreditParameters, CreditSample } from './algorithm.js';
import { Listing, sentBps } from './listing.js';

/**
 * What both readings of EC4's Algorithm 1 have in common: two modes, told apart by the marks of the data queue. In HIGH mode nobody else seems to be there, and
 * the update of ExpressPass holds, with its loss counted where it belongs. One w serves both modes, as the listing has one.
 */
export abstract class MarkedListing extends Listing {
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
